"""The parts of the report's page that have policies: the runs of one benchmark and suite under one policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlbench.records import Policy
from mlbench.results import agent_table, format, plots
from mlbench.results.agents import AgentStats, stats_of_agents
from mlbench.results.aggregate import Summary, summarise
from mlbench.results.analyses.error_plots import error_bars
from mlbench.results.benches import BenchNames, headings
from mlbench.results.cost_plots import against_cost, success_at_cost
from mlbench.results.group_records import ks_of
from mlbench.results.judged_policies import policies_of, rested_on
from mlbench.results.report_counts import (
    CountGroup,
    ErrorLine,
    classes_in,
    ending_groups,
    error_groups,
    errors_by_repository,
    verdict_groups,
)


@dataclass(frozen=True)
class Side:
    """The runs of one benchmark under one policy.

    Attributes:
        heading: of its suite; empty if the part before is of the same suite, or if there is only one.
        number: of this part on the page, from 0.
        first: number of the first run on the page, from 0.
        error_lines: the error classes of each run, by repository.
    """

    bench: BenchNames
    policy: Policy
    heading: str
    number: int
    first: int
    summaries: list[Summary]
    agent_stats: list[AgentStats]
    plots: list[plots.Plot]
    error_lines: dict[str, list[ErrorLine]]

    @property
    def key(self) -> str:
        """Suffix of this part's heading ids, unique on the page."""
        return f"{self.bench.title.lower()}-{self.number}-{self.policy.value}"

    @property
    def judged_under(self) -> str:
        """The policies that judged these runs, in words."""
        return " or ".join(policies_of(self.bench.runs))

    @property
    def judged(self) -> bool:
        """Whether this policy judged any attempt of these runs."""
        return self.policy in policies_of(self.bench.runs)

    @property
    def rested(self) -> list[str]:
        """Of each run of which only some answers were run, how many."""
        said = [(self.first + n, rested_on(run)) for n, run in enumerate(self.bench.runs, start=1)]
        return [f"Run {number}: {text}" for number, text in said if text] if self.policy is Policy.STRICT else []

    @property
    def ks(self) -> list[int]:
        """The k of pass@k in the first table."""
        return sorted({k for run in self.bench.runs for k in ks_of(run.each)})

    @property
    def shown_ks(self) -> list[int]:
        """The k of pass@k in the tables by type and repository: the smallest and the largest."""
        return [self.ks[0], self.ks[-1]] if len(self.ks) > 1 else self.ks

    @property
    def endings(self) -> list[CountGroup]:
        """Attempts by the stage and the reason of their verdict."""
        return verdict_groups(self.summaries, self.policy)

    @property
    def errors(self) -> list[CountGroup]:
        """Failed attempts by error class."""
        return error_groups(self.summaries, self.policy)

    @property
    def error_classes(self) -> list[str]:
        """The error classes that occur."""
        return classes_in(self.error_lines)

    @property
    def agent_policies(self) -> list[Policy]:
        """The policies that judged runs of agents."""
        return agent_table.judged_by(self.agent_stats)

    @property
    def agent_note(self) -> str:
        """What the table of agents' success rates means."""
        return agent_table.rules_note(self.agent_policies)

    @property
    def beside_published(self) -> bool:
        """Whether the published results of agents are of the same suite."""
        return self.bench.agents and self.bench.runs[0].suite == agent_table.PUBLISHED_SUITE

    @property
    def endings_of_agents(self) -> list[CountGroup]:
        """Attempts by how the agent ended; empty if models answered."""
        return ending_groups(self.agent_stats, agent_table.ordered(self.agent_stats), self.policy)


def report_sides(benches: Sequence[BenchNames], names: Sequence[str], policy: Policy) -> list[Side]:
    """Return the parts of the page that have policies, under one of them.

    Args:
        benches: the groups of the page, also those of experiments.
        names: labels of all runs of the page.
        policy: the policy.
    """
    sides: list[Side] = []
    for number, (bench, heading, first) in enumerate(placed(benches)):
        if bench.experiments:
            continue
        summaries = [summarise(run, policy) for run in bench.runs]
        agent_stats = [stats_of_agents(run) for run in bench.runs] if bench.agents else []
        lines = errors_by_repository(summaries, policy)
        drawn = _plots(summaries, names, first, lines)
        sides.append(Side(bench, policy, heading, number, first, summaries, agent_stats, drawn, lines))
    return sides


def placed(benches: Sequence[BenchNames]) -> Iterator[tuple[BenchNames, str, int]]:
    """Yield each group with its heading, and with the number of its first run on the page."""
    first = 0
    for bench, heading in zip(benches, headings(benches), strict=True):
        yield bench, heading, first
        first += len(bench.runs)


def _plots(
    summaries: Sequence[Summary], names: Sequence[str], first: int, errors: Mapping[str, Sequence[ErrorLine]]
) -> list[plots.Plot]:
    """The plots of some runs in their colours; the first run has the number `first` on the page."""
    own = names[first : first + len(summaries)]
    costs = [
        success_at_cost(summary, name) for summary, name in zip(summaries, own, strict=True) if summary.overall.scored
    ]
    rows = [
        {"run": own[line.run], "group": format.printable(repository), "error": name, "n": count}
        for repository, lines in errors.items()
        for line in lines
        for name, count in line.counts.items()
    ]
    drawn = [
        ("Pass@k with 95 % intervals, unbiased", plots.rates(summaries, own, first)),
        ("Pass@1 by repository, unbiased", plots.repositories(summaries, own, first)),
        ("Pass@1 against the cost of an attempt", against_cost(costs, own, first)),
        ("Error classes of failed attempts by repository", error_bars(rows, "group", "run" if own[1:] else None, 4)),
    ]
    return plots.plots_of(drawn)
