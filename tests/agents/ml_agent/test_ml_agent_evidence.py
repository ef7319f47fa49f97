"""When documents suffice, and on which lines an answer rests."""

from __future__ import annotations

import pytest

from mlbench.agents.ml_agent.citations import evidence, names_in, sources
from mlbench.prompts.context import Document

PAGE = Document(
    "README.md",
    "# Newt\n\nText.\n\n```bash\npython newt.py --lr 0.1 --num-layers 2\n```\n\nAlso `batch_size` and `hidden.dim`.\n",
)
FILES = ["newt.py", "lib/__init__.py", "README.md"]


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("learning rate", "lr"),
        ("number of layers", "num-layers"),
        ("layers", "num-layers"),
        ("size of the batches", "batch_size"),
        ("hidden dimension", "hidden.dim"),
        ("Batch Size", "batch_size"),
        ("epochs", ""),
        ("", ""),
        ("of the", ""),
        ("\ud800", ""),
    ],
)
def test_a_setting_is_named_by_its_words_or_initials(setting: str, name: str) -> None:
    found = evidence([PAGE], [setting], FILES)
    assert found.named.get(setting, "") == name


def test_it_suffices_with_an_example_and_a_name_for_each() -> None:
    assert evidence([PAGE], ["learning rate", "layers"], FILES).suffices
    assert str(evidence([PAGE], [], FILES).example) == "README.md:5-7"
    assert not evidence([PAGE], ["learning rate", "epochs"], FILES).suffices
    assert not evidence([PAGE], [], FILES).suffices, "of a task without settings nobody can tell"
    assert not evidence([PAGE], ["learning rate"], ["other.py"]).suffices, "the example is of no program in here"
    assert not evidence([Document("newt.py", PAGE.text)], ["learning rate"], FILES).suffices, "code is no example"


@pytest.mark.parametrize("code", ["from lib import x", "import lib.core", "$ python -m lib.tool"])
def test_code_that_imports_the_repository_is_an_example(code: str) -> None:
    page = Document("README.md", f"```\n{code}\n```\n", (11, 13))
    assert str(evidence([page], [], FILES).example) == "README.md:11-13"


def test_names_are_options_keywords_and_what_is_marked() -> None:
    text = "`a_b` --c-d -e f=1 g == 2 p.add_argument('where') well-known"
    assert names_in([Document("x.py", text)]) == ["a_b", "c-d", "e", "f", "where"]


def test_sources_are_the_lines_with_the_answers_words() -> None:
    code = Document("newt.py", "\n".join(["pass"] * 20 + ["p.add_argument('--depth')"]), (101, 121))
    found = sources([PAGE, code], "python newt.py --lr 0.1 --depth 3 --wide")
    assert [str(place) for place in found] == ["README.md:6-6"]
    found = sources([PAGE, code], "python newt.py --lr 1 --depth 3  # p.add_argument")
    assert [str(place) for place in found] == ["README.md:6-6", "newt.py:121-121"]
    assert sources([], "python x.py") == ()
    assert sources([PAGE], "") == ()
