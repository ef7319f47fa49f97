"""Print the tables of experiments. Each title names the kind of data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mlbench.results.format import (
    NONE,
    change,
    change_between,
    count,
    dollars,
    duration,
    interval,
    mean,
    percent,
    price,
    printable,
    ratio,
    score,
)
from mlbench.results.mlagentbench.failures import ExperimentFailure
from mlbench.results.mlagentbench.figures import Findings, ProblemStats, findings
from mlbench.results.mlagentbench.models import ExperimentResult, ProblemRecord
from mlbench.results.mlagentbench.published_rule import is_published, threshold_rates
from mlbench.results.models import RunRecord
from mlbench.results.rich_tables import Line, chunks, counted, plain_table, print_tables, rate_cell, who
from mlbench.results.run_labels import labels
from mlbench.score_records import ScoredStarter

NOTE = (
    "Success: the share of started attempts whose score is more than 10 % better than the starter's and, if the "
    "problem states what plain recipes reach, beyond that; in per cent, with Wilson's 95 % interval. Easy wins: more "
    "than 10 % better, within reach of plain recipes. Improvement: relative to the starter, over valid submissions; "
    "mean over problems, with the 95 % bootstrap interval over repeats. Scale: 0 is a predictor that looks at nothing, "
    "1 the floor, which nobody beats by work. False claims: attempts that hand in a number (claimed_score) "
    "much better than was measured; text is not read."
)
SCORES_NOTE = (
    "Final: the mean of valid submissions. Best: of any attempt, or of any step if every step was graded. Starter: "
    "measured on the machine that graded, mean and standard deviation."
)
PUBLISHED = "Published: MLAgentBench, success in per cent of 8 runs; the models have changed since"
BY_THRESHOLD = (
    "At the end: the final submission. At any point: any step, if every step was graded. A starter that leaves no "
    "submission has the score that the published evaluation assumes."
)
_MARKS = {ExperimentResult.IMPROVED: "green", ExperimentResult.LOST: "yellow"}


def show_experiments(runs: Sequence[RunRecord], console: Console) -> None:
    """Print the tables of some runs."""
    found = [findings(run) for run in runs]
    data = f"{printable(runs[0].data)} data"
    print_tables(f"experiments, {data}", [_headline(found, labels(runs))], console)
    console.print(Padding(Text(NOTE, style="dim"), (0, 0, 0, 2)))
    print_tables(f"Submissions, {data}", [_left(found)], console)
    print_tables(f"Effort, {data}: means per attempt", [_effort(found)], console)
    print_tables(
        f"By problem, {data}: success; below it, valid submissions and their improvement in %",
        _by(found, console),
        console,
    )
    print_tables(f"Scores, {data}", _scores(found, console), console)
    console.print(Padding(Text(SCORES_NOTE, style="dim"), (0, 0, 0, 2)))
    print_tables(f"Tokens and time by problem, {data}: means per attempt", _efforts(found, console), console)
    for line in to_look_at(found):
        console.print(Padding(Text(line, style="yellow"), (0, 0, 0, 2)))
    print_tables(f"Results of the attempts, {data}", _results(found, console), console)
    print_tables(f"How agents ended, {data}", _counts("agent", [one.outcomes for one in found], console), console)
    if any(one.errors for one in found):
        print_tables(f"Actions that failed, {data}", _counts("error", [one.errors for one in found], console), console)
    if any(one.failures for one in found):
        print_tables(f"Why attempts failed, {data} (an attempt can be in several)", _failures(found, console), console)
    if not is_published(runs[0].data):
        return  # published figures can be set beside these data alone
    print_tables(f"Success by improvement over the starter, {data}", [_by_threshold(found)], console)
    console.print(Padding(Text(BY_THRESHOLD, style="dim"), (0, 0, 0, 2)))
    if tables := list(_published(problems_of(found), console)):
        print_tables(PUBLISHED, tables, console)


def to_look_at(found: Sequence[Findings]) -> list[str]:
    """Return a line for each problem that has scores too good to be true, which no person has looked at."""
    unseen = (each for one in found for each in one.run.experiments if each.is_suspect and each.accepted is None)
    many = Counter(each.problem.name for each in unseen)
    return [
        f"{name}: {count} score{'s' if count > 1 else ''} too good to be true; "
        "`mlbench experiment review LOG` shows them"
        for name, count in sorted(many.items())
    ]


def problems_of(found: Sequence[Findings]) -> list[ProblemRecord]:
    """Return the problems of all runs, sorted by name."""
    every = {stats.problem.name: stats.problem for one in found for stats in one.by_problem}
    return [every[name] for name in sorted(every)]


def _headline(found: Sequence[Findings], names: Sequence[str]) -> Table:
    table = plain_table()
    table.add_column("run", overflow="fold")
    table.add_column("success", no_wrap=True)
    table.add_column("improvement", no_wrap=True)
    for number, (one, name) in enumerate(zip(found, names, strict=True), start=1):
        table.add_row(who(number, one.run, one.graded, one.run.expected, name), _success(one), _improvement(one))
        if number < len(found):
            table.add_row()
    return table


def _left(found: Sequence[Findings]) -> Table:
    table = plain_table()
    table.add_column("run")
    for column in ("valid", "scale", "easy wins", "false claims"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, one in enumerate(found, start=1):
        valid = f"{count(one.valid)}/{count(one.started)}"
        table.add_row(str(number), valid, ratio(one.scale), count(one.easy_wins), count(one.false_claims))
    return table


def _success(of: Findings | ProblemStats) -> Text:
    share = Text(f"{count(of.succeeded)}/{count(of.started)}", style="dim")
    return Text("\n").join([rate_cell(of.success), share])


def _improvement(of: Findings | ProblemStats) -> Text:
    text = Text(change(of.improvement.value) + " %" if of.improvement else NONE)
    bounds = change_between(of.improvement)
    return text.append(f"\n{bounds}", style="dim") if bounds else text


def _effort(found: Sequence[Findings]) -> Table:
    table = plain_table()
    table.add_column("run")
    for column in ("steps", "tokens", "time", "cost", "cost,\nrun", "$ per\nsuccess"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, one in enumerate(found, start=1):
        table.add_row(
            str(number),
            mean(one.steps),
            NONE if one.tokens is None else count(round(one.tokens)),
            NONE if one.seconds is None else duration(one.seconds),
            dollars(one.cost),
            dollars(one.run.usage.cost),
            price(one.price),
        )
    return table


def _by(found: Sequence[Findings], console: Console) -> Iterator[Table]:
    """One row per problem, one cell per run: success rate, and improvement of valid submissions."""
    problems = problems_of(found)
    for start, end in chunks(len(found), _fitting([problem.name for problem in problems], console, 24)):
        table = plain_table()
        table.add_column("problem", no_wrap=True)
        for number in range(start, end):
            table.add_column(_head(number, len(found)), no_wrap=True)
        for problem in problems:
            table.add_row(printable(problem.name), *(_problem_stats(one.at(problem.name)) for one in found[start:end]))
        yield table


def _problem_stats(of: ProblemStats | None) -> Text:
    if of is None:
        return Text(NONE)
    text = Text(f"{of.succeeded}/{of.started}  {percent(of.success.value).rjust(6)} ")
    text.append(interval(of.success), style="dim").append(f"\n{of.valid}/{of.started}  ", style="dim")
    if of.improvement is None:
        return text.append(NONE.rjust(6))
    text.append(change(of.improvement.value).rjust(6) + " ")
    return text.append(change_between(of.improvement), style="dim")


def _scores(found: Sequence[Findings], console: Console) -> Iterator[Table]:
    """One row per problem, one cell per run: the final score, and the best one below it."""
    problems = problems_of(found)
    for start, end in chunks(len(found), _fitting([measure(problem) for problem in problems], console, 10, first=26)):
        table = plain_table()
        table.add_column("problem")
        for column in ("starter", "reference"):
            table.add_column(column, justify="right", no_wrap=True)
        for number in range(start, end):
            table.add_column(f"{_head(number, len(found))}\nfinal\nbest", justify="right", no_wrap=True)
        for problem in problems:
            some = [of for one in found[start:end] if (of := one.at(problem.name))]
            starters = dict.fromkeys(of.starter for of in some if of.starter)
            references = dict.fromkeys(of.reference for of in some if of.reference is not None)
            table.add_row(
                Text(printable(problem.name)).append(f"\n{measure(problem)}", style="dim"),
                "\n".join(map(starter_words, starters)) or NONE,
                "\n".join(map(score, references)) or NONE,
                *(_final(one.at(problem.name)) for one in found[start:end]),
            )
        yield table


def _final(of: ProblemStats | None) -> Text:
    return Text(score(of.final)).append(f"\n{score(of.best)}", style="dim") if of else Text(NONE)


def _efforts(found: Sequence[Findings], console: Console) -> Iterator[Table]:
    """One row per problem, one cell per run: tokens, and time below them."""
    problems = problems_of(found)
    for start, end in chunks(len(found), _fitting([problem.name for problem in problems], console, 14)):
        table = plain_table()
        table.add_column("problem", no_wrap=True)
        for number in range(start, end):
            table.add_column(f"{_head(number, len(found))}\ntokens\ntime", justify="right", no_wrap=True)
        for problem in problems:
            table.add_row(printable(problem.name), *(_spent(one.at(problem.name)) for one in found[start:end]))
        yield table


def _spent(of: ProblemStats | None) -> Text:
    if of is None or of.tokens is None or of.seconds is None:
        return Text(NONE)
    return Text(count(round(of.tokens))).append(f"\n{duration(of.seconds)}", style="dim")


def measure(problem: ProblemRecord) -> str:
    """Describe a metric: its name, its unit, and which direction is better."""
    unit = f", {problem.metric.unit}" if problem.metric.unit else ""
    return printable(f"{problem.metric.name}{unit} {'↑' if problem.metric.better == 'higher' else '↓'}")


def starter_words(starter: ScoredStarter) -> str:
    return f"{score(starter.mean)} ± {score(starter.spread)}" if starter.n > 1 else score(starter.mean)


def _results(found: Sequence[Findings], console: Console) -> Iterator[Table]:
    lines = [
        Line([Text(result.value, style=_MARKS.get(result, ""))], [one.results[result] for one in found])
        for result in ExperimentResult
        if any(one.results[result] for one in found)
    ]
    return counted(["result"], lines, console)


def _failures(found: Sequence[Findings], console: Console) -> Iterator[Table]:
    kinds = [kind for kind in ExperimentFailure if any(kind in one.failures for one in found)]
    lines = [Line([kind.value], [one.failures.get(kind, 0) for one in found]) for kind in kinds]
    return counted(["failure"], lines, console)


def _counts(what: str, counts: Sequence[Mapping[str, int]], console: Console) -> Iterator[Table]:
    lines = [Line([printable(name)], [each.get(name, 0) for each in counts]) for name in ordered(counts)]
    return counted([what], lines, console)


def ordered(counts: Sequence[Mapping[str, int]]) -> list[str]:
    """Return the names of counts, most frequent first."""
    names = dict.fromkeys(name for each in counts for name in each)
    return sorted(names, key=lambda name: -sum(each.get(name, 0) for each in counts))


def _by_threshold(found: Sequence[Findings]) -> Table:
    """One row per run and threshold."""
    table = plain_table()
    table.add_column("run")
    for column in ("better by", "at the end", "at any point"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, one in enumerate(found, start=1):
        for rates in threshold_rates(one.run.experiments):
            at_any = rate_cell(rates.any_point) if rates.any_point else Text(NONE)
            table.add_row(str(number), f"{percent(rates.threshold)} %", rate_cell(rates.final), at_any)
    return table


def _published(problems: Sequence[ProblemRecord], console: Console) -> Iterator[Table]:
    """One row per problem, one column per model of the paper, and the average."""
    shown = [problem for problem in problems if problem.published]
    models = list(dict.fromkeys(model for problem in shown for model in problem.published))
    for start, end in chunks(len(models), _fitting([problem.name for problem in shown], console, 8)):
        table = plain_table()
        table.padding = (0, 1, 0, 0)
        table.add_column("problem", no_wrap=True)
        for model in models[start:end]:
            table.add_column(_folded(printable(model)), justify="right")
        for problem in shown:
            table.add_row(
                printable(problem.name), *(_figure(problem.published.get(model)) for model in models[start:end])
            )
        if len(shown) > 1:
            table.add_row("average", *(_figure(average(shown, model)) for model in models[start:end]))
        yield table


def average(problems: Sequence[ProblemRecord], model: str) -> float | None:
    """Return a model's mean published success rate over the problems that have one."""
    found = [problem.published[model] for problem in problems if model in problem.published]
    return sum(found) / len(found) if found else None


def _folded(model: str) -> str:
    """A model's name in at most two lines: `Claude` over `3 Opus`, `GPT-4-` over `turbo`."""
    return "\n".join(re.split(r"\s|(?<=-)(?=[a-z])", model, maxsplit=1))


def _figure(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _head(number: int, runs: int) -> str:
    return "attempts" if runs == 1 else f"run {number + 1}"


def _fitting(names: Sequence[str], console: Console, width: int, first: int = 0) -> int:
    """How many columns of a width fit beside the names and the `first` columns."""
    return max(1, (console.width - max(map(len, names), default=0) - 2 - first) // width)
