"""Edits of a recipe's text: what is wanted changes, every other character stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.review import editing
from mlbench.suite_builder.review.checking import parsed
from mlbench.suites.recipes import Recipe, RecipeError
from mlbench.suites.suite import BUNDLED
from tests.suite_builder.reviewing import BLOCK, FLOW

WHY = 'no: it\'s # "odd" {{ x }}, [or] not\x1b[31m\n'
SAID = 'no: it\'s # "odd" {{ x }}, [or] not [31m'


def read(text: str) -> Recipe:
    return parsed("pulsar", "train", text)


def added(old: str, new: str) -> str:
    """What was put into a text, where nothing else was touched."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    end = len(new) - (len(old) - start)
    assert new[:start] + new[end:] == old
    return new[start:end]


@pytest.mark.parametrize("text", [BLOCK, FLOW, BLOCK.replace("\n", "\r\n")])
def test_a_decision_is_one_line_and_goes_as_it_came(text: str) -> None:
    yes = editing.accepted(text)
    assert added(text, yes).strip() == "reviewed: accepted" and read(yes).reviewed == "accepted"
    no = editing.rejected(yes, WHY)
    assert read(no).rejected == SAID and read(no).reviewed == ""
    assert read(editing.rejected(no, "another reason")).rejected == "another reason"
    assert editing.accepted(no) == yes


@pytest.mark.parametrize("text", [BLOCK, FLOW])
def test_an_excluded_row_goes_as_it_came(text: str) -> None:
    row = {"rate": ("5e-3",), "mode": ("slow",)}
    without = editing.with_exclusion(text, row, "sounds odd: # yes")
    recipe = read(without)
    assert recipe.exclude[-1] == row and row not in list(recipe.combinations())
    assert len(recipe.exclude) == len(read(text).exclude) + 1
    added(text, without)
    assert editing.without_exclusion(without, len(recipe.exclude) - 1) == text


def test_the_reason_of_an_excluded_row_stands_beside_it() -> None:
    one = editing.with_exclusion(BLOCK, {"rate": ("5e-3",), "mode": ("slow",)}, "sounds odd: # yes\n- {rate: 1}")
    two = editing.with_exclusion(one, {"rate": ("0.10",), "mode": ("slow",)}, "")
    assert "\nexclude:\n  - {rate: 5e-3, mode: slow}  # sounds odd: # yes - {rate: 1}\n  - {rate: 0.10" in two
    assert editing.reasons(two) == {0: "sounds odd: # yes - {rate: 1}"}
    assert read(editing.without_exclusion(two, 0)).exclude == ({"rate": ("0.10",), "mode": ("slow",)},)


@pytest.mark.parametrize("rules", ["exclude: []\n", "exclude: []  # none yet\n"])
def test_an_empty_list_of_rules_takes_one(rules: str) -> None:
    row = {"rate": ("5e-3",), "mode": ("slow",)}
    text = BLOCK.replace("# what is said\n", f"{rules}# what is said\n")
    assert read(editing.with_exclusion(text, row, "odd")).exclude == (row,)


def test_the_first_rule_of_several_on_one_line_is_taken_out() -> None:
    text = FLOW.replace("exclude: [", "exclude: [{rate: 5e-3, mode: slow}, ")
    assert editing.without_exclusion(text, 0) == FLOW


def test_words_of_a_list_and_an_absent_switch_are_excluded() -> None:
    text = BLOCK.replace("[0.10, 5e-3] ", '{"1 and 2": [1, 2], none: ""} ')
    for words in (("1", "2"), ()):
        row = {"rate": words, "mode": ("slow",)}
        assert read(editing.with_exclusion(text, row, "")).exclude == (row,)


def test_a_last_line_without_its_end_stays_apart() -> None:
    head, arguments = BLOCK.split("arguments:")
    rest = arguments[arguments.index("# what") :]
    text = head + rest + "arguments: {rate: [1, 2], mode: [slow, fast]}"
    row = {"rate": ("1",), "mode": ("slow",)}
    assert read(editing.with_exclusion(text, row, "")).exclude == (row,)


@pytest.mark.parametrize("text", ["{type: Bash Script, path: .}", "type: a\ntype: b\nrejected: x\nrejected: y\n"])
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(RecipeError, match="edit it by hand"):
        editing.accepted(text)


def test_what_is_no_recipe_is_refused() -> None:
    for text in ("a: [", "- a\n", ""):
        with pytest.raises(RecipeError, match="not YAML|not a mapping"):
            editing.accepted(text)


@pytest.mark.parametrize("file", sorted((BUNDLED / "pocket" / "recipes").glob("*/*.yaml"))[::9], ids=lambda f: f.stem)
def test_real_recipes_round_trip(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    recipe = read(text)
    row = next(recipe.combinations())
    edited = editing.with_exclusion(editing.rejected(text, WHY), row, "why")
    changed = read(edited)
    assert (changed.rejected, changed.exclude[-1]) == (SAID, row)
    assert changed.model_copy(update={"rejected": "", "exclude": recipe.exclude}) == recipe
    back = editing.without_exclusion(editing.accepted(edited), len(changed.exclude) - 1)
    assert back.replace("reviewed: accepted\n", "", 1) == text
