"""Counts of the report's tables: attempts of each run by reason, error class, or how the agent ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlbench.reasons import AgentOutcome
from mlbench.records import Policy
from mlbench.results.agents import AgentStats
from mlbench.results.aggregate import Summary, counts_by_outcome
from mlbench.results.analyses.errors import ErrorCount, of_run
from mlbench.results.explanations import explained
from mlbench.results.format import MEANINGS

AGENT_ENDINGS: Mapping[str, str] = {
    AgentOutcome.ENDED: "The agent stopped by itself.",
    AgentOutcome.GAVE_UP: "It stopped by itself, and did not call the task done.",
    AgentOutcome.CRASHED: "The agent's own program failed.",
    AgentOutcome.STEP_LIMIT: "It used all its calls of the model.",
    AgentOutcome.TOKEN_LIMIT: "It used all its tokens.",
    AgentOutcome.COST_LIMIT: "It spent its budget in dollars.",
    AgentOutcome.TIME_LIMIT: "It ran out of time.",
}
"""Meaning by agent outcome; logs may hold further ones."""


@dataclass(frozen=True)
class CountGroup:
    """How many attempts of each run have one thing in common.

    Attributes:
        name: what they have in common.
        counts: attempts of each run, in the order of the runs.
        filters: the filters of the page that list these attempts; the run's own is added by `link`.
        stage, meaning: text beside and below the name; empty if there is none.
        mark, tone: a sign before the name, and the CSS class of its colour (`good`, `bad`, `lost`).
        shares: the counts as shares of each run's attempts, for bars; empty for none.
    """

    name: str
    counts: Sequence[int]
    filters: Mapping[str, str]
    stage: str = ""
    meaning: str = ""
    mark: str = ""
    tone: str = ""
    shares: Sequence[float] = field(default=())

    def link(self, run: int) -> dict[str, str | int]:
        """Return the filters that list the attempts of one run, counted from 1."""
        policy = {"policy": self.filters["policy"]} if "policy" in self.filters else {}
        return {**policy, "run": run, **self.filters}


def verdict_groups(summaries: Sequence[Summary], policy: Policy) -> list[CountGroup]:
    """Group attempts by the stage and reason of their verdict, most frequent first; unscored ones are last."""
    groups = []
    for (stage, reason, passed), counts in counts_by_outcome(summaries).items():
        groups.append(
            CountGroup(
                reason,
                counts,
                {"policy": policy.value, "reason": f"{stage.value}:{reason}"},
                stage=stage.value,
                meaning=explained(policy, reason),
                mark="✓" if passed else "✗",
                tone="good" if passed else "bad",
                shares=_shares(counts, summaries),
            )
        )
    lost = [summary.overall.total - summary.overall.scored for summary in summaries]
    if any(lost):
        meaning = (
            "The machine failed, the run ended before these attempts, or the row's reference fails."
            " They count in no rate."
        )
        filters = {"policy": policy.value, "outcome": "unscored"}
        groups.append(CountGroup("not scored", lost, filters, meaning=meaning, tone="lost"))
    return groups


def error_groups(summaries: Sequence[Summary], policy: Policy) -> list[CountGroup]:
    """Group failed attempts by error class; an attempt can be in several groups."""
    groups = []
    for name in sorted({name for summary in summaries for name in summary.faults}):
        counts = [summary.faults.get(name, 0) for summary in summaries]
        filters = {"policy": policy.value, "error": name}
        shares = _shares(counts, summaries)
        groups.append(CountGroup(name, counts, filters, meaning=MEANINGS.get(name[:2], ""), tone="bad", shares=shares))
    return groups


@dataclass(frozen=True)
class ErrorLine:
    """The failed attempts of one run at one repository, by error class; an attempt can be in several classes.

    Attributes:
        run: its number among the runs of the table, from 0.
        failures, answers: failed and scored attempts.
    """

    run: int
    failures: int
    answers: int
    counts: Mapping[str, int]

    def share(self, error_class: str) -> float:
        """Return the share of the failed attempts that have an error of a class."""
        return self.counts.get(error_class, 0) / (self.failures or 1)


def errors_by_repository(summaries: Sequence[Summary], policy: Policy) -> dict[str, list[ErrorLine]]:
    """Return the error classes of each run by repository (figure 8 of ML-Bench), sorted by repository."""
    found: dict[str, list[ErrorLine]] = defaultdict(list)
    for number, summary in enumerate(summaries):
        by_group: dict[str, list[ErrorCount]] = defaultdict(list)
        for each in of_run(summary.run, policy, ["repository"]):
            by_group[each.group].append(each)
        for group, counts in by_group.items():
            of_class = {each.error_class: each.count for each in counts if not each.sub_kind and each.count}
            found[group].append(ErrorLine(number, counts[0].failures, counts[0].answers, of_class))
    return dict(sorted(found.items()))


def classes_in(lines: Mapping[str, Sequence[ErrorLine]]) -> list[str]:
    """Return the error classes that occur, in their order; `none` is last."""
    return sorted({name for some in lines.values() for line in some for name in line.counts})


def ending_groups(stats: Sequence[AgentStats], names: Sequence[str], policy: Policy) -> list[CountGroup]:
    """Group the attempts of agents by how the agent ended.

    Args:
        stats: of each run.
        names: the endings, in the order of the table.
        policy: kept in the links, so that they do not change the page's policy.
    """
    return [
        CountGroup(
            name,
            [one.outcomes.get(name, 0) for one in stats],
            {"policy": policy.value, "ended": name},
            meaning=AGENT_ENDINGS.get(name, ""),
        )
        for name in names
    ]


def _shares(counts: Sequence[int], summaries: Sequence[Summary]) -> list[float]:
    return [count / (summary.overall.total or 1) for count, summary in zip(counts, summaries, strict=True)]
