"""Equality of typed values, and which values carry what is wanted."""

from __future__ import annotations

from typing import Any

import pytest

from mlbench.judging.values import MatchStrength, carries, counted_from_other_end, flattened, same

EQUAL: list[tuple[Any, Any]] = [
    (1e-4, 0.0001),
    ("1e-4", ".0001"),
    (5, 5.0),
    ("data/cora/", "./data/cora"),
    ("/workspace/data/x", "data/x"),
    ([64, 32], [64.0, 32]),
    ("-1,-2", "-1, -2"),
    (True, "true"),
    ("False", "no"),
    ({"a": 1}, {"a": 1.0}),
    ({"!": "path", "value": "out/a"}, "out//a"),
    ({"!": "float", "value": "inf"}, {"!": "float", "value": "inf"}),
    (None, None),
]
UNEQUAL: list[tuple[Any, Any]] = [
    ("Citeseer", "citeseer"),
    (0.1, 0.15),
    (1, True),
    (0, False),
    (3, "3"),
    ([1, 2], [2, 1]),
    ([1], 1),
    ("data/a", "data/b"),
    ("cora", None),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"!": "object", "value": "a.B"}, {"!": "object", "value": "a.C"}),
    ("nan", "0"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_by_meaning(one: Any, other: Any) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_unequal(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)


def test_relative_paths_start_from_their_folders() -> None:
    assert same("../data/x", "data/x", "examples", ".")
    assert not same("data/x", "other/x", "examples", ".")


@pytest.mark.parametrize(
    ("wanted", "value", "options", "how"),
    [
        ("1e-4", 0.0001, (), MatchStrength.EXACTLY),
        ("--mirror", True, ("--mirror",), MatchStrength.SWITCH),
        ("64 32", [64, 32], (), MatchStrength.EXACTLY),
        ("[64, 32]", [64, 32], (), MatchStrength.EXACTLY),
        ("jsonl", "work/features.jsonl", (), MatchStrength.INSIDE),
        ("cora", ["cora", "dblp"], (), MatchStrength.INSIDE),
        ("0.1", 0.15, (), MatchStrength.NO),
        ("1", True, (), MatchStrength.NO),
        ("cora", "coral", (), MatchStrength.NO),
        ("5", "15", (), MatchStrength.NO),
    ],
)
def test_carries(wanted: str, value: Any, options: tuple[str, ...], how: MatchStrength) -> None:
    assert carries(wanted, value, options) is how


def test_overrides_in_words_are_settings() -> None:
    configuration = {"overrides": ["net.depth=3", "net.depth=4", "lr=1e-3"], "hparams": "a=1,b=2", "net": {"w": 8}}
    assert flattened(configuration) == {
        "overrides.net.depth": "4",
        "overrides.lr": "1e-3",
        "hparams.a": "1",
        "hparams.b": "2",
        "net.w": 8,
    }
    assert flattened({"words": ["a=1", "plain"], "text": "a note"}) == {"words": ["a=1", "plain"], "text": "a note"}


@pytest.mark.parametrize(
    ("expected", "found", "wanted"),
    [
        (-1, 2, True),
        (2, -1, True),
        ("-1,0", "2,0", True),
        ([-1, -2], [2, 1], True),
        ([-1, -2], [2, 2], False),  # of no one length
        (-1, -2, False),
        (-1, -1, False),  # the same already
        (1, 2, False),
        (-1, 2.0, False),
        (-0.5, 2, False),
        (-1, True, False),
        (-1, "2", False),
        ("-1,a", "2,b", False),
        ("-1", None, False),
        ([-1], [2, 3], False),
    ],
)
def test_an_index_may_be_counted_from_the_other_end(expected: object, found: object, wanted: bool) -> None:
    assert counted_from_other_end(expected, found) is wanted
