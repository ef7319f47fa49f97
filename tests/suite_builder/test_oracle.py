"""Oracles: what a reference needs is shown, by few and small spans, documentation first."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import Check, CheckStatus, Completeness, Invocation, OptionSchema, RepositoryCall
from mlbench.repositories.oracle_spans import Oracle, OracleSpan
from mlbench.suite_builder.oracle.appearance import holds_keyword, holds_name
from mlbench.suite_builder.oracle.cover import OracleCover, OracleFinder
from mlbench.suite_builder.oracle.needs import stands
from mlbench.suites.recipes import Recipe
from mlbench.suites.rows import RowTask, plan_rows

README = """# Gans
Some networks.

## Train
Run it:

    python train.py --epochs 5

## Other
Another program:

    python other.py --width 3
"""
TRAIN = """import argparse
from common import base

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
parser.add_argument("--width", type=int)

unrelated = 1
another = 2
third = 3
fourth = 4
parser.add_argument(
    "-r", "--rate",
    type=float,
)
parser.add_argument("--mode", choices=["fast", "slow"])
"""
MODELS = '''"""Networks."""


class Net:
    """A network.

    Args:
        depth: layers.
    """

    def __init__(self, depth, norm="batch"):
        self.depth = depth

    def fit(self, data, steps=3):
        """Train it."""
'''


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "common.py").write_text('def base(parser):\n    parser.add_argument("--seed", type=int)\n')
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text("from nets.models import Net\n")
    (tmp_path / "nets" / "models.py").write_text(MODELS)
    return tmp_path


def recipe(reference: str, arguments: dict[str, object], instruction: str, kind: str = "Bash Script") -> Recipe:
    said = " ".join(f"{{{{ {name} }}}}" for name in arguments)
    return Recipe.model_validate(
        {
            "repository": "gans",
            "task": "train",
            "type": kind,
            "path": ".",
            "segment": {"file": "README.md", "lines": [4, 7], "sha256": ""},
            "program": "train.py" if kind == "Bash Script" else "nets/models.py",
            "arguments": arguments,
            "instructions": [f"{instruction} {said}"] * 5,
            "reference": reference,
        }
    )


def checked(options: str, defaults: dict[str, object] | None = None, calls: tuple[RepositoryCall, ...] = ()) -> Check:
    strings = {group.split("/")[-1].lstrip("-"): tuple(group.split("/")) for group in options.split()}
    schema = tuple(OptionSchema(place, default=value) for place, value in (defaults or {}).items())
    how = "code" if calls else "file"
    program = "" if calls else "train.py"
    found = Invocation(CheckStatus.ACCEPTED, program=program, how=how, options=strings, schema=schema, calls=calls)
    return Check(CheckStatus.ACCEPTED, invocations=(found,))


def places(cover: OracleCover) -> list[tuple[str, int, int]]:
    return [(span.file, span.first, span.last) for span in cover.spans]


def test_the_section_is_enough_where_it_names_everything(repository: Path) -> None:
    task = recipe("python train.py --epochs {{ epochs }}", {"epochs": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert places(OracleFinder(repository).cover(task, checked("--epochs"))) == [("README.md", 4, 7)]


def test_what_no_example_gives_is_shown_where_it_is_defined(repository: Path) -> None:
    """A section that names `--epochs` may mean another program's; a keyword may be another class's."""
    task = recipe("python train.py --epochs {{ epochs }}", {"epochs": ["1", "2"], "b": ["1", "2"]}, "Train.")
    finder = OracleFinder(repository)
    (_, *more) = places(finder.cover(task, checked("--epochs"), added={"--epochs"}))
    (ours,) = [(file, first) for file, first, _ in more]
    assert "--epochs" in (repository / ours[0]).read_text().splitlines()[ours[1] - 1]
    assert places(finder.cover(task, checked("--epochs"), added={"--other"})) == [("README.md", 4, 7)]


def test_another_program_s_option_of_that_name_is_not_shown(repository: Path) -> None:
    """`--resume` of a library's parser is a switch; the repository's other program takes a path behind it."""
    (repository / "other.py").write_text("parser.add_argument('--resume', default='')\nparser.parse_args()\n")
    arguments: dict[str, object] = {"resume": {"resuming a run": "--resume", "starting anew": []}, "epochs": ["1", "2"]}
    task = recipe("python train.py --epochs {{ epochs }} {{ resume }}", arguments, "Train.")
    cover = OracleFinder(repository).cover(task, checked("--epochs --resume"), added={"--resume"})
    assert "other.py" not in {span.file for span in cover.spans}


def test_missing_options_come_from_the_parser(repository: Path) -> None:
    """Another program's section names `--width`; it is not shown. Neighbours are joined; a statement stays whole."""
    arguments: dict[str, object] = {
        "epochs": ["1", "2"],
        "width": ["3", "4"],
        "rate": ["0.1", "0.2"],
        "seed": ["1", "2"],
    }
    code = "python train.py --epochs {{ epochs }} --width {{ width }} -r {{ rate }} --seed {{ seed }}"
    cover = OracleFinder(repository).cover(
        recipe(code, arguments, "Train."), checked("--epochs --width -r/--rate --seed")
    )
    assert places(cover) == [("README.md", 4, 7), ("common.py", 2, 2), ("train.py", 6, 6), ("train.py", 12, 15)]
    assert cover.undocumented == ()


