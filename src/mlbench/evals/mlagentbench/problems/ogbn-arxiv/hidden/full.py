"""The papers of ogbn-arxiv as published (Hu et al. 2020): 169,343 papers, 1,166,243 citations, split by year.

RAW/arxiv.zip   arxiv/raw/edge.csv.gz, node-feat.csv.gz, node-label.csv.gz, node_year.csv.gz, and in arxiv/split/time
                the papers of each part; no file has a header
"""

import gzip
import io
import zipfile
import zlib

import numpy as np
import pandas as pd
from mlbench_preparing import called
from prepare import SUBJECTS, write

ARCHIVE, WIDTH = "arxiv.zip", 128
LARGEST = 1 << 30  # bytes of a table; the largest published one has 220 million


def table(archive: zipfile.ZipFile, name: str, columns: int, kind: type[np.generic] = np.int64) -> np.ndarray:
    """The numbers of a packed table, (rows, columns)."""
    try:
        with archive.open(name) as packed, gzip.open(packed) as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise SystemExit(f"{ARCHIVE}: {name} has more than {LARGEST >> 20} MiB; it is another file")
        found = pd.read_csv(io.BytesIO(text), header=None, dtype=kind).to_numpy()
    except KeyError:
        raise SystemExit(f"{ARCHIVE}: holds no {name}; it is another file") from None
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{ARCHIVE}: {name} cannot be read: {error}") from None
    if found.shape[1] != columns or not np.isfinite(found).all():
        raise SystemExit(f"{ARCHIVE}: {name} has {found.shape[1]} columns, or a cell is empty; wanted are {columns}")
    return found


def whole(name: str, good: bool, rule: str) -> None:
    if not good:
        raise SystemExit(f"{ARCHIVE}: arxiv/raw/{name}.csv.gz: {rule}")


def main() -> None:
    args = called()
    try:
        with zipfile.ZipFile(args.raw / ARCHIVE) as archive:
            labels = table(archive, "arxiv/raw/node-label.csv.gz", 1)[:, 0]
            years = table(archive, "arxiv/raw/node_year.csv.gz", 1)[:, 0]
            edges = table(archive, "arxiv/raw/edge.csv.gz", 2).T
            features = table(archive, "arxiv/raw/node-feat.csv.gz", WIDTH, np.float32)
            parts = {
                part: table(archive, f"arxiv/split/time/{part}.csv.gz", 1)[:, 0] for part in ("train", "valid", "test")
            }
    except (OSError, zipfile.BadZipFile) as error:
        raise SystemExit(f"{ARCHIVE}: cannot be read as zip, is it cut short? {error}") from None
    papers = len(labels)
    whole(
        "node-label",
        bool((labels >= 0).all() and (labels < SUBJECTS).all()),
        f"a subject is none of 0 to {SUBJECTS - 1}",
    )
    whole("node_year", len(years) == papers, f"{len(years)} rows for {papers} papers")
    whole("node-feat", len(features) == papers, f"{len(features)} rows for {papers} papers")
    whole("edge", bool((edges >= 0).all() and (edges < papers).all()), f"a paper is none of 0 to {papers - 1}")
    by_year = {"train": years <= 2017, "valid": years == 2018, "test": years >= 2019}
    for part, papers_of_part in parts.items():
        if not np.array_equal(np.sort(papers_of_part), np.flatnonzero(by_year[part])):
            raise SystemExit(f"{ARCHIVE}: arxiv/split/time/{part}.csv.gz: are not the papers of its years")
    write(args.out, features, years, edges, labels)


if __name__ == "__main__":
    main()
