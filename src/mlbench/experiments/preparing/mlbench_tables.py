"""What scripts share that make published tables ready; mounted beside them. It parses, and unpickles nothing."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd


def table(file: Path, columns: Sequence[str]) -> pd.DataFrame:
    """A published CSV file, as it is or packed as a zip; the cells as text: what is written goes on as it is.

    Args:
        columns: those that it must have.

    Raises:
        SystemExit: it is no such table, or is cut; one line that names the file.
    """
    try:
        packed = "zip" if zipfile.is_zipfile(file) else None
        frame = pd.read_csv(file, dtype=str, keep_default_na=False, compression=packed)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{file.name}: is no table: {' '.join(str(error).split())}") from None
    missing = [column for column in columns if column not in frame]
    if missing:
        raise SystemExit(f"{file.name}: has no column {missing[0]}; it is not the published table")
    if frame.isna().any(axis=None):
        raise SystemExit(f"{file.name}: row {frame.isna().any(axis=1).argmax() + 1} is cut")
    return frame
