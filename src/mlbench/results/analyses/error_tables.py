"""Error counts of runs as tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path

from mlbench.records import Policy, RunError
from mlbench.results.analyses.errors import NO_CLASS, ErrorCount, of_run
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.format import MEANINGS
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import labels


def sheets(runs: Sequence[RunRecord], counts: Sequence[ErrorCount]) -> list[Sheet]:
    """The errors as tables: per run, then by answer type and by repository.

    Args:
        runs: the runs, in the order of their counts.
        counts: of `error_counts`.
    """
    policy = Policy(counts[0].policy)
    found = []
    for run, name in zip(runs, labels(runs), strict=True):
        own = of_run(run, policy)
        whole = [each for each in own if each.group_kind == "all" and each.count]
        rows = tuple(
            (_name(each), each.count, 100 * each.share_of_failures, 100 * each.share_of_answers) for each in whole
        )
        title = f"{name}: {own[0].failures:,} of {own[0].answers:,} answers failed" if own else f"{name}: no answer"
        if rows:
            found.append(Sheet(title, ("error", "answers", "% of failures", "% of all"), rows))
        for kind in ("type", "repository"):
            grid = _grid(kind, [each for each in own if each.group_kind == kind and not each.sub_kind])
            if rows and grid is not None:
                found.append(grid)
    last = "An answer can have several errors, so the shares do not add up to 100 %. "
    last += f"Policy {policy}; '{NO_CLASS}': nothing says what is wrong."
    found[-1] = Sheet(found[-1].title, found[-1].columns, found[-1].rows, last)
    return found


def _name(count: ErrorCount) -> str:
    if count.sub_kind:
        return f"{count.error_class}/{count.sub_kind}"
    meaning = MEANINGS.get(count.error_class, "")
    return f"{count.error_class} {meaning}".strip()


def _grid(kind: str, counts: Sequence[ErrorCount]) -> Sheet | None:
    """Groups by classes; None if there is only one group."""
    groups = list(dict.fromkeys(each.group for each in counts))
    classes = sorted({each.error_class for each in counts if each.count})
    if len(groups) < 2 or not classes:
        return None
    by_key = {(each.group, each.error_class): each for each in counts}
    first = {each.group: each for each in counts}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            group,
            first[group].answers,
            first[group].failures,
            *(by_key[group, name].count if (group, name) in by_key else 0 for name in classes),
        )
        for group in groups
    )
    return Sheet(f"by {kind}", (kind, "answers", "failed", *classes), rows)


def write_csv(records: Sequence[ErrorCount], file: Path) -> None:
    """Write one line for each count, with both shares.

    Raises:
        RunError: the file cannot be written.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*(field.name for field in fields(ErrorCount)), "share_of_failures", "share_of_answers"])
    table.writerows([*astuple(each), each.share_of_failures, each.share_of_answers] for each in records)
    _write(text.getvalue(), file)


def write_json(records: Iterable[ErrorCount], file: Path) -> None:
    """Write the counts as a JSON list of objects.

    Raises:
        RunError: the file cannot be written.
    """
    shares = (
        {"share_of_failures": each.share_of_failures, "share_of_answers": each.share_of_answers} for each in records
    )
    lines = [{**asdict(each), **share} for each, share in zip(records, shares, strict=True)]
    _write(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", file)


def _write(text: str, file: Path) -> None:
    try:
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
