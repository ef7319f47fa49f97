"""Draw the report's plots as SVG. Without the extra `report` there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from markupsafe import Markup

from mlbench.results.aggregate import Summary
from mlbench.results.format import printable

if TYPE_CHECKING:
    import altair as alt

INK = "currentColor"
COLOURS = ("#3b6fb6", "#c2703d", "#3f8f6b", "#8a5aa8", "#b0495f", "#7a7a2e", "#2f8ca3", "#6b6b6b")
"""One colour per run, of similar lightness, readable on white and on near-black."""

_LEAST = 0.75
"""Share of its width to which a plot shrinks; smaller, its text could not be read."""


@dataclass(frozen=True)
class Plot:
    """A plot of the report's page.

    Attributes:
        least: pixels of its width below which it scrolls; above, it shrinks with the page.
    """

    caption: str
    svg: Markup

    @property
    def least(self) -> int:
        width = re.search(r'<svg[^>]* width="(\d+)', self.svg)
        return round(_LEAST * int(width[1])) if width else 0


def plots_of(drawn: Iterable[tuple[str, str | None]]) -> list[Plot]:
    """Return the plots that were drawn, by caption; nothing is drawn without figures or without the extra."""
    return [Plot(caption, Markup(svg)) for caption, svg in drawn if svg]


def available() -> bool:
    """Whether the extra `report` is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def rates(summaries: Sequence[Summary], names: Sequence[str], first: int = 0) -> str | None:
    """Draw the unbiased pass@k of each run with its 95 % interval; None if it cannot be drawn.

    Args:
        summaries: of the runs.
        names: labels of these runs.
        first: number of the first run on the page; it decides the colours.
    """
    rows = [
        {
            "run": name,
            "k": f"Pass@{at.k}",
            "value": rate.value,
            "low": rate.value if rate.low is None else rate.low,  # without an interval, the point is drawn alone
            "high": rate.value if rate.high is None else rate.high,
        }
        for summary, name in zip(summaries, names, strict=True)
        for at in summary.overall.at
        if (rate := at.unbiased).value is not None
    ]
    if not rows or not available():
        return None
    import altair as alt

    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("run:N", sort=list(names), title=None, axis=alt.Axis(labels=False, ticks=False, domain=False)),
        color=alt.Color("run:N", sort=list(names), scale=scale(names, first), legend=None),
    )
    x = alt.X("low:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=alt.Axis(format="%", tickCount=5))
    layers = base.mark_rule(strokeWidth=2, opacity=0.55).encode(x=x, x2="high:Q") + base.mark_point(
        filled=True, size=70, opacity=1
    ).encode(x="value:Q")
    row = alt.Row(
        "k:N",
        sort=[f"Pass@{k}" for k in sorted({at.k for summary in summaries for at in summary.overall.at})],
        title=None,
        header=alt.Header(labelAngle=0, labelAlign="left", labelFontSize=12, labelPadding=14),
    )
    return svg(layers.properties(width=300, height=alt.Step(16)).facet(row=row, spacing=8))


def repositories(summaries: Sequence[Summary], names: Sequence[str], first: int = 0) -> str | None:
    """Draw the unbiased pass@1 by repository, one dot per run; None if it cannot be drawn.

    Args:
        summaries: of the runs.
        names: labels of these runs.
        first: number of the first run on the page; it decides the colours.
    """
    rows = [
        {"run": name, "repository": printable(group.name), "value": at.unbiased.value}
        for summary, name in zip(summaries, names, strict=True)
        for group in summary.by_repository
        if (at := group.pass_at(1)) and at.unbiased.value is not None
    ]
    if not rows or not available():
        return None
    import altair as alt

    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=alt.Axis(format="%", tickCount=5)),
            y=alt.Y("repository:N", title=None, axis=alt.Axis(grid=True, ticks=False, domain=False, labelPadding=10)),
            color=alt.Color("run:N", scale=scale(names, first), legend=None),
        )
        .properties(width=300, height=alt.Step(17))
    )
    return svg(chart)


def scale(names: Sequence[str], first: int) -> alt.Scale:
    """Return the colour scale of the runs from number `first` on."""
    import altair as alt

    return alt.Scale(domain=list(names), range=[COLOURS[(first + at) % len(COLOURS)] for at in range(len(names))])


def svg(chart: alt.Chart | alt.FacetChart | alt.LayerChart) -> str:
    """Convert a chart to SVG in the page's text colour, without a background."""
    import vl_convert

    quiet = {
        "labelColor": INK,
        "titleColor": INK,
        "labelFont": "sans-serif",
        "titleFont": "sans-serif",
        "labelFontSize": 11,
    }
    chart = chart.configure(background="transparent").configure_axis(
        **quiet, gridColor=INK, gridOpacity=0.13, domainColor=INK, tickColor=INK, domainOpacity=0.3, tickOpacity=0.3
    )
    chart = chart.configure_header(labelColor=INK, labelFont="sans-serif").configure_view(stroke=None)
    svg: str = vl_convert.vegalite_to_svg(chart.to_json().encode(errors="replace").decode())  # no lone surrogates
    return re.sub(r"<\?xml[^>]*>|<!DOCTYPE[^>]*>", "", svg)
