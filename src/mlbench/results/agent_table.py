"""The terminal's tables of agents at work: success, price, effort, how they ended, and what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mlbench.results.agents import AgentStats, Success
from mlbench.results.aggregate import Summary
from mlbench.results.analyses.published import published
from mlbench.results.format import NONE, count, dollars, duration, mean, price, printable
from mlbench.results.rich_tables import Line, counted, plain_table, rate_cell, who

NOTE = (
    "Success: the share of attempts that pass, in per cent, with 95 % intervals. strict: the required program really "
    "ran with the required configuration. paper: the published rule, which looks at the exit of run.sh alone."
)
WORK_NOTE = (
    "$ a solved instance: what the whole run cost, for each that passes under strict. Steps: calls of the model. "
    "Tokens and time: means of an attempt; the time is the agent's own."
)
PUBLISHED = "Published: ML-Agent-Bench, quarter split (ML-Bench, table 4). Other data, other judge"


def success(summaries: Sequence[Summary], labours: Sequence[AgentStats], names: Sequence[str]) -> Table:
    """A run a row, both rules side by side."""
    table = plain_table()
    table.add_column("run", overflow="fold")
    for rule in ("strict", "paper"):
        table.add_column(f"success, {rule}", no_wrap=True)
    for number, (summary, one, name) in enumerate(zip(summaries, labours, names, strict=True), start=1):
        cells = [Text("\n").join([rate_cell(rule.rate), _solved(rule)]) for rule in (one.strict, one.paper)]
        table.add_row(who(number, summary.run, summary.overall.scored, summary.overall.total, name), *cells)
        if number < len(summaries):
            table.add_row()
    return table


def _solved(rule: Success) -> Text:
    return Text(f"{count(rule.solved)}/{count(rule.scored)} solved", style="dim")


def effort(summaries: Sequence[Summary], labours: Sequence[AgentStats]) -> Table:
    """What it took."""
    table = plain_table()
    table.add_column("run")
    for column in ("\ncost", "$ a solved\ninstance", "steps,\nmean", "\nmedian", "\ntokens", "\ntime"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, (summary, one) in enumerate(zip(summaries, labours, strict=True), start=1):
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


def endings(labours: Sequence[AgentStats], console: Console) -> Iterator[Table]:
    """How agents ended."""
    names = ordered(labours)
    lines = [Line([printable(name)], [one.outcomes.get(name, 0) for one in labours]) for name in names]
    return counted(["agent"], lines, console)


def ordered(labours: Sequence[AgentStats]) -> list[str]:
    """The ways in which agents ended, the most frequent first."""
    names = dict.fromkeys(name for one in labours for name in one.outcomes)
    return sorted(names, key=lambda name: -sum(one.outcomes.get(name, 0) for one in labours))


def published_results() -> Table:
    """Table 4."""
    table = plain_table()
    table.add_column("agent")
    table.add_column("model", overflow="fold")
    for column in ("success", "solved", "$ a solved instance"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in published().table_4:
        table.add_row(line.agent, line.model, f"{line.success:.2f}", count(line.solved), dollars(line.cost))
    return table
