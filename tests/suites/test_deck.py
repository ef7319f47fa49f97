"""The order of a recipe's combinations: all pairs first, each combination once, the same for the same seed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from mlbench.records import SHELL_TYPE, UsageError
from mlbench.suites.combinations import Combination, deck
from mlbench.suites.suite import load_suite
from tests.suites.rendered_rows import build_rows

Values = dict[str, list[tuple[str, ...]]]
SIZES = {"full": 30, "quarter": 5, "id_train": 40, "ood_train": 10}


def values(*sizes: int) -> Values:
    return {f"a{at}": [(f"{at}.{value}",) for value in range(size)] for at, size in enumerate(sizes)}


def pairs(rows: Sequence[Combination]) -> set[object]:
    return {pair for row in rows for pair in itertools.combinations(sorted(row.items()), 2)}


def frozen(row: Mapping[str, tuple[str, ...]]) -> tuple[object, ...]:
    return tuple(sorted(row.items()))


@pytest.mark.parametrize(("sizes", "bound"), [((4, 4, 4, 4, 4), 32), ((2, 3, 5, 2), 20), ((10, 10, 10, 10, 10), 190)])
def test_all_pairs_come_before_random_ones(sizes: tuple[int, ...], bound: int) -> None:
    given = values(*sizes)
    first = deck(given, (), "seed", bound)
    every = {
        pair
        for one, other in itertools.combinations(sorted(given), 2)
        for pair in itertools.product([(one, v) for v in given[one]], [(other, v) for v in given[other]])
    }
    assert pairs(first) == every
    assert len({frozen(row) for row in first}) == len(first)


def test_the_whole_deck_has_every_combination_once_but_those_excluded() -> None:
    given = values(3, 4, 2)
    rule = {"a0": ("0.1",), "a1": ("1.2",)}
    found = deck(given, [rule, {"a2": ("no such value",)}], "seed")
    assert len(found) == len({frozen(row) for row in found}) == 3 * 4 * 2 - 2
    assert not any(all(row[name] == words for name, words in rule.items()) for row in found)


def test_rules_that_leave_little_or_nothing() -> None:
    given = values(2, 2)
    assert len(deck(given, [{"a0": ("0.0",)}], "seed")) == 2
    assert deck(given, [{"a0": ("0.0",)}, {"a0": ("0.1",)}], "seed") == []
    assert deck(values(1, 1), (), "seed") == [{"a0": ("0.0",), "a1": ("1.0",)}]
    assert len(deck(values(5), (), "seed", 3)) == 3


def test_the_seed_decides_and_nothing_else() -> None:
    given = values(4, 4, 4, 4)
    assert deck(given, (), "one", 40) == deck(given, (), "one", 40)
    assert deck(given, (), "one", 40) != deck(given, (), "another", 40)


def test_a_few_of_very_many_are_drawn_without_writing_them_out() -> None:
    found = deck(values(*[10] * 20), (), "seed", 300)  # 10 ** 20 combinations
    assert len(found) == len({frozen(row) for row in found}) == 300


def test_rows_of_a_suite_in_pairwise_order() -> None:
    """`order: pairwise` covers more pairs with a task's first rows; splits still share no combination."""
    suite = load_suite("pocket")
    tasks = [replace(task, role="id") for task in suite.tasks() if task.recipe.repository == "quillpress"][:3]
    sizes = {"full": 45, "quarter": 5, "id_train": 45, "ood_train": 0}
    by_order = {order: build_rows(tasks, 7, sizes, 0.0, order) for order in ("random", "pairwise")}
    covered = {}
    for order, splits in by_order.items():
        assert [len(splits[name]) for name in ("full", "id_train")] == [45, 45]
        outputs = [{row.output for row in splits[name]} for name in ("full", "id_train")]
        assert not outputs[0] & outputs[1]
        covered[order] = sum(
            len(pairs([{k: (v,) for k, v in row.required().items()}]))
            and len(
                pairs(
                    [
                        {k: (v,) for k, v in other.required().items()}
                        for other in splits["full"]
                        if other.oracle == row.oracle
                    ]
                )
            )
            for row in splits["full"]
        )
    assert covered["pairwise"] > covered["random"]
    assert by_order["pairwise"] == build_rows(tasks, 7, sizes, 0.0, "pairwise")


def test_a_built_suite_outlives_a_rejection() -> None:
    """After one rejected task in the review, every command said "25 wanted, 9 to be had"."""
    tasks = [task for task in load_suite("pocket").tasks() if task.recipe.type == SHELL_TYPE and task.role == "id"][:2]
    sizes = {"full": 3, "quarter": 2, "id_train": 10**6, "ood_train": 0}
    rows = build_rows(tasks, 7, sizes, 0.0, "pairwise", sizes_are_limits=True)
    assert len(rows["full"]) == 3
    assert 0 < len(rows["id_train"]) < 10**6


def test_whether_a_split_may_be_smaller_has_a_field_of_its_own() -> None:
    """The order of the rows decided it; nobody who wrote a suite.yaml could know."""
    tasks = [task for task in load_suite("pocket").tasks() if task.recipe.type == SHELL_TYPE and task.role == "id"][:2]
    sizes = {"full": 3, "quarter": 2, "id_train": 10**6, "ood_train": 0}
    assert len(build_rows(tasks, 7, sizes, 0.0, "random", sizes_are_limits=True)["id_train"]) > 0
    with pytest.raises(UsageError, match="too few combinations .* write `sizes_are_limits: true` there"):
        build_rows(tasks, 7, sizes, 0.0, "pairwise")
