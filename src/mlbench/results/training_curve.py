"""Draw the losses of a fine-tuning run as SVG. Without the extra `report` there is no drawing."""

from __future__ import annotations

import csv
from io import StringIO

from mlbench.results import plots

_LOSSES = {"loss": "training", "eval_loss": "held out"}


def training_curve(table: str) -> str | None:
    """Return the losses by step as SVG; None if the extra `report` is missing or there is no loss.

    Args:
        table: the text of a run's `curve.csv`.
    """
    rows = [
        {"step": float(line["step"]), "loss": float(line[column]), "of": name}
        for line in csv.DictReader(StringIO(table))
        for column, name in _LOSSES.items()
        if line.get(column)
    ]
    if not rows or not plots.available():
        return None
    import altair as alt

    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=16))
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("loss:Q", title="loss", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "of:N",
                scale=plots.scale(list(_LOSSES.values()), 0),
                legend=alt.Legend(title=None, orient="top", labelColor=plots.INK),
            ),
        )
        .properties(width=480, height=240)
    )
    return plots.svg(chart)
