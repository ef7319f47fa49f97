"""Draw plots of experiments as SVG. Without the extra `report` there are none."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.results.cost_plots import THRESHOLD, RateAtCost
from mlbench.results.mlagentbench.figures import Findings
from mlbench.results.plots import INK, available, scale, svg

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


def at_cost(found: Sequence[Findings], names: Sequence[str], improvement: bool = False) -> list[RateAtCost]:
    """Return the success rate, or the improvement, of each run that has one, at the mean cost of an attempt.

    Args:
        found: statistics of the runs.
        names: labels of these runs.
        improvement: whether the figure is the improvement.
    """
    return [
        RateAtCost(name, figure, one.cost if one.run.asks_model else 0.0, one.tokens)
        for one, name in zip(found, names, strict=True)
        if (figure := one.improvement if improvement else one.success) is not None and figure.value is not None
    ]
