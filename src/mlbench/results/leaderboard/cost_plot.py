"""Place the entries of a board in a plot of cost against score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median_low

from mlbench.results import format
from mlbench.results.leaderboard.boards import Board, BoardEntry
from mlbench.results.leaderboard.check_record import CheckOutcome

WIDTH, HEIGHT = 640, 300
_MOST_NAME = 24
_DECADES = 4
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 44


@dataclass(frozen=True)
class CostPoint:
    """An entry in the plot, in the units of its view box.

    Attributes:
        label: name, setting, score and cost.
        name: the first characters of the name, shown beside the point.
        right: whether the point is in the right half, so that its name stands before it.
    """

    entry: BoardEntry
    x: float
    y: float
    label: str
    name: str
    right: bool


@dataclass(frozen=True)
class CostTick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class CostPlot:
    """Points and axes. `unit` says what the horizontal axis has."""

    unit: str
    points: tuple[CostPoint, ...]
    across: tuple[CostTick, ...]
    up: tuple[CostTick, ...]


def cost_plot(board: Board) -> CostPlot | None:
    """Place each entry whose cost and score are known; None if there is none.

    Entries for a part of the split are left out: they cannot be compared. Costs are claims, so no single one decides
    about the others: the horizontal axis has dollars if at least half of the entries state some, else tokens. It is
    logarithmic, and shows at most four powers of ten on each side of the median; what is outside stands at its edge.
    """
    whole = [entry for entry in board.entries if entry.metadata.rows is None]
    judged = [entry for entry in whole if entry.outcome is not CheckOutcome.NOT_JUDGED] or whole
    priced = 2 * sum(bool(entry.dollars) for entry in judged) >= len(judged) > 0
    costs = [(entry, entry.dollars if priced else entry.tokens) for entry in whole]
    known = [
        (entry, float(cost), record.value)
        for entry, cost in costs
        if cost and (record := entry.pass_at(1)) is not None and record.value is not None
    ]
    if not known:
        return None
    logs = [math.log10(cost) for _, cost, _ in known]
    middle = math.floor(median_low(logs))
    low, high = max(math.floor(min(logs)), middle - _DECADES), min(math.ceil(max(logs)), middle + _DECADES)
    high = max(high, low + 1)

    def x(log: float) -> float:
        share = min(1.0, max(0.0, (log - low) / (high - low)))
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM), 1)

    step = max(1, math.ceil((high - low) / 6))
    return CostPlot(
        unit="US dollars" if priced else "tokens",
        points=tuple(
            CostPoint(
                entry,
                x(math.log10(cost)),
                y(value),
                f"{entry.metadata.name}, {entry.metadata.setting}: {format.percent(value)} %,"
                f" {format.dollars(cost) if priced else format.count(int(cost)) + ' tokens'}",
                entry.metadata.name[:_MOST_NAME],
                x(math.log10(cost)) > WIDTH / 2,
            )
            for entry, cost, value in known
        ),
        across=tuple(CostTick(x(n), _power(n, priced)) for n in range(low, high + 1, step)),
        up=tuple(CostTick(y(share), f"{share:.0%}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
    )


def _power(n: int, priced: bool) -> str:
    if priced:
        return f"${10**n:,}" if n >= 0 else f"${10.0**n:.{-n}f}"
    for at, unit in ((9, "G"), (6, "M"), (3, "k")):
        if n >= at:
            return f"{10 ** (n - at)} {unit}"
    return f"{10**n}" if n >= 0 else f"{10.0**n:g}"
