"""Tables of agents in the terminal: success rate, cost, effort, endings, published results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mlbench.records import Policy
from mlbench.results.agents import AgentStats, Success
from mlbench.results.aggregate import Summary
from mlbench.results.format import NONE, count, dollars, duration, mean, price, printable
from mlbench.results.published.published_records import published_agents
from mlbench.results.rich_tables import Line, counted, plain_table, rate_cell, who

NOTE = "Success: the share of attempts that pass, in per cent, with 95 % intervals."
RULES = {
    Policy.STRICT: "the required program ran with the required configuration",
    Policy.INTERFACE: "the programs that run.sh starts accept their arguments, with the required configuration; nothing"
    " was run",
    Policy.PAPER: "the published rule, which needs only the exit code of run.sh",
}
"""What success means under each policy."""
WORK_NOTE = (
    "$ per solved: dollars of the whole run, divided by the attempts that pass under {policy}. Steps: calls of the "
    "model. Tokens and time: means per attempt; the time is the agent's alone."
)
PUBLISHED_SUITE = "ml-bench"
"""The published results are shown only beside runs of this suite."""
PUBLISHED = "Published: ML-Agent-Bench, quarter split (ML-Bench, table 4). Other data, other judge"


def success(summaries: Sequence[Summary], agent_stats: Sequence[AgentStats], names: Sequence[str]) -> Table:
    """Build the table of success rates: one row per run, one column per policy."""
    table = plain_table()
    table.add_column("run", overflow="fold")
    policies = judged_by(agent_stats)
    for policy in policies:
        table.add_column(f"success, {policy.value}", no_wrap=True)
    for number, (summary, one, name) in enumerate(zip(summaries, agent_stats, names, strict=True), start=1):
        cells = [_success(one.success.get(policy)) for policy in policies]
        table.add_row(who(number, summary.run, summary.overall.scored, summary.overall.total, name), *cells)
        if number < len(summaries):
            table.add_row()
    return table


def judged_by(agent_stats: Sequence[AgentStats]) -> list[Policy]:
    """Return the policies that judged any of the runs."""
    found = {policy for one in agent_stats for policy in one.success}
    return [policy for policy in (Policy.STRICT, Policy.INTERFACE, Policy.PAPER) if policy in found]


def rules_note(policies: Sequence[Policy]) -> str:
    """Return what the table of success rates means under these policies."""
    return " ".join([NOTE, *(f"{policy.value}: {RULES[policy]}." for policy in policies)])


def _success(of: Success | None) -> Text:
    return Text(NONE) if of is None else Text("\n").join([rate_cell(of.rate), _solved(of)])


def _solved(rule: Success) -> Text:
    return Text(f"{count(rule.solved)}/{count(rule.scored)} solved", style="dim")


def effort(summaries: Sequence[Summary], agent_stats: Sequence[AgentStats]) -> Table:
    """Build the table of cost, steps, tokens and time: one row per run."""
    table = plain_table()
    table.add_column("run")
    for column in ("\ncost", "$ per\nsolved", "steps,\nmean", "\nmedian", "\ntokens", "\ntime"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, (summary, one) in enumerate(zip(summaries, agent_stats, strict=True), start=1):
        table.add_row(
            str(number),
            dollars(summary.cost),
            price(one.price),
            mean(one.steps_mean),
            mean(one.steps_median),
            NONE if one.tokens is None else count(round(one.tokens)),
            NONE if one.seconds is None else duration(one.seconds),
        )
    return table


def endings(agent_stats: Sequence[AgentStats], console: Console) -> Iterator[Table]:
    """Yield tables that count how agents ended."""
    names = ordered(agent_stats)
    lines = [Line([printable(name)], [one.outcomes.get(name, 0) for one in agent_stats]) for name in names]
    return counted(["agent"], lines, console)


def ordered(agent_stats: Sequence[AgentStats]) -> list[str]:
    """Return the ways in which agents ended, most frequent first."""
    names = dict.fromkeys(name for one in agent_stats for name in one.outcomes)
    return sorted(names, key=lambda name: -sum(one.outcomes.get(name, 0) for one in agent_stats))


def published_results() -> Table:
    """Build the published table of agents (ML-Bench, table 4)."""
    table = plain_table()
    table.add_column("agent")
    table.add_column("model", overflow="fold")
    for column in ("success", "solved", "$ per solved"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in published_agents():
        cells = (line.agent, line.model, f"{line.success:.2f}", f"{line.solved}/{line.n}", dollars(line.cost))
        table.add_row(*cells, style="dim")
    return table


def published_doubts() -> list[str]:
    """Return why published results of agents cannot be right as printed, one line for each."""
    return [f"{line.agent}, {line.model}: {line.doubt}." for line in published_agents() if line.doubt]
