"""Finds test rows that a training row repeats with other numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mlbench.records import Sample
from mlbench.suites.wording.numbers import numbers_in


def skeleton(instruction: str) -> str:
    """An instruction with a mark for each of its numbers, in lower case."""
    parts, end = [], 0
    for each in numbers_in(instruction):
        parts += [instruction[end : each.start], "#"]
        end = each.end
    return re.sub(r"\s*(?:%|per ?cent)", "", "".join([*parts, instruction[end:]]).lower())


def leaks(test: Sequence[Sample], train: Sequence[Sample]) -> Iterator[tuple[Sample, Sample]]:
    """Test rows with a training row of their repository whose instruction differs by its numbers alone.

    Args:
        test: rows of the test set.
        train: rows of the training splits.
    """
    seen = {(row.github_id, skeleton(row.instruction)): row for row in reversed(train)}
    for row in test:
        if (other := seen.get((row.github_id, skeleton(row.instruction)))) is not None:
            yield row, other