def test_an_option_from_a_variable_of_the_page_is_shown_where_it_is_set(repository: Path) -> None:
    (repository / "README.md").write_text(README + "\n## Flags\nFor all programs:\n\n    FLAGS='--channels 3'\n")
    task = recipe("python train.py --channels {{ c }}", {"c": ["1", "2"]}, "Train.")
    cover = OracleFinder(repository).cover(task, checked("--channels"))
    assert cover.undocumented == () and len(cover.spans) == 2


def test_values_are_needed_if_no_instruction_states_them(repository: Path) -> None:
    arguments: dict[str, object] = {"mode": {"quickly": "fast", "slow": "slow"}, "epochs": ["1", "2"]}
    code = "python train.py --epochs {{ epochs }} --mode {{ mode }} --tag run-7 --unit metre"
    task = recipe(code, arguments, "Train with the tag run-7.")
    cover = OracleFinder(repository).cover(task, checked("--epochs --mode --tag --unit"))
    assert places(cover) == [("README.md", 4, 7), ("train.py", 16, 16)]
    assert cover.undocumented == ("--tag", "--unit", "metre")


def test_what_follows_an_argument_has_to_be_shown(repository: Path) -> None:
    """An instruction says the scale; the weights of each scale stand in the documentation alone."""
    task = recipe("python train.py --epochs {{ epochs }} --weights {{ weights }}", {"epochs": ["1", "5"]}, "Train.")
    lines = [{"epochs": "1", "weights": "one.pt"}, {"epochs": "5", "weights": "five.pt"}]
    task = Recipe.model_validate({**task.model_dump(), "together": lines})
    cover = OracleFinder(repository).cover(task, checked("--epochs --weights"))
    assert {"one.pt", "five.pt"} <= {*cover.undocumented}
    saying = Recipe.model_validate(
        {**task.model_dump(), "instructions": ["Train {{ epochs }} with {{ weights }}."] * 5}
    )
    assert OracleFinder(repository).cover(saying, checked("--epochs --weights")).undocumented == ("--weights",)
    (repository / "README.md").write_text(README + "\n## All\n\n    --weights one.pt\n    --weights five.pt\n")
    assert OracleFinder(repository).cover(task, checked("--epochs --weights")).undocumented == ()


def test_what_follows_has_to_be_shown_wherever_it_stands_in_python(repository: Path) -> None:
    """`weights = "one.pt"` was no argument of a call, and a request could say *its weights*."""
    code = "from nets import Net\nweights = {{ weights }}\nNet(weights).fit(steps={{ steps }})"
    task = recipe(code, {"steps": ["1", "5"]}, "Fit.", "Python Code")
    lines = [{"steps": "1", "weights": "one.pt"}, {"steps": "5", "weights": "five.pt"}]
    task = Recipe.model_validate({**task.model_dump(), "together": lines})
    assert {"one.pt", "five.pt"} <= {*OracleFinder(repository).cover(task, checked("")).undocumented}


