"""Errors of runs: E1 to E5 with the kinds of E2, by model, setting, repository and answer type (figures 6 to 8)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mlbench.records import Policy, UsageError
from mlbench.results.benches import benches
from mlbench.results.models import AttemptRecord, RunRecord

NO_CLASS = "none"
"""Class of a failure without an error: a limit, an undecided check, an empty reply."""
_GROUPS: dict[str, Callable[[AttemptRecord], str]] = {
    "all": lambda attempt: "all",
    "type": lambda attempt: attempt.type,
    "repository": lambda attempt: attempt.repository,
}


@dataclass(frozen=True)
class ErrorCount:
    """How many failed answers of one group of a run have one error.

    Attributes:
        group_kind: `all`, `type` or `repository`.
        error_class: `E1` to `E5`; `none` if nothing says what is wrong.
        sub_kind: of E2; empty for the whole class.
        count: failed answers that have it, each once; an answer can have several errors.
        failures: failed answers of the group.
        answers: scored answers of the group.
    """

    model: str
    agent: str
    suite: str
    suite_version: str
    split: str
    setting: str
    policy: str
    group_kind: str
    group: str
    error_class: str
    sub_kind: str
    count: int
    failures: int
    answers: int

    @property
    def share_of_failures(self) -> float:
        return self.count / self.failures if self.failures else 0.0

    @property
    def share_of_answers(self) -> float:
        return self.count / self.answers if self.answers else 0.0


def failed(attempt: AttemptRecord, policy: Policy) -> bool:
    """Whether an attempt has a verdict under the policy, and it is no pass."""
    verdict = attempt.verdict(policy)
    return verdict is not None and not verdict.passed


def error_counts(runs: Sequence[RunRecord], policy: Policy) -> list[ErrorCount]:
    """Count the errors of each run: of all its answers, of each answer type and of each repository.

    Raises:
        UsageError: the logs are of different benchmarks, suites or versions, or nothing failed.
    """
    _refuse_mixture(runs)
    found = [count for run in runs for count in of_run(run, policy)]
    if not any(each.failures for each in found):
        raise UsageError(f"no answer in these logs failed under the policy {policy}: there are no errors to count")
    return found


def _refuse_mixture(runs: Sequence[RunRecord]) -> None:
    suites = list(dict.fromkeys(run.suite for run in runs if not run.experiments))
    if len(suites) > 1:
        raise UsageError(f"the logs are of different suites ({', '.join(suites)}); analyse them one by one")
    titles = [bench.title.lower() for bench in benches(runs)]
    if len(titles) > 1:
        raise UsageError(
            f"the logs are of {' and of '.join(titles)}; analyse them one by one, or compare two by --transitions A B"
        )


def of_run(run: RunRecord, policy: Policy, kinds: Iterable[str] = tuple(_GROUPS)) -> list[ErrorCount]:
    """Count the errors of one run: all its answers, then by answer type, then by repository.

    Args:
        run: the run.
        policy: decides which answers failed.
        kinds: the kinds of groups that are counted.
    """
    scored = [attempt for attempt in run.attempts if attempt.verdict(policy) is not None]
    found = []
    for kind in kinds:
        groups: dict[str, list[AttemptRecord]] = defaultdict(list)
        for attempt in scored:
            groups[_GROUPS[kind](attempt)].append(attempt)
        for group in sorted(groups):
            found += _of_group(run, policy, kind, group, groups[group])
    return found


def _of_group(
    run: RunRecord, policy: Policy, kind: str, group: str, attempts: Sequence[AttemptRecord]
) -> list[ErrorCount]:
    failures = [attempt for attempt in attempts if failed(attempt, policy)]
    counts: Counter[tuple[str, str]] = Counter()
    for attempt in failures:
        kinds = {fault.error_class for fault in attempt.faults}
        counts.update({(each.partition("/")[0], "") for each in kinds} or {(NO_CLASS, "")})
        counts.update({(each.partition("/")[0], each.partition("/")[2]) for each in kinds if "/" in each})
    about = (run.model if run.asks_model else "", run.agent, run.suite, suite_version(run), run.split, setting_of(run))
    return [
        ErrorCount(*about, policy.value, kind, group, name, sub, count, len(failures), len(attempts))
        for (name, sub), count in sorted(counts.items())
    ] or [ErrorCount(*about, policy.value, kind, group, NO_CLASS, "", 0, 0, len(attempts))]


def suite_version(run: RunRecord) -> str:
    return run.version.rpartition(" ")[2]


def setting_of(run: RunRecord) -> str:
    """The setting that a run's log names; `agent` for an agent's."""
    return run.setting or ("agent" if run.agent else "")
