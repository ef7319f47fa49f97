"""Share a number of rows out over tasks and repositories, and draw a part that keeps their shares."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlbench.suites.rows import SuiteRow


def share_out(total: int, capacity: Mapping[str, int]) -> dict[str, int]:
    """Share `total` out as evenly as the capacities allow; the remainder goes by name order.

    Raises:
        ValueError: the capacities are too small.
    """
    if total > sum(capacity.values()):
        raise ValueError(f"{total} wanted, {sum(capacity.values())} to be had")
    shares = dict.fromkeys(capacity, 0)
    while (remaining := total - sum(shares.values())) > 0:
        open_ = [name for name in sorted(capacity) if shares[name] < capacity[name]]
        share, extra = divmod(remaining, len(open_))
        for position, name in enumerate(open_):
            shares[name] += min(share + (position < extra), capacity[name] - shares[name])
    return shares


def stratified(rows: Sequence[SuiteRow], size: int, seed: int) -> list[SuiteRow]:
    """A part of `rows` that keeps the share of each repository and type, by largest remainder."""
    strata: dict[tuple[int, str], list[SuiteRow]] = defaultdict(list)
    for row in rows:
        strata[row.github_id, row.type].append(row)
    exact = {key: size * len(group) / len(rows) for key, group in strata.items()}
    counts = {key: int(value) for key, value in exact.items()}
    by_remainder = sorted(strata, key=lambda key: (counts[key] - exact[key], key))
    for key in by_remainder[: size - sum(counts.values())]:
        counts[key] += 1
    rng = random.Random(f"{seed}/quarter")
    chosen = [row for key in sorted(strata) for row in rng.sample(strata[key], counts[key])]
    return sorted(chosen, key=lambda row: row.id)
