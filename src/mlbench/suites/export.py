"""Writes rows as JSON Lines and Parquet, so that `datasets.load_dataset(DIR)` opens them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from mlbench.records import SHELL_TYPE, RunError, Sample, UsageError
from mlbench.suites.rows import SuiteRow
from mlbench.suites.rows_io import write_json_lines
from mlbench.suites.suite import Suite

Format = Literal["jsonl", "parquet"]

COLUMNS = (*(field.name for field in fields(Sample)), "completeness")
_CARD = """---
license: mit
configs:
- config_name: default
  data_files:
{files}---

# {name}, version {version}

{counts}

The first 11 columns are those of ML-Bench. `arguments` holds a dict literal. `completeness` says whether `oracle` shows
every option, name and value that `output` needs: `complete`, `undocumented`, or `unknown`.
"""


def export(suite: Suite, folder: Path, form: Format | None = None) -> list[Path]:
    """Write every split as `jsonl/SPLIT.jsonl` and `parquet/SPLIT.parquet`; returns the files.

    Args:
        suite: the suite whose rows are written.
        folder: the destination.
        form: only this format; None for both, or JSON Lines alone if pyarrow is not installed.

    Raises:
        UsageError: Parquet is wanted and pyarrow is not installed.
        RunError: the folder cannot be written.
    """
    forms: tuple[Format, ...] = (form,) if form else ("jsonl", "parquet") if find_spec("pyarrow") else ("jsonl",)
    if "parquet" in forms and find_spec("pyarrow") is None:
        raise UsageError(
            "writing Parquet needs pyarrow: pip install 'mlbench-harness[parquet]'; --format jsonl needs nothing"
        )
    splits = suite.splits
    written: list[Path] = []
    try:
        for each in forms:
            (folder / each).mkdir(parents=True, exist_ok=True)
        for split, rows in splits.items():
            records = [{**asdict(row.sample), "completeness": row.completeness.value} for row in rows]
            for each in forms:
                file = folder / each / f"{split}.{each}"
                (write_json_lines if each == "jsonl" else _write_parquet)(records, file)
                written.append(file)
        card = folder / "README.md"
        card.write_text(_card(suite, splits, forms[-1]), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    return [*written, card]


def _write_parquet(records: Sequence[Mapping[str, object]], file: Path) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    parquet.write_table(arrow.Table.from_pylist(records, schema=_schema(arrow)), file)


def _schema(arrow: object) -> object:
    whole = {"github_id", "repo_id", "id"}
    types = [(name, arrow.int64() if name in whole else arrow.string()) for name in COLUMNS]  # type: ignore[attr-defined]
    return arrow.schema(types)  # type: ignore[attr-defined]


def _card(suite: Suite, splits: Mapping[str, Sequence[SuiteRow]], form: Format) -> str:
    files = "".join(f"  - split: {split}\n    path: {form}/{split}.{form}\n" for split in splits)
    counts = "\n".join(f"- `{split}`: {counted(rows)}" for split, rows in splits.items())
    return _CARD.format(files=files, name=suite.name, version=suite.version, counts=counts)


def counted(rows: Sequence[Sample] | Sequence[SuiteRow]) -> str:
    """A line with the number of rows, like `260 rows (208 scripts, 52 code)`."""
    scripts = sum(row.type == SHELL_TYPE for row in rows)
    return f"{len(rows)} rows ({scripts} scripts, {len(rows) - scripts} code)"
