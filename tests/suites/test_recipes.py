"""Recipes: what a user says and what the program wants, quoted for the language of the answer."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from mlbench.repositories.oracle_spans import OracleSpan
from mlbench.suite_builder.oracle.write import write_oracle
from mlbench.suites.recipes import OracleSegment, Recipe, RecipeError, load_recipe, segment_hash, verified_oracle

SHELL = """
type: Bash Script
path: ./examples
segment: {file: README.md, lines: [2, 3], sha256: "SHA"}
program: train.py
arguments:
  dataset: {Citeseer: citeseer, CiteSeer: citeseer, Cora: cora}
  rate: [5e-3, 0.10]
  hidden: {8 and 16: [8, 16], "32": ["32"]}
  caption: {a red cat: a red cat, it's: it's}
  norm: {with normalisation: --norm, "": ""}
exclude:
  - {dataset: cora, rate: 5e-3}
instructions:
  - "Train on {{ dataset }} at {{ rate }}, layers {{ hidden }}, caption {{ caption }} {{ norm }}."
  - "B {{ dataset }} {{ rate }} {{ hidden }} {{ caption }} {{ norm }}"
  - "C {{ dataset }} {{ rate }} {{ hidden }} {{ caption }} {{ norm }}"
  - "D {{ dataset }} {{ rate }} {{ hidden }} {{ caption }} {{ norm }}"
  - "E {{ dataset }} {{ rate }} {{ hidden }} {{ caption }} {{ norm }}"
reference: |
  python train.py --data {{ dataset }} --lr={{ rate }} \\
    --hidden {{ hidden }} --text {{ caption }} {{ norm }}
