"""Print the tables of runs: pass@k, answers, by type, by repository, verdicts, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from mlbench.records import Policy
from mlbench.results import agent_table
from mlbench.results.agents import stats_of_agents
from mlbench.results.aggregate import Group, PassAt, Summary, counts_by_outcome, summarise
from mlbench.results.benches import BenchNames, benches, headings
from mlbench.results.format import MEANINGS, NONE, count, dollars, duration, percent, printable
from mlbench.results.judged_policies import policies_of, rested_on
from mlbench.results.mlagentbench.table import show_experiments
from mlbench.results.models import RunRecord
from mlbench.results.person import published_note
from mlbench.results.result_records import PHP_METRICS
from mlbench.results.rich_tables import Line, chunks, counted, plain_table, print_tables, rate_cell, who
from mlbench.results.run_labels import labels
from mlbench.results.statistics import RESAMPLES

NOTE = (
    "first k: one of the first k attempts passes (the paper's rule). unbiased: 1 - C(n-c,k)/C(n,k). In per cent, with "
    f"95 % intervals: Wilson, or, with a star, cluster bootstrap over samples ({RESAMPLES:,} draws). A sample with "
    "fewer than k scored attempts is left out of Pass@k. PHP: the share of required values in the answer's text (as "
    "published), and in the settings that the program parses from the answer."
)

UNDOCUMENTED_NOTE = (
    "The oracle of these samples does not show all that their reference needs. They count in the rates above; the table"
    " by documentation has both parts."
)
CUT_NOTE = "cut: scored answers that ended at the token limit (--max-tokens)."


def show(runs: Sequence[RunRecord], policy: Policy, console: Console) -> None:
    """Print the tables of some runs under one policy; plain text if the console is no terminal.

    Each suite has tables of its own, and so have agents and experiments; experiments have no policies. If the policy
    judged none of a group's attempts, strict is shown.

    Raises:
        UsageError: there is no run, or runs of one suite are of different versions.
    """
    groups = benches(runs)
    for bench, heading in zip(groups, headings(groups), strict=True):
        if heading:
            console.print(Rule(Text(heading, style="bold"), align="left", style="dim"))
        if bench.experiments:
            show_experiments(bench.runs, console)
            continue
        judged = policies_of(bench.runs)
        _show(bench, policy if policy in judged else judged[0], console)


def _show(bench: BenchNames, policy: Policy, console: Console) -> None:
    summaries = [summarise(run, policy) for run in bench.runs]
    names = labels(bench.runs)
    suite = printable(bench.runs[0].suite)
    if draft := next((run.draft for run in bench.runs if run.draft), ""):
        suite += f" (draft: {printable(draft)})"
    if bench.agents:
        _show_agents(suite, summaries, names, console)
    if not bench.agents or any(run.each > 1 for run in bench.runs):
        print_tables(f"{suite}, policy {policy.value}", _headlines(summaries, names, console), console)
        _note(NOTE, console)
    if note := published_note(bench.runs):
        _note(note, console)
    for number, run in enumerate(bench.runs, start=1):
        if policy is Policy.STRICT and (said := rested_on(run)):
            _note(f"Run {number}: {said}", console)
    if not bench.agents:
        print_tables("Answers: Parameter Hit Precision (PHP), tokens, cost, time", [_answers(summaries)], console)
        if any(summary.cut for summary in summaries):
            _note(CUT_NOTE, console)
    for number, run in enumerate(bench.runs, start=1):
        if run.setting.endswith("-chooses"):
            right = sum(attempt.chosen == attempt.repository for attempt in run.attempts if attempt.scored)
            share = percent(right / run.scored if run.scored else None)
            _note(f"Run {number} had to find the repository: right in {right}/{run.scored} ({share} %).", console)
    for number, summary in enumerate(summaries, start=1):
        if summary.undocumented:
            _note(f"Run {number}: of which {summary.undocumented} undocumented. {UNDOCUMENTED_NOTE}", console)
    for what, pick in (("type", _types), ("repository", _repositories), ("documentation", _documentation)):
        if any(pick(summary) for summary in summaries):
            print_tables(f"By {what}: Pass@k, unbiased", _groups(what, summaries, pick, console), console)
    title = "Verdicts of the answers" if not bench.agents else f"Verdicts of run.sh, policy {policy.value}"
    print_tables(title, _endings(summaries, console), console)
    if any(summary.faults for summary in summaries):
        print_tables("Error classes (a failed attempt can have several)", _faults(summaries, console), console)
    if bench.agents and bench.runs[0].suite == agent_table.PUBLISHED_SUITE:
        print_tables(agent_table.PUBLISHED, [agent_table.published_results()], console)
        for doubt in agent_table.published_doubts():
            _note(doubt, console)


def _show_agents(suite: str, summaries: Sequence[Summary], names: Sequence[str], console: Console) -> None:
    agent_stats = [stats_of_agents(summary.run) for summary in summaries]
    print_tables(f"{suite}, agents", [agent_table.success(summaries, agent_stats, names)], console)
    policies = agent_table.judged_by(agent_stats)
    _note(agent_table.rules_note(policies), console)
    print_tables("Cost and effort of the agents", [agent_table.effort(summaries, agent_stats)], console)
    _note(agent_table.WORK_NOTE.format(policy=policies[0].value), console)
    print_tables("How agents ended", agent_table.endings(agent_stats, console), console)


def _note(text: str, console: Console) -> None:
    console.print(Padding(Text(text, style="dim"), (0, 0, 0, 2)))


def _headlines(summaries: Sequence[Summary], names: Sequence[str], console: Console) -> Iterator[Table]:
    """Pass@k of every run; the k are split over several tables if they do not fit."""
    ks = _ks(summaries)
    for start, end in chunks(len(ks), _rates_beside(console.width - 28)):
        yield _headline(summaries, names, ks[start:end])


def _rates_beside(width: int) -> int:
    """How many rates with intervals fit into a width."""
    return max(1, width // 15)


def _headline(summaries: Sequence[Summary], names: Sequence[str], ks: Sequence[int]) -> Table:
    table = plain_table()
    table.add_column("run", overflow="fold")
    table.add_column("")
    for k in ks:
        table.add_column(f"Pass@{k}", no_wrap=True)
    for number, (summary, name) in enumerate(zip(summaries, names, strict=True), start=1):
        cells = [Text("first k\nunbiased\nsamples", style="dim")]
        for k in ks:
            cells.append(_both(summary.overall.pass_at(k)))
        table.add_row(who(number, summary.run, summary.overall.scored, summary.overall.total, name), *cells)
        if number < len(summaries):
            table.add_row()
    return table


def _both(at: PassAt | None) -> Text:
    if at is None:
        return Text(NONE)
    return Text("\n").join([rate_cell(at.first), rate_cell(at.unbiased), _share(at.scored, at.total)])


def _answers(summaries: Sequence[Summary]) -> Table:
    table = plain_table()
    table.add_column("run")
    for column in (
        "PHP/\nparam.",
        "PHP/\nanswer",
        "PHP/\nconfig",
        "tokens\nin",
        "\nout",
        "\ncut",
        "\ncost",
        "\ntime",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    for number, summary in enumerate(summaries, start=1):
        hits = [summary.overall.figure(metric).value for metric in PHP_METRICS]
        table.add_row(
            str(number),
            *map(percent, hits),
            count(summary.tokens_in),
            count(summary.tokens_out),
            f"{count(summary.cut)}/{count(summary.overall.scored)}" if summary.cut else count(0),
            dollars(summary.cost),
            duration(summary.seconds),
        )
    return table


def _ks(summaries: Sequence[Summary]) -> list[int]:
    """Every k for which a run has pass@k."""
    return sorted({at.k for summary in summaries for at in summary.overall.at})


def _types(summary: Summary) -> Sequence[Group]:
    return summary.by_type


def _documentation(summary: Summary) -> Sequence[Group]:
    return summary.by_documentation


def _repositories(summary: Summary) -> Sequence[Group]:
    return summary.by_repository


def _groups(
    what: str,
    summaries: Sequence[Summary],
    pick: Callable[[Summary], Sequence[Group]],
    console: Console,
) -> Iterator[Table]:
    """One row per group. One run shows every k with intervals; several runs show two k."""
    groups = [{group.name: group for group in pick(summary)} for summary in summaries]
    names = list(dict.fromkeys(name for found in groups for name in found))
    ks = _ks(summaries)
    if len(summaries) == 1:
        for start, end in chunks(len(ks), _rates_beside(console.width - max(map(len, [what, *names])) - 10)):
            yield _of_one_run(what, groups[0], ks[start:end])
        return
    shown = (ks[0], ks[-1]) if len(ks) > 1 else tuple(ks)
    missing = any(group.scored < group.total for found in groups for group in found.values())
    width = 6 * len(shown) + (10 if missing else 0) + 2
    first = max(map(len, [what, *names])) + 2
    for start, end in chunks(len(summaries), max(1, (console.width - first) // width)):
        table = plain_table()
        table.add_column(what)
        for number in range(start, end):
            ats = " ".join(f"@{k}".rjust(5) for k in shown)
            table.add_column(f"run {number + 1}\n{ats}{'   scored' if missing else ''}", no_wrap=True)
        for name in names:
            table.add_row(printable(name), *(_brief(groups[number].get(name), shown) for number in range(start, end)))
        yield table


def _of_one_run(what: str, groups: Mapping[str, Group], ks: Sequence[int]) -> Table:
    table = plain_table()
    table.add_column(what)
    for k in ks:
        table.add_column(f"Pass@{k}", no_wrap=True)
    table.add_column("scored", justify="right", no_wrap=True)
    for name, group in groups.items():
        rates = [rate_cell(at.unbiased) if (at := group.pass_at(k)) else Text(NONE) for k in ks]
        table.add_row(printable(name), *rates, _share(group.scored, group.total))
    return table


def _brief(group: Group | None, ks: Sequence[int]) -> Text:
    if group is None:
        return Text(NONE.rjust(5))
    values = [at.unbiased.value if (at := group.pass_at(k)) else None for k in ks]
    text = Text(" ".join(percent(value).rjust(5) for value in values))
    if group.scored < group.total:
        text.append("  ").append(_share(group.scored, group.total))
    return text


def _share(scored: int, total: int) -> Text:
    return Text(f"{count(scored)}/{count(total)}".rjust(7), style="yellow" if scored < total else "dim")


def _endings(summaries: Sequence[Summary], console: Console) -> Iterator[Table]:
    lines = []
    for (stage, reason, passed), counts in counts_by_outcome(summaries).items():
        how = Text(printable(reason)).append(" (passed)" if passed else "", style="green")
        lines.append(Line([stage.value, how], counts))
    lost = [summary.overall.total - summary.overall.scored for summary in summaries]
    if any(lost):
        lines.append(Line([NONE, Text("not scored", style="yellow")], lost))
    return counted(["stage", "reason"], lines, console)


def _faults(summaries: Sequence[Summary], console: Console) -> Iterator[Table]:
    lines = []
    for kind in sorted({kind for summary in summaries for kind in summary.faults}):
        meaning = Text(MEANINGS.get(kind[:2], ""), style="dim")
        lines.append(Line([printable(kind), meaning], [summary.faults.get(kind, 0) for summary in summaries]))
    return counted(["error", ""], lines, console)