def test_an_option_that_repeats_its_default_may_be_left_out(repository: Path) -> None:
    arguments: dict[str, object] = {"epochs": ["1", "2"], "b": ["1", "2"]}
    task = recipe("python train.py --epochs {{ epochs }} --shape wide", arguments, "Train.")
    cover = OracleFinder(repository).cover(task, checked("--epochs --shape", {"shape": "wide"}))
    assert cover.undocumented == ()


def test_python_needs_names_and_keywords(repository: Path) -> None:
    made = "net = Net(depth={{ depth }}, norm={{ norm }})\nnet.fit(torch.ones(2), steps={{ steps }})"
    code = f"from nets import Net\nimport torch\n\n{made}"
    calls = (RepositoryCall("nets.models.Net", {}), RepositoryCall("nets.models.Net.fit", {}))
    arguments: dict[str, object] = {
        "depth": ["1", "2"],
        "norm": {"by samples": "layer", "by batches": "batch"},
        "steps": ["5"],
    }
    cover = OracleFinder(repository).cover(recipe(code, arguments, "Fit.", "Python Code"), checked("", calls=calls))
    assert places(cover) == [("README.md", 4, 7), ("nets/models.py", 4, 15)]
    assert cover.undocumented == ("layer",)


def test_a_file_of_python_2_is_read(repository: Path) -> None:
    (repository / "train.py").write_text(
        "print 'old'\nparser.add_argument(\n    '--width',\n    help='`w`')\nexec 'x'\n"
    )
    task = recipe("python train.py --width {{ width }}", {"width": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert places(OracleFinder(repository).cover(task, checked("--width")))[1:] == [("train.py", 2, 4)]


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("--lr", "use --lr_decay 3", False),
        ("--lr", "use --lr=3", True),
        ("gan.py", "python acgan.py", False),
        ("-b", "--b -batch", False),
        ("fast", "breakfast", False),
        ("fast", "`fast`", True),
    ],
)
def test_a_word_stands_as_a_whole(word: str, text: str, found: bool) -> None:
    assert stands(word, text) is found


def test_a_row_is_undocumented_if_its_own_reference_has_a_hidden_word() -> None:
    arguments: dict[str, object] = {"mode": {"quickly": "fast", "at ease": "slow"}, "epochs": ["1", "2", "3"]}
    task = recipe("python train.py --epochs {{ epochs }} --mode={{ mode }}", arguments, "Train.")
    span = OracleSpan("README.md", (4, 7), "Run it\n")
    made = RowTask(task, Oracle((span,), span, ("--mode fast",)), 1, "u", "id")
    rows = plan_rows([made], 1, {"full": 4, "quarter": 0, "id_train": 0, "ood_train": 0}, 0.0)["full"]
    found = {("fast" in row.sample.output, row.completeness) for row in rows}
    assert found == {(True, Completeness.UNDOCUMENTED), (False, Completeness.COMPLETE)}


def test_a_value_that_the_instruction_says_is_documented_if_the_oracle_has_its_name() -> None:
    """`WEIGHT_DECAY=0.01` and `--decay=$WEIGHT_DECAY` show the option; the instruction asked for the value."""
    for text, said, completeness in (
        ("--decay=$DECAY\n", "Decay 0.01.", Completeness.COMPLETE),
        ("--decay=$DECAY\n", "Decay 0.015.", Completeness.UNDOCUMENTED),
        ("--other=$DECAY\n", "Decay 0.01.", Completeness.UNDOCUMENTED),
    ):
        task = recipe("python train.py --epochs {{ epochs }} --decay=0.01", {"epochs": ["1", "2"]}, said)
        span = OracleSpan("run.sh", (1, 1), text)
        made = RowTask(task, Oracle((span,), span, ("--decay 0.01",)), 1, "u", "id")
        rows = plan_rows([made], 1, {"full": 2, "quarter": 0, "id_train": 0, "ood_train": 0}, 0.0)["full"]
        assert {row.completeness for row in rows} == {completeness}


