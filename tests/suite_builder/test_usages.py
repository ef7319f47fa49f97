"""How pages use a program or a function: whose values they are, and which texts belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.usages import Passed, calls

FILES = {
    "train.py": "",
    "segment/train.py": "",
    "tool/cli.py": "",
    "examples/gat/main.py": "",
    "README.md": """
        python train.py --data coco.yaml
        python segment/train.py --data seg.yaml \\
            --weights seg.pt
        tool in.wav --data speech
        python -m tool.cli --data words
        the option `--data other` stands alone
        train it with `--data noise`; or train with `--data noise`
        load("blip", "base")
        load("blip", model_type="large")
        load("clip", "huge")
        encode(x, "base")
        python train.py trainer=gpu +trainer.precision=16
        python train.py -m trainer=cpu,gpu 'experiment=glob(*)' tags=["a"]
        python segment/train.py trainer=tpu
    """,
    "examples/gat/README.md": "python main.py --data cora\npython ../../train.py --data coco128.yaml\nNet('far')\n",
    "docs/a.md": "Net('near', device='cpu')\nNet('other')\n",
    "docs/b.md": "Net('near')\n",
    "lib/load.py": 'def load(name, kind): pass\nload("blip", "tiny")\n',
}


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(line.strip() for line in text.split("\n")))
    return Vocabulary(tmp_path)


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("train.py", ["coco.yaml", "coco128.yaml"]),
        ("segment/train.py", ["seg.yaml"]),
        ("tool/cli.py", ["speech", "words"]),
        ("examples/gat/main.py", ["cora"]),
    ],
)
def test_a_value_is_of_the_program_whose_command_it_stands_in(
    vocabulary: Vocabulary, program: str, values: list[str]
) -> None:
    """`--data mnist` was said of segmentation because the page named that program too."""
    assert sorted(vocabulary.given(program, ("--data",))) == values


def test_a_program_of_a_name_that_several_folders_have_is_not_guessed(tmp_path: Path) -> None:
    """`cd tools; ./train_net.py --config a` gave its value to the `train_net.py` of every project."""
    for name in ("tools/run.py", "projects/a/run.py", "tools/alone.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "README.md").write_text("cd tools\n./run.py --config a\n./alone.py --config b\n")
    shown = Vocabulary(tmp_path)
    assert shown.given("projects/a/run.py", ("--config",)) == shown.given("tools/run.py", ("--config",)) == []
    assert shown.given("tools/alone.py", ("--config",)) == ["b"]


@pytest.mark.parametrize("text", ["x" * 5000, "a\0b"])
def test_a_text_that_can_be_no_path_is_no_file(vocabulary: Vocabulary, text: str) -> None:
    """A sentence of an example ended the build of flair: its name was too long for a file."""
    assert not vocabulary.holds(text, ".")


def test_overrides_are_values_too(vocabulary: Vocabulary) -> None:
    """`trainer=cpu` and `trainer=gpu` of one page gave no value to vary."""
    assert vocabulary.given("train.py", ("trainer=",)) == ["gpu"]
    assert vocabulary.given("train.py", ("+trainer.precision=",)) == ["16"]
    assert vocabulary.given("train.py", ("tags=",)) == vocabulary.given("train.py", ("experiment=",)) == []


def test_a_text_is_taken_beside_the_same_other_texts(vocabulary: Vocabulary) -> None:
    """`load_model("img2prompt_vqa", "vqav2")` became a model of one name with a type of another."""
    order = ("name", "kind", "model_type")
    assert vocabulary.passed(Passed("load", "kind", "", order, {"name": "blip"})) == ["base"]  # pages alone count
    assert vocabulary.passed(Passed("load", "kind", 3, order, {"name": "blip"})) == []  # a text is no number
    assert vocabulary.passed(Passed("load", "kind", "", order, {"name": "nobody"})) == []


def test_what_the_same_page_passes_is_enough(vocabulary: Vocabulary) -> None:
    passed = {
        page: vocabulary.passed(Passed("Net", "model", "", ("model",), {}, page)) for page in ("docs/a.md", "docs/b.md")
    }
    assert sorted(passed["docs/a.md"]) == ["near", "other"]
    assert sorted(passed["docs/b.md"]) == ["far", "near", "other"]


def test_a_call_that_ends_nowhere_is_none() -> None:
    assert list(calls("f('a', ('b'\n" * 50, "f", ("x",))) == []
    assert list(calls("see f(x) and f('a)', y='b') or f(", "f", ("x", "y"))) == [{}, {"x": "a)", "y": "b"}]
