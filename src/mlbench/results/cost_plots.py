"""Draw a figure of each run against what an attempt costs, as SVG. Without the extra `report` there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.evals.mlagentbench.problem import SUCCESS
from mlbench.results import plots
from mlbench.results.aggregate import Summary
from mlbench.results.statistics import ValueWithBounds

_LONGEST_NAME = 36  # characters of a run's label in a plot
_WIDTH = 420
_CHARACTER = 6 / _WIDTH  # width of a character as a share of the plot's


@dataclass(frozen=True)
class RateAtCost:
    """A figure of one run, and what one of its attempts costs on average.

    Attributes:
        name: the run's label.
        rate: a success rate, or an improvement.
        dollars: None if a price is unknown; 0 if the run asks no model.
        tokens: None if nothing was scored.
    """

    name: str
    rate: ValueWithBounds
    dollars: float | None
    tokens: float | None


def success_at_cost(summary: Summary, name: str) -> RateAtCost:
    """Return a run's success rate (pass@1) at the mean cost of the attempts that began."""
    at = summary.overall.pass_at(1)
    assert at is not None  # every row has one attempt or more
    begun = sum(attempt.scored or attempt.usage.tokens > 0 for attempt in summary.run.attempts) or 1
    record = at.unbiased
    asks = summary.run.asks_model
    dollars = 0.0 if not asks else None if record.dollars is None else record.dollars / begun
    return RateAtCost(name, record, dollars, ((record.tokens_in or 0) + (record.tokens_out or 0)) / begun)


def in_dollars(points: Sequence[RateAtCost]) -> bool:
    """Whether every cost is known in dollars, and one is above zero."""
    return all(point.dollars is not None for point in points) and any(point.dollars for point in points)


def against_cost(
    points: Sequence[RateAtCost], names: Sequence[str], first: int = 0, improvement: bool = False
) -> str | None:
    """Draw a point for each run: its figure with its interval, and the cost of an attempt.

    The cost is in tokens if a price is unknown (`in_dollars`). None if there is nothing to compare: no figure or no
    cost.

    Args:
        points: of the runs that have a figure.
        names: labels of all runs that share the colours.
        first: number of the first run on the page; it decides the colours.
        improvement: whether the figure is a relative improvement, with the mark of success at 10 %.
    """
    priced = in_dollars(points)
    costs = [(point.dollars if priced else point.tokens) or 0.0 for point in points]
    if not any(costs) or not plots.available():
        return None
    import altair as alt

    values = [point.rate.value or 0.0 for point in points]
    ends = [bound for point in points for bound in (point.rate.low, point.rate.high) if bound is not None]
    low, high = (min(0.0, *values, *ends), max(*values, *ends, SUCCESS)) if improvement else (0.0, 1.0)
    far = all(costs) and min(costs) * 20 < max(costs)
    widths = [math.log(cost / min(costs)) if far else cost for cost in costs]
    places = [width / (max(widths) or 1) for width in widths]
    names_shown = [_brief(point.name) for point in points]
    heights = _apart([*zip(places, values, map(len, names_shown), strict=True)], (high - low) / 17, low, high)
    rows = [
        {
            "run": point.name,
            "cost": cost,
            "value": value,
            "low": value if point.rate.low is None else point.rate.low,
            "high": value if point.rate.high is None else point.rate.high,
            "text": text,
            "height": height,
            "side": "left" if place > 0.5 else "right",
        }
        for point, cost, value, text, height, place in zip(
            points, costs, values, names_shown, heights, places, strict=True
        )
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "cost:Q",
            title="dollars an attempt" if priced else "tokens an attempt",
            scale=alt.Scale(type="log", nice=True) if far else alt.Scale(zero=True, nice=True),
            axis=alt.Axis(format="$.2~f" if priced else "~s", tickCount=5, grid=False, labelOverlap=True),
        ),
        color=alt.Color("run:N", scale=plots.scale(names, first), legend=None),
    )
    y = alt.Y(
        "low:Q",
        title=None,
        scale=alt.Scale(domain=[low, high], nice=improvement),
        axis=alt.Axis(format="+%" if improvement else "%", tickCount=5),
    )
    chart = base.mark_rule(strokeWidth=2, opacity=0.55).encode(y=y, y2="high:Q")
    chart += base.mark_point(filled=True, size=80, opacity=1).encode(y="value:Q")
    left, right = (base.transform_filter(alt.datum.side == side) for side in ("left", "right"))
    for text in (left.mark_text(align="right", dx=-8, fontSize=11), right.mark_text(align="left", dx=8, fontSize=11)):
        chart += text.encode(y="height:Q", text="text:N")
    if improvement:
        enough = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[4, 3], opacity=0.5, color=plots.INK)
        chart = enough.encode(y=alt.datum(SUCCESS)) + chart
    return plots.svg(chart.properties(width=_WIDTH, height=220))


def _brief(name: str) -> str:
    """A run's label without the paths of models, cut if it is long."""
    short = " ".join(word.rpartition("/")[2] for word in name.split())
    short = short.strip() or name
    return short if len(short) <= _LONGEST_NAME else f"{short[: _LONGEST_NAME - 1]}…"


def _apart(labels: Sequence[tuple[float, float, int]], gap: float, low: float, high: float) -> list[float]:
    """Heights of the labels of some points: each point's own, or the nearest one at which no two labels touch.

    Args:
        labels: of each point: its place across from 0 to 1, its height, and the characters of its label.
        gap: least distance of two heights.
        low, high: of the plot.
    """
    heights: list[float] = []
    spans: list[tuple[float, float]] = []
    for place, height, length in labels:
        width = length * _CHARACTER
        span = (place - width, place) if place > 0.5 else (place, place + width)
        near = [
            other for (left, right), other in zip(spans, heights, strict=True) if left < span[1] and span[0] < right
        ]
        tried = (height + sign * step * gap / 2 for step in range(4 * len(labels)) for sign in (1, -1))
        free = (at for at in tried if low <= at <= high and all(abs(at - other) >= gap for other in near))
        heights.append(next(free, height))
        spans.append(span)
    return heights