"""
README = "# Title\nline two\nline three\nend\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    file = tmp_path / "recipes" / "lichen" / "train.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(SHELL.replace("SHA", segment_hash("line two\nline three\n")))
    return load_recipe(file)


def combination(recipe: Recipe, **wanted: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return next(c for c in recipe.combinations() if all(c[name] == words for name, words in wanted.items()))


def test_values_keep_their_spelling(recipe: Recipe) -> None:
    assert list(recipe.said["rate"]) == [("5e-3",), ("0.10",)]


def test_two_ways_of_saying_one_value_are_one_combination(recipe: Recipe) -> None:
    assert recipe.said["dataset"][("citeseer",)] == ["Citeseer", "CiteSeer"]
    assert len(list(recipe.combinations())) == 2 * 2 * 2 * 2 * 2 - 8  # cora with 5e-3 is excluded


def test_shell_reference_quotes_words_and_leaves_absent_switches_out(recipe: Recipe) -> None:
    chosen = combination(recipe, hidden=("8", "16"), caption=("it's",), norm=())
    text = recipe.render_reference(chosen)
    words = shlex.split(text)
    assert words[words.index("--hidden") + 1 :] == ["8", "16", "--text", "it's"]
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_python_reference_writes_literals_as_they_are_and_the_rest_as_strings(recipe: Recipe) -> None:
    python = recipe.model_copy(
        update={"type": "Python Code", "reference": "f({{ dataset }}, {{ rate }}, {{ hidden }})"}
    )
    call = ast.parse(python.render_reference(combination(recipe, hidden=("8", "16"), rate=("0.10",)))).body[0]
    assert ast.unparse(call) == "f('citeseer', 0.1, [8, 16])"


def test_instruction_closes_the_gap_of_an_empty_value(recipe: Recipe) -> None:
    said = {"dataset": "Cora", "rate": "0.10", "hidden": "32", "caption": "a red cat", "norm": ""}
    assert recipe.render_instruction(recipe.instructions[0], said).endswith("caption a red cat.")


def test_arguments_column_holds_what_stands_in_the_reference(recipe: Recipe) -> None:
    chosen = combination(recipe, hidden=("8", "16"), norm=())
    assert recipe.column(chosen)["hidden"] == "8 16"
    assert "norm" not in recipe.column(chosen)


def test_undefined_name_in_a_template_is_an_error(recipe: Recipe) -> None:
    broken = recipe.model_copy(update={"reference": "python x.py {{ nosuch }}"})
    with pytest.raises(Exception, match="nosuch"):
        broken.render_reference(next(recipe.combinations()))


def test_segment_is_verified_by_its_hash(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(README)
    assert verified_oracle(recipe, tmp_path).spans == (OracleSpan("README.md", (2, 3), "line two\nline three\n"),)
    (tmp_path / "README.md").write_text(README.replace("three", "3"))
    with pytest.raises(RecipeError, match=r"lichen/train.yaml: README.md, lines 2-3, no longer match"):
        verified_oracle(recipe, tmp_path)
    (tmp_path / "README.md").write_text("short\n")
    with pytest.raises(RecipeError, match="has 1 lines, the segment needs 2 to 3"):
        verified_oracle(recipe, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("type: Bash Script", "type: Perl", "type: 'Perl' is neither"),
        ("path: ./examples", "path: examples", "does not start with ./"),
        ("  - {dataset: cora, rate: 5e-3}", "  - {nosuch: cora}", "no argument is called 'nosuch'"),
        ("program: train.py", "programme: train.py", "program: Field required"),
        ("reference: |", "reference: [", "not YAML: while parsing a flow sequence in line "),
    ],
)
def test_malformed_recipe_says_where(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    file = tmp_path / "lichen" / "bad.yaml"
    file.parent.mkdir()
    file.write_text(SHELL.replace(old, new))
    with pytest.raises(RecipeError, match="recipe lichen/bad.yaml") as error:
        load_recipe(file)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    "segment",
    [
        "segment: {file: README.md, lines: [2, 3]}",
        'segment: {file: README.md, lines: [2, 3], sha256: "old"}',
        "segment:\n  file: README.md\n  lines: [2, 3]",
        "segment:\n  file: README.md\n  lines: [2, 3]\n  sha256: old",
        "segment:\n  file: README.md\n  lines: [2, 3]\n  sha256:",
    ],
)
def test_the_lock_is_written_whichever_way_the_segment_is(segment: str, tmp_path: Path) -> None:
    """`--lock` said that it had locked a segment written on one line, and had not."""
    text = re.sub(r"(?m)^segment: .*$", lambda _: segment, SHELL)
    (file := tmp_path / "train.yaml").write_text(text)
    span = OracleSegment(file="README.md", lines=(2, 3), sha256="f00d")
    write_oracle(file, [span], None, [])
    locked = yaml.safe_load(file.read_text())
    assert locked["segment"] == [{"file": "README.md", "lines": [2, 3], "sha256": "f00d"}]
    assert {**locked, "segment": 0} == {**yaml.safe_load(text), "segment": 0}


def test_only_the_gap_of_an_empty_value_is_closed(recipe: Recipe) -> None:
    """Every blank before a full stop was taken away: `the data in ./glue` became `the data in./glue`, in 1,937 rows."""
    template = "Take {{ data }} and ./glue {{ norm }}, then {{ prompt }} {{ norm }}."
    said = {"data": "../x", "norm": "", "prompt": "cat . dog"}
    assert recipe.render_instruction(template, said) == "Take ../x and ./glue, then cat . dog."


def test_what_belongs_together_follows_the_arguments(recipe: Recipe) -> None:
    """Of these arguments, only the combinations of a line are rows; the reference takes the line's other values."""
    lines = (
        {"dataset": ("cora",), "rate": ("0.10",), "weights": ("cora best.pt",)},
        {"dataset": ("citeseer",), "rate": ("5e-3",), "weights": ("citeseer.pt",)},
    )
    reference = recipe.reference.rstrip() + " --weights {{ weights }}\n"
    fields = {**recipe.model_dump(), "exclude": (), "together": lines, "reference": reference}
    together = Recipe.model_validate(fields)
    rows = list(together.combinations())
    assert {(row["dataset"], row["rate"]) for row in rows} == {(("cora",), ("0.10",)), (("citeseer",), ("5e-3",))}
    assert all("weights" not in row for row in rows) and together.followers == {
        "weights": [("cora best.pt",), ("citeseer.pt",)]
    }
    wanted = next(row for row in rows if row["dataset"] == ("cora",))
    shown = together.render_reference(wanted)
    assert shown.endswith("--weights 'cora best.pt'")
    said = {name: together.said[name][words][0] for name, words in wanted.items()}
    assert together.render_instruction("Use {{ weights }}.", said) == "Use cora best.pt."
    assert {tuple(rule.items()) for rule in together.rules} == {
        (("dataset", ("cora",)), ("rate", ("5e-3",))),
        (("dataset", ("citeseer",)), ("rate", ("0.10",))),
    }


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([{"dataset": "cora", "w": "a"}, {"dataset": "citeseer"}], "do not have the same names"),
        ([{"w": "a"}], "a line has no argument"),
        ([{"dataset": "cora", "w": "a"}, {"dataset": "cora", "w": "b"}], "two lines have the same arguments"),
        ([{"dataset": "pubmed", "w": "a"}], "pubmed is no value of dataset"),
    ],
)
def test_lines_that_do_not_belong_together_are_refused(
    recipe: Recipe, lines: list[dict[str, str]], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Recipe.model_validate({**recipe.model_dump(), "together": lines})
