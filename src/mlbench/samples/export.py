"""Rows as files: JSON Lines and Parquet, with a dataset card, so that `datasets.load_dataset(DIR)` opens them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from mlbench.samples.suites import Suite, load_rows
from mlbench.types import RunError, Sample, UsageError

COLUMNS = tuple(field.name for field in fields(Sample))
_CARD = """---
license: mit
configs:
- config_name: default
  data_files:
{files}---

# {name}, version {version}

{counts}

The 11 columns are those of ML-Bench. `arguments` holds a dict literal.
"""


def export(suite: Suite, name: str, folder: Path) -> list[Path]:
    """Write every split as `jsonl/SPLIT.jsonl` and `parquet/SPLIT.parquet`; returns the files.

    Raises:
        UsageError: pyarrow is not installed.
        RunError: the folder cannot be written.
    """
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError("writing Parquet needs pyarrow: pip install 'mlbench-harness[parquet]'") from error
    splits = load_rows(name)
    written: list[Path] = []
    try:
        for kind in ("jsonl", "parquet"):
            (folder / kind).mkdir(parents=True, exist_ok=True)
        for split, rows in splits.items():
            records = [asdict(row) for row in rows]
            lines = folder / "jsonl" / f"{split}.jsonl"
            lines.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
            table = folder / "parquet" / f"{split}.parquet"
            parquet.write_table(arrow.Table.from_pylist(records, schema=_schema(arrow)), table)
            written += [lines, table]
        card = folder / "README.md"
        card.write_text(_card(suite, splits), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    return [*written, card]


def _schema(arrow: object) -> object:
    whole = {"github_id", "repo_id", "id"}
    types = [(name, arrow.int64() if name in whole else arrow.string()) for name in COLUMNS]  # type: ignore[attr-defined]
    return arrow.schema(types)  # type: ignore[attr-defined]


def _card(suite: Suite, splits: dict[str, list[Sample]]) -> str:
    files = "".join(f"  - split: {split}\n    path: parquet/{split}.parquet\n" for split in splits)
    counts = "\n".join(f"- `{split}`: {counted(rows)}" for split, rows in splits.items())
    return _CARD.format(files=files, name=suite.name, version=suite.version, counts=counts)


def counted(rows: Sequence[Sample]) -> str:
    """`260 rows (208 scripts, 52 code)`."""
    scripts = sum(row.kind == "shell" for row in rows)
    return f"{len(rows)} rows ({scripts} scripts, {len(rows) - scripts} code)"
