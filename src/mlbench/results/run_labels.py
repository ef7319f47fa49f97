"""Name a run in tables and reports: its model or agent, its settings, its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from mlbench.results.format import printable
from mlbench.results.models import RunRecord


def about(run: RunRecord) -> list[str]:
    """Describe a run in short parts: split, setting or sandbox or data, and attempts per row."""
    if run.experiments:
        where = (f"{run.data} data", f"helper {run.helper}" if run.helper else "")
    elif run.agent:
        where = (run.sandbox, f"network {run.network}" if run.network else "")
    else:
        where = (run.setting, "")
    return [printable(part) for part in (run.split, *where, f"k={run.each}") if part]


def label(run: RunRecord) -> str:
    """Return the model's name, after the agent's name if there is one."""
    return printable(" · ".join(filter(None, (run.agent, run.model if run.asks_model else ""))))


def labels(runs: Sequence[RunRecord]) -> list[str]:
    """Return a distinct label for each run.

    Runs with the same label get the first part that differs: suite, split, setting, sandbox, network, helper, start,
    number.
    """
    names = [label(run) for run in runs]
    for part in ("suite", "split", "setting", "sandbox", "network", "helper", "started"):
        again = Counter(names)
        differ = {
            name for name in again if len({getattr(r, part) for r, n in zip(runs, names, strict=True) if n == name}) > 1
        }
        names = [
            f"{name} {printable(getattr(run, part))[:19]}" if name in differ else name
            for run, name in zip(runs, names, strict=True)
        ]
    seen: Counter[str] = Counter()
    for number, name in enumerate(names):
        seen[name] += 1
        names[number] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return names


def log_name(run: RunRecord) -> str:
    """Return the name of a run's log, without its folder."""
    return printable(PurePath(run.location).name)
