"""Plots of errors as SVG files: by run (figures 6 and 8 of ML-Bench) and by repository (figure 7).

They need the extra `report`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mlbench.records import Policy, RunError, UsageError
from mlbench.results import plots
from mlbench.results.analyses.errors import of_run
from mlbench.results.format import printable
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import labels

ERROR_COLOURS = {
    "E1": "#b0495f",
    "E2": "#3b6fb6",
    "E3": "#c2703d",
    "E4": "#8a5aa8",
    "E5": "#3f8f6b",
    "none": "#8b8b8b",
}
"""One colour per error class."""


def write_plots(runs: Sequence[RunRecord], policy: Policy, folder: Path) -> list[Path]:
    """Draw the errors of some runs and return the files.

    Args:
        runs: the runs.
        policy: decides which answers failed.
        folder: made if it is missing.

    Raises:
        UsageError: the extra `report` is not installed.
        RunError: the folder cannot be written.
    """
    if not plots.available():
        raise UsageError("--plots needs altair and vl-convert: pip install 'mlbench-harness[report]'")
    rows = [
        {
            "run": name,
            "group": printable(each.group),
            "kind": each.group_kind,
            "error": each.error_class,
            "n": each.count,
        }
        for name, run in zip(labels(runs), runs, strict=True)
        for each in of_run(run, policy)
        if not each.sub_kind and each.count
    ]
    drawn = {
        "errors-by-run.svg": _file([row for row in rows if row["kind"] == "all"], "run", None),
        "errors-by-repository.svg": _file([row for row in rows if row["kind"] == "repository"], "group", "run"),
        "errors-by-type.svg": _file([row for row in rows if row["kind"] == "type"], "group", "run"),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in drawn.items():
            (folder / name).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise RunError(f"cannot write {folder}: {error.strerror}") from error
    return [folder / name for name in drawn]


def error_bars(rows: Sequence[Mapping[str, object]], by: str, facet: str | None, columns: int = 1) -> str | None:
    """Draw stacked bars of the error classes; None if nothing failed. An answer can be in several classes.

    Args:
        rows: records with `error`, `n`, and the fields below.
        by: the field of which each value has a bar.
        facet: the field of which each value has a plot; None for one plot.
        columns: plots beside each other.
    """
    if not rows or not plots.available():
        return None
    import altair as alt

    present = [name for name in ERROR_COLOURS if any(row["error"] == name for row in rows)]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("sum(n):Q", title="failed answers with the error", axis=alt.Axis(tickCount=5, tickMinStep=1)),
            y=alt.Y(f"{by}:N", title=None),
            color=alt.Color(
                "error:N",
                scale=alt.Scale(domain=present, range=[ERROR_COLOURS[name] for name in present]),
                title=None,
                legend=alt.Legend(orient="top", labelColor=plots.INK, labelFont="sans-serif"),
            ),
            order=alt.Order("error:N"),
        )
        .properties(width=420 if columns == 1 else 200, height=alt.Step(18 if columns == 1 else 15))
    )
    if facet is None:
        return plots.svg(chart)
    header = alt.Header(labelFontSize=12, labelAnchor="start", labelLimit=260)
    return plots.svg(chart.facet(facet=alt.Facet(f"{facet}:N", title=None, header=header), columns=columns, spacing=18))


def _file(rows: Sequence[Mapping[str, object]], by: str, facet: str | None) -> str:
    """A plot as a file of its own, which brings its ground; the report's plots take the page's colours."""
    drawn = error_bars(rows, by, facet)
    assert drawn is not None  # something failed, and the extra is installed
    return drawn.replace(plots.INK, "#222").replace("<svg ", '<svg style="background:#fff" ', 1)
