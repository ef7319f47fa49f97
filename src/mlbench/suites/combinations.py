"""The order of a recipe's combinations: all pairs of values first, then random ones.

The selection is greedy and seeded (all-pairs testing). It completes a few candidates value by value and keeps the one
that covers the most new pairs. The order is the same on every machine. If only few of many combinations are needed, the
product is not enumerated.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence

Words = tuple[str, ...]
Combination = dict[str, Words]
Pair = tuple[tuple[int, int], tuple[int, int]]

TRIES = 8
"""Candidates per row. Eight give a few more rows than the smallest covering array, in a tenth of the time."""
DRAWN = 20
"""Random draws per wanted row. If the rules exclude nearly all combinations, fewer rows than wanted may be found."""


def deck(
    values: Mapping[str, Sequence[Words]], exclude: Sequence[Mapping[str, Words]], seed: str, most: int | None = None
) -> list[Combination]:
    """Distinct combinations that no rule excludes, in order.

    Args:
        values: the possible values of each argument.
        exclude: rules; a combination with all values of a rule is left out.
        seed: the order depends on it.
        most: the largest number of combinations; None for all.
    """
    names = list(values)
    sizes = [len(values[name]) for name in names]
    rules = [_rule(rule, names, values) for rule in exclude]
    rng = random.Random(seed)
    total = math.prod(sizes)
    wanted = total if most is None else min(most, total)
    rows = _covering([rule for rule in rules if rule is not None], sizes, rng, wanted)
    seen = set(rows)
    for row in _others(sizes, rng, wanted):
        if len(rows) >= wanted:
            break
        if row not in seen and not _excluded(row, rules):
            seen.add(row)
            rows.append(row)
    return [{name: values[name][at] for name, at in zip(names, row, strict=True)} for row in rows]


Row = tuple[int, ...]
Rule = dict[int, int]


def _rule(rule: Mapping[str, Words], names: Sequence[str], values: Mapping[str, Sequence[Words]]) -> Rule | None:
    """A rule by positions; None if it names a value that does not occur."""
    if any(words not in values[name] for name, words in rule.items()):
        return None
    return {names.index(name): list(values[name]).index(words) for name, words in rule.items()}


def _excluded(row: Sequence[int], rules: Sequence[Rule | None]) -> bool:
    """Whether any rule applies to a row; -1 is a value that is not chosen yet."""
    return any(rule is not None and all(row[at] == value for at, value in rule.items()) for rule in rules)


def _covering(rules: Sequence[Rule], sizes: Sequence[int], rng: random.Random, wanted: int) -> list[Row]:
    """Rows that cover every allowed pair of values, until there are `wanted` rows."""
    open_: set[Pair] = {
        ((i, a), (j, b))
        for i, j in itertools.combinations(range(len(sizes)), 2)
        for a in range(sizes[i])
        for b in range(sizes[j])
    }
    rows: list[Row] = []
    while open_ and len(rows) < wanted:
        in_order = sorted(open_)
        seeds = [in_order[rng.randrange(len(in_order))] for _ in range(TRIES)]
        tried = [row for pair in seeds if (row := _completed(pair, open_, sizes, rules, rng)) is not None]
        if not tried:
            open_ -= set(seeds)  # rules exclude these pairs with every choice of the other values
            continue
        best = max(tried, key=lambda row: len(open_ & _pairs(row)))  # max keeps the first of equals
        rows.append(best)
        open_ -= _pairs(best)
    return rows


def _completed(
    pair: Pair, open_: set[Pair], sizes: Sequence[int], rules: Sequence[Rule], rng: random.Random
) -> Row | None:
    """A row with this pair, completed with the values that cover most; None if rules forbid it."""
    row = [-1] * len(sizes)
    for at, value in pair:
        row[at] = value
    if _excluded(row, rules):
        return None
    rest = [at for at in range(len(sizes)) if row[at] < 0]
    rng.shuffle(rest)
    for at in rest:
        choices = list(range(sizes[at]))
        rng.shuffle(choices)
        allowed = [value for value in choices if not _excluded([*row[:at], value, *row[at + 1 :]], rules)]
        if not allowed:
            return None
        row[at] = max(allowed, key=lambda value: _gain(at, value, row, open_))
    return tuple(row)


def _gain(at: int, value: int, row: Sequence[int], open_: set[Pair]) -> int:
    """How many uncovered pairs this value would cover, together with the values chosen so far."""
    return sum(
        (((other, chosen), (at, value)) if other < at else ((at, value), (other, chosen))) in open_
        for other, chosen in enumerate(row)
        if chosen >= 0 and other != at
    )


def _pairs(row: Row) -> set[Pair]:
    return set(itertools.combinations(enumerate(row), 2))


def _others(sizes: Sequence[int], rng: random.Random, wanted: int) -> Iterator[Row]:
    """Combinations in random order: all, or draws with repeats if few are wanted."""
    total = math.prod(sizes)
    if wanted < total // DRAWN:
        for _ in range(DRAWN * wanted):
            yield tuple(rng.randrange(size) for size in sizes)
        return
    every = list(itertools.product(*(range(size) for size in sizes)))
    rng.shuffle(every)
    yield from every
