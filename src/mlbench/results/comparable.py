"""Which runs may stand in one grid, and under which policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlbench.records import Policy, UsageError
from mlbench.results.format import printable
from mlbench.results.judged_policies import policies_of
from mlbench.results.logs import GatheredRuns, SkippedLog
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import log_name
from mlbench.suites.answered_by import tuning_order


def refuse_incomparable(runs: Sequence[RunRecord], pairs: bool = False) -> None:
    """Check that runs are of one suite and version, and that runs of one kind are of one split and task version.

    Models and agents are two kinds; each has its own grid.

    Args:
        runs: the runs.
        pairs: whether their rows are compared one by one; the split is then the same for both kinds.

    Raises:
        UsageError: two runs differ; names both, and what differs.
    """
    _same(runs, "the suite", lambda run: run.suite)
    _same(runs, "suite version", lambda run: run.suite_version or "unknown")
    if pairs:
        _same(runs, "the split", lambda run: run.split)
    for agents in (False, True):
        kind = [run for run in runs if bool(run.agent) is agents]
        _same(kind, "the split", lambda run: run.split)
        _same(kind, "task version", lambda run: run.version.partition(",")[0])


def common_policy(runs: Sequence[RunRecord], asked: Policy | None) -> Policy:
    """Return the policy that is asked for, else the first one that judged every run, strict first.

    Raises:
        UsageError: a run was not judged under it, or no policy judged every run; names the runs.
    """
    judged = [(run, policies_of([run])) for run in runs if run.scored]
    if not judged:
        return asked or Policy.STRICT
    if asked is not None:
        for run, policies in judged:
            if asked not in policies:
                others = ", ".join(policies)
                raise UsageError(
                    f"{log_name(run)} is not judged under {asked.value}, only under {others}; change --policy"
                )
        return asked
    (first, known), *others_judged = judged
    shared = known
    for run, policies in others_judged:
        both = [policy for policy in shared if policy in policies]
        if not both:
            raise UsageError(
                f"{log_name(first)} is judged under {', '.join(shared)}, {log_name(run)} under {', '.join(policies)};"
                " show them one by one"
            )
        shared = both
    return shared[0]


def in_table_order(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Return runs in their order, but raw models before tuned ones, as in table 3 of ML-Bench."""
    return sorted(runs, key=lambda run: tuning_order(run.answered_by.tuning if run.answered_by else None))


def without_twins(found: GatheredRuns) -> GatheredRuns:
    """Set runs over twins aside if there are others: `mlbench analyse memory` compares them."""
    others = tuple(run for run in found.runs if run.twins is None)
    if not others or len(others) == len(found.runs):
        return found
    why = "of twins; `mlbench analyse memory` compares them with their originals"
    aside = tuple(SkippedLog(log_name(run), why) for run in found.runs if run.twins is not None)
    return GatheredRuns(others, (*found.skipped, *aside))


def unequal_rows(runs: Sequence[RunRecord]) -> str:
    """Say which runs of one kind have different numbers of rows, because a limit was set; empty if none has."""
    said = []
    for agents in (False, True):
        counts = {log_name(run): run.expected // run.each for run in runs if bool(run.agent) is agents}
        if len(set(counts.values())) > 1:
            said.append(", ".join(f"{name} {count:,}" for name, count in counts.items()))
    return f"These runs do not have the same number of rows: {'; '.join(said)}." if said else ""


def _same(runs: Sequence[RunRecord], what: str, value: Callable[[RunRecord], str]) -> None:
    for run in runs:
        if value(run) != value(runs[0]):
            first, other = (f"{log_name(each)} is of {what} {printable(value(each))}" for each in (runs[0], run))
            raise UsageError(f"{first}, {other}: they cannot be compared in one table; name them one by one")
