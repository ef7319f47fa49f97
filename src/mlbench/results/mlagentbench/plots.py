"""Draw plots of experiments as SVG. Without the extra `report` there are none."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.results.mlagentbench.figures import Findings
from mlbench.results.plots import INK, available, scale, svg

THRESHOLD = 0.1
"""Improvement from which an attempt is a success."""

MARKED = 15
"""Lines of at most this many steps have a mark at each step."""


def over_steps(found: Sequence[Findings], names: Sequence[str], first: int = 0) -> str | None:
    """Draw one line per attempt: its improvement after each step. None if no steps were graded.

    A step without a valid submission is left out.

    Args:
        found: statistics of the runs.
        names: labels of these runs.
        first: number of the first run on the page; it decides the colours.
    """
    rows = [
        {
            "run": name,
            "attempt": f"{name} {each.number}",
            "problem": each.problem.name,
            "step": point.step,
            "value": each.problem.metric.improvement(point.score, each.starter.mean),
        }
        for one, name in zip(found, names, strict=True)
        for each in one.run.experiments
        for point in each.progress
        if point.score is not None and each.starter and each.starter.mean
    ]
    if not rows or not available():
        return None
    import altair as alt

    base = alt.Chart()
    few = max(point.step for one in found for each in one.run.experiments for point in each.progress) <= MARKED
    lines = base.mark_line(strokeWidth=1.5, opacity=0.7, point=alt.OverlayMarkDef(size=14) if few else False).encode(
        x=alt.X("step:Q", title=None, axis=alt.Axis(tickMinStep=1, tickCount=5, grid=False)),
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format="+%", tickCount=4)),
        color=alt.Color("run:N", scale=scale(names, first), legend=None),
        detail="attempt:N",
    )
    once = base.transform_aggregate(rows="count()")  # else there is one rule a row, one over the other
    enough = once.mark_rule(strokeDash=[4, 3], opacity=0.5, color=INK).encode(y=alt.datum(THRESHOLD))
    header = alt.Header(labelFontSize=12, labelAnchor="start")
    chart = (
        alt.layer(enough, lines, data=alt.InlineData(values=rows))
        .properties(width=190, height=100)
        .facet(facet=alt.Facet("problem:N", title=None, header=header), columns=4, spacing=18)
        .resolve_scale(y="independent", x="independent")
    )
    return svg(chart)


def against_cost(found: Sequence[Findings], names: Sequence[str], first: int = 0) -> str | None:
    """Draw one point per run: its improvement with interval, and the mean cost of an attempt.

    The cost is in tokens if a price is unknown (`in_dollars`).

    Args:
        found: statistics of the runs.
        names: labels of these runs.
        first: number of the first run on the page; it decides the colours.
    """
    priced = in_dollars(found)
    rows = [
        {
            "run": name,
            "cost": (one.cost or 0.0) if priced else one.tokens,
            "value": mean.value,
            "low": mean.value if mean.low is None else mean.low,
            "high": mean.value if mean.high is None else mean.high,
        }
        for one, name in zip(found, names, strict=True)
        if (mean := one.improvement)
    ]
    if not rows or not available():
        return None
    import altair as alt

    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "cost:Q",
            title="dollars an attempt" if priced else "tokens an attempt",
            scale=alt.Scale(zero=True, nice=True),
            axis=alt.Axis(format="$.2~f" if priced else "~s", tickCount=5, grid=False),
        ),
        color=alt.Color("run:N", scale=scale(names, first), legend=None),
    )
    y = alt.Y("low:Q", title=None, axis=alt.Axis(format="+%", tickCount=5))
    points = base.mark_point(filled=True, size=80, opacity=1).encode(y="value:Q")
    enough = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(strokeDash=[4, 3], opacity=0.5, color=INK)
        .encode(y=alt.datum(THRESHOLD))
    )
    chart = enough + base.mark_rule(strokeWidth=2, opacity=0.55).encode(y=y, y2="high:Q") + points
    return svg(chart.properties(width=340, height=200))


def in_dollars(found: Sequence[Findings]) -> bool:
    """Whether every run's cost is known. A run that asks no model costs nothing."""
    return all(one.cost is not None or not one.run.asks_model for one in found) and any(one.cost for one in found)
