"""Write results as JSON or CSV; names from logs are made safe in each."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from io import StringIO

from mlbench.results.format import printable
from mlbench.results.logs import SkippedLog
from mlbench.results.models import RunRecord
from mlbench.results.result_records import ResultRecord
from mlbench.results.run_labels import log_name

COLUMNS = tuple(field.name for field in fields(ResultRecord))


def as_json(
    records: Sequence[ResultRecord],
    runs: Sequence[RunRecord],
    skipped: Sequence[SkippedLog],
    comparisons: Sequence[Mapping[str, object]] = (),
) -> str:
    """Return one JSON object: every record unrounded, how each run is made again, and the logs that were skipped.

    Args:
        records: the figures.
        runs: where ours are from.
        skipped: logs that could not be read.
        comparisons: of two runs each (`paired_records`); without any, the object does not have them.
    """
    about = [
        {"log": log_name(run), "model": run.model, "agent": run.agent, "setting": run.setting, "command": run.command}
        for run in runs
    ]
    content = {
        "results": [asdict(record) for record in records],
        "runs": about,
        "skipped": [asdict(each) for each in skipped],
        **({"comparisons": list(comparisons)} if comparisons else {}),
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def as_csv(records: Sequence[ResultRecord]) -> str:
    """Return one line per record."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([safe_cell(value) for value in asdict(record).values()])
    return text.getvalue()


def safe_cell(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula, on one line; other values as they are."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
