"""The scores of BM25Okapi, to the last bit, on windows of units."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mlbench.prompts import bm25

WORDS = [f"w{number}" for number in range(40)]


def plain(documents: list[list[str]], query: list[str]) -> list[float]:
    """BM25Okapi as `rank_bm25` has it: k1 1.5, b 0.75, negative idf floored at a quarter of the mean."""
    containing: dict[str, int] = {}
    for document in documents:
        for word in dict.fromkeys(document):
            containing[word] = containing.get(word, 0) + 1
    count, average = len(documents), sum(map(len, documents)) / len(documents)
    idf = {word: math.log(count - n + 0.5) - math.log(n + 0.5) for word, n in containing.items()}
    floor = 0.25 * (sum(idf.values()) / len(idf))
    idf = {word: floor if value < 0 else value for word, value in idf.items()}
    scores = []
    for document in documents:
        frequency, score = Counter(document), 0.0
        for word in query:
            found = frequency[word]
            score += idf.get(word, 0) * (found * 2.5 / (found + 1.5 * (1 - 0.75 + 0.75 * len(document) / average)))
        scores.append(score)
    return scores


def drawn(seed: int, count: int) -> list[list[str]]:
    """Units in which some words are nearly everywhere, so that their idf is negative."""
    rng = random.Random(seed)
    return [["the", *rng.choices(WORDS, [2.0**-i for i in range(40)], k=rng.randint(1, 12))] for _ in range(count)]


def windows(units: list[list[str]], ends: list[int], width: int) -> list[list[str]]:
    spans = [units[first : min(first + width, ends[first])] for first in range(len(units))]
    return [[word for unit in span for word in unit] for span in spans]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("ends", "width"), [([60] * 60, 10), ([25] * 25 + [27] * 2 + [60] * 33, 10), ([60] * 60, 1)])
def test_scores_are_those_of_okapi_to_the_last_bit(seed: int, ends: list[int], width: int) -> None:
    units = drawn(seed, 60)
    query = ["the", "w0", "w3", "w3", "w17", "never-seen", "w39"]
    scores = bm25.build(units, ends, width).scores(query)
    assert scores.tolist() == plain(windows(units, ends, width), query)


def test_scores_are_those_of_the_library() -> None:
    library = pytest.importorskip("rank_bm25")
    units = drawn(7, 80)
    query = ["the", "w1", "w1", "w5", "w20"]
    theirs = library.BM25Okapi(windows(units, [80] * 80, 10)).get_scores(query)
    assert bm25.build(units, [80] * 80, 10).scores(query).tolist() == theirs.tolist()


def test_the_first_of_equals_is_the_best_and_spans_do_not_overlap() -> None:
    units = [["b"], ["a"], ["b"], ["a"], ["c"], ["d"], ["e"], ["a"]]
    index = bm25.build(units, [8] * 8, 1)
    assert index.best(["a"]) == [1]
    assert index.best(["a"], 3) == [1, 3, 7]
    first, second = bm25.build(units, [8] * 8, 3).best(["c", "a"], 2)
    assert abs(first - second) >= 3


def test_saved_and_mapped_it_is_the_same(tmp_path: Path) -> None:
    index = bm25.build(drawn(1, 30), [30] * 30, 10)
    index.save(tmp_path)
    mapped = bm25.load(tmp_path)
    assert isinstance(mapped.units, np.memmap)
    assert mapped.scores(["the", "w2"]).tolist() == index.scores(["the", "w2"]).tolist()


@pytest.mark.parametrize("units", [[], [[]], [[], []]])
def test_nothing_to_search_is_no_error(units: list[list[str]], tmp_path: Path) -> None:
    bm25.build(units, [len(units)] * len(units), 10).save(tmp_path)
    assert not bm25.load(tmp_path).scores(["a"]).any()
    assert len(bm25.load(tmp_path).best(["a"])) == min(len(units), 1)
