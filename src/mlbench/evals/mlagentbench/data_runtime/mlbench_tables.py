"""What scripts share that make tables ready; mounted beside them. It parses, and unpickles nothing."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
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


def split(
    out: Path,
    train: pd.DataFrame,
    test: pd.DataFrame,
    key: str,
    told: Sequence[str],
    trivial: Mapping[str, object] | None = None,
    floor: Mapping[str, object] | None = None,
) -> None:
    """Write the parts of a table: to learn from, to be told, the answers; and answers of known quality.

    Args:
        key: the column by which answers are joined. told: the columns that are to be told.
        trivial: by column, what is told by one who looks at nothing. floor: what is told by one who knows the rule.
    """
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (out / part).mkdir(parents=True)
    answers = test[[key, *told]]
    train.to_csv(out / "visible/train.csv", index=False)
    test.drop(columns=[*told]).to_csv(out / "visible/test.csv", index=False)
    answers.to_csv(out / "hidden/answers.csv", index=False)
    # the rows in another order are as good: what counts is the key
    answers.sample(frac=1, random_state=1).to_csv(out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(**{key: answers[key].sample(frac=1, random_state=2).to_numpy()})
    permuted.to_csv(out / "hidden/permuted/submission.csv", index=False)
    for name, known in (("trivial", trivial), ("floor", floor)):
        if known is not None:
            (out / "hidden" / name).mkdir()
            answers.assign(**known).to_csv(out / f"hidden/{name}/submission.csv", index=False)
