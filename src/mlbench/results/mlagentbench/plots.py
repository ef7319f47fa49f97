"""Draw plots of experiments as SVG. Without the extra `report` there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from mlbench.evals.mlagentbench.problem import SUCCESS
from mlbench.results import plots
from mlbench.results.cost_plots import RateAtCost
from mlbench.results.mlagentbench.figures import WORST, Findings
from mlbench.results.mlagentbench.models import Experiment


def over_steps(found: Sequence[Findings], names: Sequence[str], first: int = 0) -> str | None:
    """Draw the improvement of each run after each step, for each problem. None if no steps were graded.

    The strong line is the mean over a run's attempts, each with its last valid score; the thin lines are the attempts.

    Args:
        found: statistics of the runs.
        names: labels of these runs.
        first: number of the first run on the page; it decides the colours.
    """
    rows: list[dict[str, object]] = []
    for one, name in zip(found, names, strict=True):
        for stats in one.by_problem:
            lines = [each for each in one.run.experiments if each.problem == stats.problem]
            progress = [gained for each in lines if (gained := gains(each))]
            for number, gained in enumerate(progress if len(progress) > 1 else [], start=1):
                rows += _line(gained, run=name, attempt=f"{name} {number}", problem=stats.problem.name, mean=0)
            rows += _line(mean_gains(progress), run=name, attempt=name, problem=stats.problem.name, mean=1)
    if not rows or not plots.available():
        return None
    import altair as alt

    base = alt.Chart()
    lines_of = base.encode(
        x=alt.X("step:Q", title=None, axis=alt.Axis(tickMinStep=1, tickCount=5, grid=False)),
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format="+%", tickCount=4)),
        color=alt.Color("run:N", scale=plots.scale(names, first), legend=None),
        detail="attempt:N",
    )
    thin = lines_of.transform_filter(alt.datum.mean == 0).mark_line(strokeWidth=1, opacity=0.22)
    strong = lines_of.transform_filter(alt.datum.mean == 1).mark_line(
        strokeWidth=2, opacity=0.9, point=alt.OverlayMarkDef(size=14)
    )
    once = base.transform_aggregate(rows="count()")  # else there is one rule a row, one over the other
    enough = once.mark_rule(strokeDash=[4, 3], opacity=0.5, color=plots.INK).encode(y=alt.datum(SUCCESS))
    header = alt.Header(labelFontSize=12, labelAnchor="start")
    chart = (
        alt.layer(enough, thin, strong, data=alt.InlineData(values=rows))
        .properties(width=190, height=100)
        .facet(facet=alt.Facet("problem:N", title=None, header=header), columns=4, spacing=18)
        .resolve_scale(y="independent", x="independent")
    )
    return plots.svg(chart)


def _line(gained: Mapping[int, float], **about: object) -> list[dict[str, object]]:
    return [{**about, "step": step, "value": value} for step, value in gained.items()]


def gains(each: Experiment) -> dict[int, float]:
    """Return the improvement of an attempt after each step with a valid submission; losses are cut at -100 %."""
    if not each.starter or not each.starter.mean:
        return {}
    improvement = partial(each.problem.metric.improvement, baseline=each.starter.mean)
    return {point.step: max(WORST, improvement(point.score)) for point in each.progress if point.score is not None}


def mean_gains(attempts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the mean over attempts after each step. An attempt counts from its first score, with its last one."""
    found = {}
    for step in sorted({step for gained in attempts for step in gained}):
        last = [gained[max(known)] for gained in attempts if (known := [at for at in gained if at <= step])]
        found[step] = fmean(last)
    return found


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
