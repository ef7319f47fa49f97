"""How every benchmark reports: a table on the terminal, the figures as JSON under `benchmarks/results/`."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Figure:
    """One measured figure. Where it has a bound it must be at most (or, with at_most False, at least) that."""

    name: str
    value: float
    bound: float | None = None
    unit: str = ""
    at_most: bool = True

    @property
    def holds(self) -> bool | None:
        if self.bound is None:
            return None
        return self.value <= self.bound if self.at_most else self.value >= self.bound


def record(name: str, figures: Sequence[Figure]) -> bool:
    """Print and keep the figures; true where every bound holds."""
    table = Table(title=name, title_justify="left")
    for heading, justify in (("figure", "left"), ("measured", "right"), ("bound", "right"), ("", "left")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for figure in figures:
        bound = "" if figure.bound is None else f"{'≤' if figure.at_most else '≥'} {figure.bound:g} {figure.unit}"
        mark = {None: "", True: "holds", False: "BROKEN"}[figure.holds]
        table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", bound, mark)
    Console().print(table)
    RESULTS.mkdir(exist_ok=True)
    content = {
        "machine": {"python": platform.python_version(), "cores": len(os.sched_getaffinity(0))},
        "figures": [{**asdict(figure), "holds": figure.holds} for figure in figures],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
    return all(figure.holds is not False for figure in figures)
