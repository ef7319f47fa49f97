"""How every benchmark reports: a table on the terminal, the figures as JSON under `benchmarks/results/`."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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


def record(name: str, figures: Sequence[Figure], part: bool = False) -> bool:
    """Print and keep the figures; true where every bound holds.

    Args:
        part: what this machine measured of other subjects (before the colon of a figure's name) stays.
    """
    table = Table(title=name, title_justify="left")
    for heading, justify in (("figure", "left"), ("measured", "right"), ("bound", "right"), ("", "left")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for figure in figures:
        bound = "" if figure.bound is None else f"{'≤' if figure.at_most else '≥'} {figure.bound:g} {figure.unit}"
        mark = {None: "", True: "holds", False: "BROKEN"}[figure.holds]
        table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", bound, mark)
    Console().print(table)
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    found = [{**asdict(figure), "holds": figure.holds} for figure in figures]
    machine = {"python": platform.python_version(), "cores": len(os.sched_getaffinity(0))}
    if part and file.is_file() and (before := json.loads(file.read_text()))["machine"] == machine:
        now = {_subject(each) for each in found}
        others = [each for each in before["figures"] if _subject(each) not in now]
        found = sorted([*others, *found], key=_subject)
    file.write_text(json.dumps({"machine": machine, "figures": found}, indent=2) + "\n")
    return all(figure.holds is not False for figure in figures)


def _subject(figure: Mapping[str, Any]) -> str:
    return str(figure["name"]).partition(":")[0]
