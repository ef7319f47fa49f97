"""Measure how often a cut context loses the oracle segment (table 17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.prompts.context import Context, Document
from mlbench.prompts.oracle_coverage import survival
from mlbench.records import Setting
from mlbench.results.analyses.published import published
from mlbench.results.analyses.rows import RowContext, entries, grouped, mean, runs_of, selection_of
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.published.csv_tables import SUITES
from mlbench.results.run_labels import labels
from mlbench.suites.suite import Suite

BUDGETS = (8192, 16_384, 32_768, 128_000)
NOTE = (
    "Per cent of rows whose oracle segment is not whole in what is shown, white space aside, by the context in tokens"
    " (reply included): it was cut off, was not found, or stands in a file that the setting does not show."
)


def truncation(
    suite: Suite,
    splits: Sequence[str],
    settings: Sequence[Setting],
    budgets: Sequence[int],
    context: Context,
    limit: int,
) -> list[Sheet]:
    """Return one sheet per setting: per cent of lost segments by repository and budget.

    Args:
        suite: name of the suite.
        splits: splits to read.
        settings: of the prompts.
        budgets: context budgets in tokens.
        context: everything but the budget.
        limit: rows per split, spread evenly over it.
    """
    chosen = list(entries(suite, splits, limit))
    known = suite.name in SUITES
    return [_sheet(chosen, setting, sorted(set(budgets)), context, known) for setting in settings]


def _sheet(
    chosen: Sequence[RowContext], setting: Setting, budgets: Sequence[int], context: Context, known: bool
) -> Sheet:
    lost = [tuple(_lost(entry, setting, replace(context, tokens=budget)) for budget in budgets) for entry in chosen]
    by_repository = grouped(zip(chosen, lost, strict=True), lambda pair: pair[0].repository)
    theirs = published().table_17 if known and setting == "code" else {}
    lines: list[tuple[Cell, ...]] = []
    for repository, pairs in by_repository.items():
        shares = [mean(100.0 * own[i] for _, own in pairs) for i in range(len(budgets))]
        lines.append((repository, len(pairs), *shares, theirs.get(repository)))
    lines.append(("all", len(lost), *(mean(100.0 * own[i] for own in lost) for i in range(len(budgets))), None))
    columns = ("repository", "rows", *(f"{budget:,}" for budget in budgets), "paper")
    width = len(columns) if theirs else len(columns) - 1
    note = NOTE + (" The paper's figures are of 8k, looked at by hand." if theirs else "")
    how = f", {context.retrieval}" if setting == "retrieval" else ""
    title = f"Lost segments, setting {setting}{how} (table 17)"
    return Sheet(title, columns[:width], tuple(line[:width] for line in lines), note)


def _lost(entry: RowContext, setting: Setting, context: Context) -> bool:
    return not survival(entry.section, selection_of(entry, setting, context).documents).whole


def truncation_of_logs(suite: Suite, logs: Sequence[Path]) -> list[Sheet]:
    """Return the per cent of lost segments in the prompts that were sent, by repository and run."""
    runs = runs_of(suite, logs)
    repositories = list(dict.fromkeys(attempt.repository for run in runs for attempt in run.attempts))
    lost: list[dict[str, list[float]]] = []
    for run in runs:
        prompts = {attempt.row: attempt for attempt in run.attempts}  # every attempt at a row is sent the same one
        by_repository: dict[str, list[float]] = {name: [] for name in repositories}
        for row, attempt in prompts.items():
            whole = survival(suite.row(row).section, (Document("", attempt.prompt),)).whole
            by_repository[attempt.repository].append(0.0 if whole else 100.0)
        lost.append(by_repository)
    names = [f"{name}, {run.setting}" for name, run in zip(labels(runs), runs, strict=True)]
    lines = [(name, *(mean(each[name]) for each in lost)) for name in repositories]
    lines.append(("all", *(mean(value for values in each.values() for value in values) for each in lost)))
    note = "Per cent of rows whose oracle segment is not whole in the prompt that was sent, white space aside."
    return [Sheet("Lost segments in prompts that were sent (table 17)", ("repository", *names), tuple(lines), note)]
