"""The papers of ogbn-arxiv as published, in the folder in which the package ogb keeps them.

RAW/arxiv.zip   arxiv/raw/NAME.csv.gz: edge, node-feat, node-label, node_year, num-node-list, num-edge-list;
                arxiv/split/time/PART.csv.gz; arxiv/mapping/
"""

import gzip
import io
import zipfile
import zlib
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
from mlbench_preparing import called

NAME, SUBJECTS, LARGEST = "arxiv.zip", 40, 1 << 30
NEEDED = ["raw/edge", "raw/node-feat", "raw/node-label", "split/time/train", "split/time/valid", "split/time/test"]


def column(packed: zipfile.ZipFile, name: str) -> np.ndarray:
    """The whole numbers of a table with one column."""
    with gzip.open(io.BytesIO(packed.read(f"arxiv/{name}.csv.gz"))) as file:
        return np.array(file.read(LARGEST).split(), np.int64)


def main() -> None:
    args = called()
    target = args.out / "visible/networks/ogbn_arxiv"
    try:
        with zipfile.ZipFile(args.raw / NAME) as packed:
            missing = [name for name in NEEDED if f"arxiv/{name}.csv.gz" not in packed.namelist()]
            if missing:
                raise SystemExit(f"{NAME}: arxiv/{missing[0]}.csv.gz is missing; it is not the published archive")
            for place in packed.namelist():
                path = PurePosixPath(place)
                inside = path.parts[0] == "arxiv" and ".." not in path.parts and not place.endswith("/")
                if inside and packed.getinfo(place).file_size <= LARGEST:
                    file = target / path.relative_to("arxiv")
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(packed.read(place))
            labels, test = column(packed, "raw/node-label"), column(packed, "split/time/test")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{NAME}: cannot be read: {' '.join(str(error).split())}") from None
    if not len(test) or test.min() < 0 or test.max() >= len(labels) or not set(labels) <= set(range(SUBJECTS)):
        raise SystemExit(f"{NAME}: its subjects or its split are not the published ones")
    answers = labels[test]
    labels[test] = -1
    with gzip.open(target / "raw/node-label.csv.gz", "wt") as file:
        file.writelines(f"{label}\n" for label in labels)
    hidden = args.out / "hidden"
    for part, told in (("perfect", answers), ("permuted", np.roll(answers, 1))):
        (hidden / part).mkdir(parents=True)
        pd.DataFrame(told).to_csv(hidden / part / "submission.csv", index=False)
    pd.DataFrame(answers).to_csv(hidden / "answers.csv", index=False)


main()
