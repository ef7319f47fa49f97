"""What the tree search tries next, and what it reads from a run. Pure."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mlbench.evals.mlagentbench.tree_search import TreeSearchOptions, tree_search_options
from mlbench.evals.mlagentbench.tree_search.script_output import how_it_ended, printed_score, quoted_score
from mlbench.evals.mlagentbench.tree_search.tree import Node, NodeKind, SearchTree
from mlbench.records import UsageError

FOUND = tuple[NodeKind, int | None]


def tree(*scores: float | None, higher: bool = True, **last: Any) -> SearchTree:
    """A starter and drafts with these scores; None failed."""
    made = SearchTree(higher)
    for number, score in enumerate(scores):
        kind = NodeKind.DRAFT if number else NodeKind.STARTER
        fault = "" if score is not None or not number else "exit code 1"
        more = last if number == len(scores) - 1 else {}
        made.nodes.append(Node(number, kind, None, "", "", "", score, fault, **more))
    return made


def moves(made: SearchTree, count: int = 40, **options: Any) -> set[FOUND]:
    chance = random.Random(7)
    found = [made.next_move(TreeSearchOptions(**options), chance) for _ in range(count)]
    return {(kind, node.number if node else None) for kind, node in found}


def test_drafts_come_first() -> None:
    assert moves(tree(0.5, 0.6, None), drafts=3) == {(NodeKind.DRAFT, None)}


def test_then_the_best_is_improved_or_a_failing_one_mended() -> None:
    made = tree(0.5, 0.6, None, 0.9, 0.9)
    assert moves(made, drafts=4) == {(NodeKind.IMPROVE, 3), (NodeKind.DEBUG, 2)}
    assert moves(made, drafts=4, debug_share=0) == {(NodeKind.IMPROVE, 3)}
    assert moves(made, drafts=4, debug_share=1) == {(NodeKind.DEBUG, 2)}


def test_what_was_mended_already_or_too_often_is_left() -> None:
    assert moves(tree(0.5, None, mended=3), drafts=1) == {(NodeKind.IMPROVE, 0)}
    assert (NodeKind.DEBUG, 1) in moves(tree(0.5, None, mended=2), drafts=1)
    mended = tree(0.5, None)
    mended.nodes.append(Node(2, NodeKind.DEBUG, 1, "", "", "", 0.4, ""))
    assert moves(mended, drafts=1) == {(NodeKind.IMPROVE, 0)}


def test_without_a_working_script_there_is_another_draft() -> None:
    assert moves(tree(None, None, mended=3), drafts=1) == {(NodeKind.DRAFT, None)}
    assert tree(None, None).to_hand_in().number == 0


def test_the_best_is_by_the_direction_of_the_metric_and_the_earliest() -> None:
    for higher, best in ((True, 2), (False, 1)):
        found = tree(5.0, 1.0, 9.0, 9.0, 1.0, higher=higher).best()
        assert found and found.number == best


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("exit code 0 after 1.5 s", ("", 1.5)),
        ("exit code 1 after 0.2 s", ("exit code 1: ValueError: no", 0.2)),
        ("ended after 600 s, the limit of a script", ("ended after 600 s, the limit of a script", 0.0)),
        ("there is no file train.py", ("there is no file train.py", 0.0)),
    ],
)
def test_how_a_run_ended(first: str, found: tuple[str, float]) -> None:
    assert how_it_ended(f"{first}\nstderr:\nTraceback\nValueError: no\n") == found


@pytest.mark.parametrize(
    ("output", "score"),
    [
        ("validation score: 0.61", 0.61),
        ("epoch 1\nValidation score: 1e-3\nvalidation score: 2.5e+2\n", 250.0),
        ("**validation score** = -3", -3.0),
        ("validation score: nan", None),
        ("validation score: 1e999", None),
        ("my validation score: 3", None),
        ("validation score: 0.5 of 1", None),
        ("", None),
    ],
)
def test_the_score_is_the_last_line_of_its_form(output: str, score: float | None) -> None:
    assert printed_score(output) == score


def test_a_number_that_was_read_has_to_stand_there() -> None:
    output = "epoch 3\nvalidation: mean absolute error 69700.50"
    assert quoted_score("It is 69700.5.", output) == 69700.5
    assert quoted_score("69701", output) is None
    assert quoted_score("none", output) is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"drafts": 0}, "tree_search: drafts=0: at least 1 is needed"),
        ({"debug_share": 1.5}, "debug_share=1.5: at most 1 is possible"),
        ({"debug_share": "often"}, "debug_share='often': expected a number"),
        ({"seed": 0.5}, "seed=0.5: expected a number"),
        ({"depth": 1}, "no option 'depth'; there are: drafts, debug_share"),
    ],
)
def test_options_that_cannot_be(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        tree_search_options(given)
    assert words in str(raised.value)
