"""Sheets of `mlbench analyse memory`: pass(original) − pass(twin), and how many answers use an old name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.format import p_value
from mlbench.results.memory.old_names import memory_rate
from mlbench.results.memory.run_suites import one_by_row
from mlbench.results.memory.twin_runs import TwinRuns
from mlbench.results.models import RunRecord
from mlbench.results.paired import paired_rate, tallies_by_row
from mlbench.results.run_labels import label

_DIFFERENCE = (
    "Pass@1 in per cent, over rows that both runs scored. points: original - twin, with its 95 % interval"
    " (Newcombe's for one answer a row, else a bootstrap over rows); p: exact McNemar, for one answer a row."
    " A twin can be harder than its original for another reason than memory: compare with a model that cannot know the"
    " originals."
)
_RATE = (
    "answers: to twins whose changed names are shown only in their new form. old name: wrong answers that use an old"
    " one, in per cent of the wrong answers with its 95 % interval, and in per cent of all answers. undecided: answers"
    " of rows without such a name."
)


def recall(pairs: Sequence[TwinRuns]) -> tuple[list[Sheet], list[Sheet]]:
    """Return the sheets of all pairs by kind and setting, and those of each pair by repository."""
    groups: dict[tuple[str, str], list[TwinRuns]] = {}
    for pair in pairs:
        groups.setdefault((pair.kind.value, pair.twin.setting), []).append(pair)
    sheets, details = [], []
    for (kind, setting), group in groups.items():
        about = {"kind": kind, "setting": setting}
        title = f"kind {kind}, setting {setting}"
        lines = [(_name(pair), *_difference(pair, None)) for pair in group]
        columns = ("model", "rows", "original", "twin", "points", "low", "high", "p")
        sheets.append(Sheet(f"Original - twin: {title}", columns, tuple(lines), _DIFFERENCE, about=about))
        renamed = any(attempt.renamed for pair in group for attempt in pair.twin.attempts)
        if renamed:
            columns = ("model", "answers", "wrong", "old name", "low", "high", "of all", "undecided")
            lines = [(_name(pair), *_names(pair, None)) for pair in group]
            sheets.append(Sheet(f"Memory rate: {title}", columns, tuple(lines), _RATE, about=about))
        details += [_by_repository(pair, renamed, about) for pair in group]
    return sheets, details


def _name(pair: TwinRuns) -> str:
    return label(pair.twin)


def _by_repository(pair: TwinRuns, renamed: bool, about: Mapping[str, str]) -> Sheet:
    lines: list[tuple[Cell, ...]] = []
    for repository in sorted({attempt.repository for attempt in pair.twin.attempts}):
        old_name = _names(pair, repository)[2] if renamed else None
        lines.append((repository, *_difference(pair, repository)[:-1], old_name))
    return Sheet(
        f"{_name(pair)}: kind {about['kind']}, setting {about['setting']}, by repository",
        ("repository", "rows", "original", "twin", "points", "low", "high", "old name"),
        tuple(lines),
        about={**about, "model": _name(pair)},
    )


def _difference(pair: TwinRuns, repository: str | None) -> tuple[Cell, ...]:
    """Rows, both rates, their difference with its interval, and p; of one repository or of all."""
    rows = one_by_row(pair.twin)
    own = {row: attempt.twin_of for row, attempt in rows.items() if repository in (None, attempt.repository)}
    originals = tallies_by_row(pair.original, pair.policy)
    twins = {
        original: tally
        for row, tally in tallies_by_row(pair.twin, pair.policy).items()
        if (original := own.get(row)) is not None
    }
    found = paired_rate(twins, originals, 1)
    if found is None:
        return (0, None, None, None, None, None, None)
    rates = (found.second, found.first, found.difference, found.low, found.high)
    return (found.n, *(100 * rate for rate in rates), p_value(found.p))


def _names(pair: TwinRuns, repository: str | None) -> tuple[Cell, ...]:
    attempts = [each for each in pair.twin.attempts if repository in (None, each.repository)]
    found = memory_rate(attempts, pair.twin.setting, pair.policy)
    wrong, every = found.of_wrong, found.of_all
    per_cent = [None if each is None else 100 * each for each in (wrong.value, wrong.low, wrong.high, every.value)]
    return (found.answers, found.wrong, *per_cent, found.undecided)


def suites_of(pairs: Sequence[TwinRuns]) -> str:
    """The suites of the originals."""
    runs: list[RunRecord] = [pair.original for pair in pairs]
    return ", ".join(dict.fromkeys(run.suite for run in runs))