def test_an_assignment_defines_no_option(repository: Path) -> None:
    """`optimizer = Adam(…)` was shown for `--optimizer`, and the parser's line was not."""
    lines = "import argparse\nwidth = 5\nrun(\n    width=width,\n)\nparser.add_argument('--width', type=int)\n"
    (repository / "train.py").write_text(lines)
    task = recipe("python train.py --width {{ width }}", {"width": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert places(OracleFinder(repository).cover(task, checked("--width")))[1:] == [("train.py", 6, 6)]


def test_a_number_is_shown_with_its_option(repository: Path) -> None:
    (repository / "train.py").write_text("parser.add_argument('--width', default=8)\nsize = 24\n")
    task = recipe("python train.py --width 24 -b {{ a }}", {"a": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert OracleFinder(repository).cover(task, checked("--width -b")).undocumented == ("--width 24", "-b")


def test_a_number_behind_another_value_is_shown_behind_that(repository: Path) -> None:
    """Of `--mixer data/sft 1.0`, `--mixer 1.0` was held to be shown nowhere."""
    line = "python train.py --mixer data/sft 1.0 --width 24"
    (repository / "README.md").write_text(f"{README}\n## Mix\n```\n{line}\n```\n")
    task = recipe(f"{line} --epochs {{{{ a }}}}", {"a": ["1", "2"]}, "Train.")
    assert OracleFinder(repository).cover(task, checked("--mixer --width --epochs")).undocumented == ()


def test_a_variable_before_the_program_is_no_value_of_its_last_option(repository: Path) -> None:
    """`OPENBLAS_NUM_THREADS=16 python eval.py --batch-size 8`: `--batch-size 16` was held to be shown nowhere."""
    (repository / "README.md").write_text(f"{README}\n## Eval\n    THREADS=16 python train.py --epochs 5\n")
    task = recipe("THREADS=16 python train.py --epochs {{ a }}", {"a": ["10", "20"]}, "Train.")
    assert OracleFinder(repository).cover(task, checked("--epochs")).undocumented == ()


def test_two_dashes_end_the_values_of_an_option(repository: Path) -> None:
    line = "python train.py --width 24 -- 32"
    (repository / "README.md").write_text(f"{README}\n## Sizes\n```\n{line}\n```\n")
    task = recipe("python train.py --epochs {{ a }} --width 24 -- 32", {"a": ["1", "2"]}, "Train.")
    assert OracleFinder(repository).cover(task, checked("--width --epochs")).undocumented == ()


def test_a_number_is_shown_by_a_variable_of_the_page(repository: Path) -> None:
    (repository / "train.py").write_text("parser.add_argument('--width', default=8)\n")
    lines = "python train.py --width $WIDTH\n```\n\n```\nWIDTH={}\n```\n"
    task = recipe("python train.py --width 24 --epochs {{ a }}", {"a": ["1", "2"]}, "Train.")
    for number, undocumented in ((24, ()), (240, ("--width 24",))):
        (repository / "README.md").write_text(f"{README}\n## Sizes\n```\n{lines.format(number)}")
        assert OracleFinder(repository).cover(task, checked("--width --epochs")).undocumented == undocumented


def test_numbers_of_one_option_are_shown_in_their_order(repository: Path) -> None:
    line = "python train.py --sizes 32 24 16"
    (repository / "README.md").write_text(f"{README}\n## Sizes\n```\n{line}\n```\n")
    for shown, undocumented in ((line, ()), ("python train.py --sizes 32 16 24", ("--sizes 32 16 24",))):
        task = recipe(f"{shown} --epochs {{{{ a }}}}", {"a": ["1", "2"]}, "Train.")
        assert OracleFinder(repository).cover(task, checked("--sizes --epochs")).undocumented == undocumented


def test_a_list_may_be_quoted_by_its_parts(repository: Path) -> None:
    line = 'python train.py --modules "query","key"'
    (repository / "README.md").write_text(f"{README}\n## Modules\n```\n{line}\n```\n")
    task = recipe("python train.py --modules query,key --epochs {{ a }}", {"a": ["1", "2"]}, "Train.")
    assert OracleFinder(repository).cover(task, checked("--modules --epochs")).undocumented == ()


def test_a_path_is_shown_by_a_variable_of_the_page(repository: Path) -> None:
    (repository / "train.py").write_text("parser.add_argument('--file')\n")
    task = recipe("python train.py --file sets/ruby/valid.jsonl --epochs {{ a }}", {"a": ["1", "2"]}, "Train.")
    for language, undocumented in (("ruby", ()), ("go", ("sets/ruby/valid.jsonl",))):
        lines = f"lang={language}\npython train.py --file=sets/${{lang}}/valid.jsonl\n```\n"
        (repository / "README.md").write_text(f"{README}\n## Languages\n```\n{lines}")
        assert OracleFinder(repository).cover(task, checked("--file --epochs")).undocumented == undocumented


def test_words_of_a_list_are_settings_of_their_own(repository: Path) -> None:
    """A number behind a switch was a value of the switch, and the list an argument that no page named."""
    line = "python train.py --eval-only INPUT.SIZE 640 MODEL.WIDTH 24"
    (repository / "README.md").write_text(f"{README}\n## Evaluation\n```\n{line}\n```\n")
    task = recipe(f"{line} --epochs {{{{ a }}}}", {"a": ["1", "2"]}, "Evaluate.")
    given = {"opts": ["INPUT.SIZE", "640", "MODEL.WIDTH", "24"], "opts:INPUT.SIZE": 640, "opts:MODEL.WIDTH": 24}
    schema = (OptionSchema("eval_only", switch=True),)
    found = Invocation(
        CheckStatus.ACCEPTED,
        program="train.py",
        how="file",
        options={"eval_only": ("--eval-only",), "epochs": ("--epochs",), "opts": ()},
        schema=schema,
        configuration=given,
        given=frozenset(["opts"]),
    )
    check = Check(CheckStatus.ACCEPTED, invocations=(found,))
    assert OracleFinder(repository).cover(task, check).undocumented == ()
    hidden = recipe(f"{line.replace('640', '641')} --epochs {{{{ a }}}}", {"a": ["1", "2"]}, "Evaluate.")
    assert OracleFinder(repository).cover(hidden, check).undocumented == ("INPUT.SIZE 641",)


def test_a_setting_is_shown_below_its_sections(repository: Path) -> None:
    (repository / "run.yaml").write_text("run:\n  epochs: 3\n\n\n\n\n\nmodel:\n  net:\n    width: 5\n")
    code = "python train.py model.net.width={{ width }}"
    cover = OracleFinder(repository).cover(recipe(code, {"width": ["1", "2"], "b": ["1", "2"]}, "Train."), checked(""))
    assert ("run.yaml", 8, 10) in places(cover)


def test_a_section_about_a_namesake_is_not_shown(repository: Path) -> None:
    """`main.py` of one example was documented by the README of another."""
    for folder, option in (("one", "--depth"), ("two", "--width")):
        (repository / folder).mkdir()
        (repository / folder / "main.py").write_text(f"parser.add_argument('{option}')\n")
        (repository / folder / "README.md").write_text(f"# {folder}\n\n    python main.py --width 3\n")
    made = recipe("python main.py --width {{ width }}", {"width": ["1", "2"], "b": ["1", "2"]}, "Train.")
    task = made.model_copy(update={"program": "one/main.py", "path": "./one"})
    (repository / "one" / "README.md").write_text("# one\n\n    python main.py\n")
    shown = places(OracleFinder(repository).cover(task, checked("--width")))
    assert not any(file == "two/README.md" for file, _, _ in shown)


def test_what_the_reference_writes_itself_is_not_needed(repository: Path) -> None:
    """Paths between two programs, and places of output, may be chosen freely."""
    arguments: dict[str, object] = {"epochs": ["1", "2"], "b": ["1", "2"]}
    code = "python train.py --epochs {{ epochs }} --output_dir work/out --vocab work/v.txt\npython train.py work/v.txt"
    cover = OracleFinder(repository).cover(recipe(code, arguments, "Train."), checked("--epochs --output_dir --vocab"))
    assert cover.undocumented == ("--output_dir", "--vocab")


def test_a_program_that_depends_on_a_value(repository: Path) -> None:
    (repository / "scripts").mkdir()
    (repository / "scripts" / "gan.sh").write_text("python train.py\n")
    code = "bash scripts/{{ model }}.sh {{ b }}"
    task = recipe(code, {"model": {"GAN": "gan", "big": "large"}, "b": ["1", "2"]}, "Run scripts/.")
    assert "\ue000" not in "".join(OracleFinder(repository).cover(task, checked("")).undocumented)


def test_a_nested_setting_is_shown_with_its_parents(repository: Path) -> None:
    """`num_iter` was shown by the parameter of a function; its place `tasks.fixed.num_iter` stood nowhere."""
    (repository / "run.yaml").write_text("tasks:\n  free:\n    steps: 3\n  fixed:\n    norm: 1\n    steps: 5\n")
    code = "python train.py tasks.fixed.steps={{ steps }}"
    task = recipe(code, {"steps": ["1", "2"], "b": ["1", "2"]}, "Train the fixed tasks in some steps.")
    cover = OracleFinder(repository).cover(task, checked(""))
    assert ("run.yaml", 1, 6) in places(cover)
    assert cover.undocumented == ()


def test_folders_lead_to_a_nested_setting(repository: Path) -> None:
    (repository / "conf" / "model").mkdir(parents=True)
    (repository / "conf" / "model" / "net.yaml").write_text("size: 3\nblock:\n  width: 5\n")
    task = recipe("python train.py model.block.width={{ w }}", {"w": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert places(OracleFinder(repository).cover(task, checked("")))[1:] == [("conf/model/net.yaml", 2, 3)]


def test_a_registered_class_is_shown_with_its_constructor(repository: Path) -> None:
    lines = '@register("wide")\nclass Wide(Base):\n    kind = 1\n\n    def __init__(self, width=3):\n        pass\n'
    (repository / "nets" / "wide.py").write_text(lines)
    code = "from nets import build\n\nbuild({{ name }}, width={{ width }})"
    arguments: dict[str, object] = {"name": {"the broad one": "wide"}, "width": ["4", "5"]}
    calls = (RepositoryCall("nets.build", {}),)
    cover = OracleFinder(repository).cover(recipe(code, arguments, "Build.", "Python Code"), checked("", calls=calls))
    assert ("nets/wide.py", 1, 5) in places(cover)


def test_a_variable_of_an_example_is_no_keyword(repository: Path) -> None:
    """`num_layers=6` stood in an example as a variable that nothing used."""
    readme = "# Gans\n\n## Train\n\n    from nets import Net\n    depth=6\n    net = Net(norm='batch')\n"
    (repository / "README.md").write_text(readme)
    task = recipe("from nets import Net\nNet(depth={{ d }})", {"d": ["1", "2"], "b": ["1", "2"]}, "x", "Python Code")
    cover = OracleFinder(repository).cover(task, checked("", calls=(RepositoryCall("nets.models.Net", {}),)))
    assert any(file == "nets/models.py" and last >= 11 for file, _, last in places(cover))


def test_positions_need_a_signature_or_a_call_like_it(repository: Path) -> None:
    """`get_batch_converter()` of an example does not say that a number may stand in its brackets."""
    (repository / "nets" / "models.py").write_text("\n\ndef fit(data,\n        steps):\n    return data\n")
    readme = "# Gans\n\n## Train\nRun `fit()`:\n\n    from nets import fit\n"
    (repository / "README.md").write_text(readme)
    task = recipe("from nets import fit\nfit([1], {{ steps }})", {"steps": ["2"], "b": ["1", "2"]}, "x", "Python Code")
    check = checked("", calls=(RepositoryCall("nets.models.fit", {}),))
    assert ("nets/models.py", 3, 4) in places(OracleFinder(repository).cover(task, check))
    (repository / "README.md").write_text(f"{readme}    fit(data, 3)\n")
    task = task.model_copy(update={"segment": (task.segment[0].model_copy(update={"lines": (3, 7)}),)})
    assert [file for file, _, _ in places(OracleFinder(repository).cover(task, check))] == ["README.md"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("generate masks for an image", False),
        ("masks = maker.generate(image)", True),
        ("call `generate`", True),
        ("It works. generate", False),
    ],
)
def test_a_method_with_an_english_name_stands_as_code(text: str, found: bool) -> None:
    assert holds_name("generate", text) is found


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        ("def f(data,\n      steps=3):", True, True),
        ("f(\n    steps=3)", False, True),
        ("f(\n    steps=3\n)", False, True),
        ("steps=3\nf(4)", False, False),
        ("kwargs['steps'] = seed", True, False),
        ("f(\n    fixed=False  # of shape (1, steps)\n)", True, False),
        ('"""\n"steps": 3, how many\n"""', True, True),
    ],
)
def test_a_keyword_stands_in_a_signature_or_call(text: str, code: bool, found: bool) -> None:
    assert holds_keyword("steps", text, code) is found


def test_taking_a_keyword_from_a_dictionary_defines_no_option(repository: Path) -> None:
    """`--batch-size` was shown by `kwargs.pop('batch_size', 256)`."""
    lines = "size = kwargs.pop('width', 5)\n\n\n\n\n\nparser.add_argument('--width',\n    type=int)\n"
    (repository / "train.py").write_text(lines)
    task = recipe("python train.py --width {{ width }}", {"width": ["1", "2"], "b": ["1", "2"]}, "Train.")
    assert places(OracleFinder(repository).cover(task, checked("--width")))[1:] == [("train.py", 7, 8)]


def test_a_subcommand_is_shown_by_itself_and_not_by_the_name_of_its_destination(repository: Path) -> None:
    """`label-studio-ml start ./my_model`: that its parser calls `start` the command stood nowhere."""
    (repository / "README.md").write_text("Start it:\n\n    python train.py start --width 3\n")
    (repository / "train.py").write_text("parsers = parser.add_subparsers(dest='command')\n" + "\n" * 8)
    task = recipe("python train.py start --width {{ width }}", {"width": ["1", "2"], "b": ["1"]}, "Train.")
    options = {"command": (), "width": ("--width",)}
    found = Invocation(CheckStatus.ACCEPTED, program="train.py", options=options, given=("command", "width"))
    cover = OracleFinder(repository).cover(task, Check(CheckStatus.ACCEPTED, invocations=(found,)))
    assert cover.undocumented == ()
    assert [file for file, _, _ in places(cover)] == ["README.md"]


def test_a_positional_argument_of_a_program_is_shown(repository: Path) -> None:
    """`onnx_export.py classifier.onnx`: that a file comes first stood nowhere."""
    (repository / "train.py").write_text("parser.add_argument('--width')\n\n\n\n\n\nparser.add_argument('output')\n")
    task = recipe("python train.py {{ out }} --epochs {{ e }}", {"out": ["a.pt", "b.pt"], "e": ["1"]}, "Train.")
    found = Invocation(CheckStatus.ACCEPTED, program="train.py", options={"output": ()}, given=("output",))
    check = Check(CheckStatus.ACCEPTED, invocations=(found,))
    assert places(OracleFinder(repository).cover(task, check))[1:] == [("train.py", 7, 7)]
    (repository / "README.md").write_text(README.replace("train.py --epochs 5", "train.py net.pt --epochs 5"))
    assert [file for file, _, _ in places(OracleFinder(repository).cover(task, check))] == ["README.md"]
