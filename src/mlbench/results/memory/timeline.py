"""Pass rates of repositories whose commit is older or younger than the end of a model's training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from mlbench.records import Policy
from mlbench.repositories.pinning import day_of
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.memory.cutoffs import Cutoff, CutoffSide, known_cutoff
from mlbench.results.memory.intervals import Cluster, cluster_difference
from mlbench.results.memory.run_suites import one_by_row, policy_of, shares, suite_of
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import labels

UNKNOWN = "unknown"
NOTE = (
    "Points of per cent, with their 95 % interval: bootstrap over repositories, at least two on each side. Older"
    " repositories may also be easier: a difference shows memory only if models with an earlier cut-off do not have it."
)


def days_of(run: RunRecord) -> dict[str, date | None]:
    """The day of the commit of each repository of a run; None if nobody knows it."""
    suite, days = suite_of(run), {}
    for name in sorted({attempt.repository for attempt in run.attempts}):
        known = suite is not None and suite.repository(name).catalogue
        committed = suite.pinned(name).committed if suite is not None and known else ""
        days[name] = date.fromisoformat(day_of(committed)) if committed else None
    return days


def timeline(runs: Sequence[RunRecord], given: Mapping[str, Cutoff], policy: Policy | None, months: int) -> list[Sheet]:
    """Return three sheets: the sides of each run's cut-off, their difference, and windows of time.

    Args:
        runs: runs over rows of suites.
        given: cut-offs by model, as a user gives them.
        policy: decides which answers pass; None for the first that judged a run.
        months: length of a window.
    """
    names, sides, found, points = labels(runs), [], [], []
    for name, run in zip(names, runs, strict=True):
        days, cutoff = days_of(run), known_cutoff(run.model, given)
        clusters = _clusters(run, policy_of(run, policy))
        parts: dict[CutoffSide, list[Cluster]] = {side: [] for side in CutoffSide}
        for repository, cluster in clusters.items():
            parts[cutoff.side(days[repository]) if cutoff else CutoffSide.UNDECIDED].append(cluster)
        sides += [
            (name, side.value, len(some), sum(count for _, count in some), _rate(some))
            for side, some in parts.items()
            if some
        ]
        found.append(_finding(name, cutoff, parts))
        points.append((cutoff, {each: (days[each], cluster) for each, cluster in clusters.items()}))
    return [
        Sheet("Before and after the cut-off", ("model", "commit", "repositories", "rows", "Pass@1"), tuple(sides)),
        Sheet("Pass@1 before - after", ("model", "cut-off", "points", "low", "high", "finding"), tuple(found), NOTE),
        _windows(names, points, months),
    ]


def _clusters(run: RunRecord, policy: Policy) -> dict[str, Cluster]:
    """The sum of the rows' pass@1 and the number of rows, by repository."""
    clusters: dict[str, Cluster] = {}
    attempts = one_by_row(run)
    for row, share in shares(run, policy).items():
        total, count = clusters.get(attempts[row].repository, (0.0, 0))
        clusters[attempts[row].repository] = (total + share, count + 1)
    return clusters


def _finding(name: str, cutoff: Cutoff | None, parts: Mapping[CutoffSide, Sequence[Cluster]]) -> tuple[Cell, ...]:
    found = cluster_difference(parts[CutoffSide.BEFORE], parts[CutoffSide.AFTER])
    if cutoff is None:
        finding = "undecided: no cut-off known"
    elif found.value is None:
        finding = "undecided: one side only"
    elif found.holds_zero is None:
        finding = "undecided: too few repositories"
    else:
        finding = "no difference shown" if found.holds_zero else "higher before" if found.value > 0 else "higher after"
    per_cent = [None if each is None else 100 * each for each in (found.value, found.low, found.high)]
    return (name, str(cutoff) if cutoff else UNKNOWN, *per_cent, finding)


def _rate(clusters: Sequence[Cluster]) -> float | None:
    rows = sum(count for _, count in clusters)
    return 100 * sum(total for total, _ in clusters) / rows if rows else None


def _windows(
    names: Sequence[str],
    points: Sequence[tuple[Cutoff | None, Mapping[str, tuple[date | None, Cluster]]]],
    months: int,
) -> Sheet:
    """One line for each window that has rows; an asterisk marks windows that begin after the run's cut-off."""
    windows = sorted(
        {_window(day, months) for _, known in points for day, _ in known.values()}, key=lambda window: window or (9999,)
    )
    lines: list[tuple[Cell, ...]] = []
    for window in windows:
        cells: list[Cell] = []
        inside: set[str] = set()
        rows = 0
        for cutoff, known in points:
            here = {name: cluster for name, (day, cluster) in known.items() if _window(day, months) == window}
            inside |= here.keys()
            rows = max(rows, sum(count for _, count in here.values()))
            rate = _rate(list(here.values()))
            after = window is not None and cutoff is not None and date(*window, 1) > cutoff.last
            cells.append(None if rate is None else f"{rate:.1f}{'*' if after else ''}")
        lines.append((_span(window, months), len(inside), rows, *cells))
    note = "Pass@1 in per cent by the day of the commit. *: the window begins after the model's cut-off."
    return Sheet("Windows of time", ("commit", "repositories", "rows", *names), tuple(lines), note)


def _window(day: date | None, months: int) -> tuple[int, int] | None:
    """Year and month in which the window of a day begins; windows are counted from January of the year 0."""
    if day is None:
        return None
    begin = (day.year * 12 + day.month - 1) // months * months
    return begin // 12, begin % 12 + 1


def _span(window: tuple[int, int] | None, months: int) -> str:
    if window is None:
        return UNKNOWN
    end = window[0] * 12 + window[1] - 2 + months
    first, last = f"{window[0]}-{window[1]:02}", f"{end // 12}-{end % 12 + 1:02}"
    return first if first == last else f"{first} to {last}"
