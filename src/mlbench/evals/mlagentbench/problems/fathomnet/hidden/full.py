"""Pictures of the sea floor, as published, made small: some with animals that no training picture shows are to be told.

RAW/fathomnet.zip   all files of the competition; of them multilabel_classification/train.csv is read
RAW/images.zip      the training pictures as ID.ppm (binary, 8 bits), in any folder, of any size from 32 by 32

Neither labels nor depths of the competition's own test are public. So some of the rarer categories are held back: a
picture that shows one is out of the distribution, goes to the test, and has the known ones among its labels. Known are
the 24 most frequent categories, numbered from 0; pictures that show neither sort are left out.
"""

import io
import json
import re
import zipfile
import zlib
from collections import Counter
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
from mlbench_preparing import called

SIZE, KNOWN, STRANGE = 32, 24, 0.12
"""Rows and columns; categories to be told; the share of pictures that show one that is held back."""
FEWEST, MOST = 100, 8000
LARGEST = 64 << 20
LABELS, PICTURES, TABLE = "fathomnet.zip", "images.zip", "multilabel_classification/train.csv"
HEADER = re.compile(rb"P6\s+(?:#[^\n]*\n\s*)*(\d{1,5})\s+(\d{1,5})\s+255\s")


def opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (OSError, zipfile.BadZipFile) as error:
        raise SystemExit(f"{file.name}: is no zip: {error}") from None


def member(packed: zipfile.ZipFile, archive: str, name: str) -> bytes:
    try:
        if packed.getinfo(name).file_size > LARGEST:
            raise SystemExit(f"{archive}: {name} is larger than {LARGEST >> 20} MiB")
        return packed.read(name)
    except (KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{archive}: {name} cannot be read: {' '.join(str(error).split())}") from None


def labels(file: Path) -> dict[str, list[int]]:
    """The categories that each training picture shows, by the picture's id."""
    with opened(file) as packed:
        text = member(packed, file.name, TABLE)
    try:
        frame = pd.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False, skipinitialspace=True)
        rows = zip(frame["id"], frame["categories"], strict=True)
        found = {name: sorted({int(each) for each in json.loads(listed)}) for name, listed in rows}
    except KeyError as error:
        raise SystemExit(f"{file.name}: {TABLE} has no column {error}; it is not the published table") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise SystemExit(f"{file.name}: {TABLE} is not the published table: {' '.join(str(error).split())}") from None
    if len(found) < len(frame):
        raise SystemExit(f"{file.name}: {TABLE}: an id stands there twice")
    return found


def small(content: bytes, name: str) -> np.ndarray:
    """A picture (row, column, colour), each pixel the mean of those in its place; of a portable pixmap."""
    header = HEADER.match(content)
    if not header:
        raise SystemExit(f"{PICTURES}: {name} is no binary portable pixmap (P6) of 8 bits")
    width, height = int(header[1]), int(header[2])
    pixels = np.frombuffer(content, np.uint8, offset=header.end())
    if width < SIZE or height < SIZE or len(pixels) != width * height * 3:
        raise SystemExit(f"{PICTURES}: {name} is cut, or smaller than {SIZE} by {SIZE}")
    down, across = (np.linspace(0, length, SIZE + 1).astype(int) for length in (height, width))
    sums = np.add.reduceat(pixels.reshape(height, width, 3), across[:-1], axis=1, dtype=np.int64)
    sums = np.add.reduceat(sums, down[:-1], axis=0)
    return np.round(sums / (np.diff(down)[:, None, None] * np.diff(across)[:, None])).astype(np.uint8)


def pictures(file: Path, shown: dict[str, list[int]]) -> dict[str, np.ndarray]:
    """The small form of every picture that has labels, by its id."""
    with opened(file) as packed:
        names = {PurePosixPath(name).stem: name for name in sorted(packed.namelist()) if name.endswith(".ppm")}
        wanted = [each for each in shown if each in names]
        if not FEWEST <= len(wanted) <= MOST:
            raise SystemExit(
                f"{file.name}: {len(wanted)} of its .ppm have labels; from {FEWEST} to {MOST} can be worked with"
            )
        return {each: small(member(packed, file.name, names[each]), names[each]) for each in wanted}


def held_back(rng: np.random.Generator, shown: list[list[int]], known: list[int]) -> set[int]:
    """Categories that are not known, rare ones among them, until enough pictures show one."""
    others = sorted({each for row in shown for each in row} - set(known))
    found: set[int] = set()
    for each in rng.permutation(others).tolist():
        if sum(bool(found & set(row)) for row in shown) >= STRANGE * len(shown):
            break
        found.add(each)
    return found


def main() -> None:
    args = called()
    rng = np.random.default_rng(args.seed)
    shown = labels(args.raw / LABELS)
    seen = pictures(args.raw / PICTURES, shown)
    rows = [shown[name] for name in seen]
    counts = Counter(each for row in rows for each in row)
    known = sorted(sorted(counts, key=lambda each: (-counts[each], each))[:KNOWN])
    strange = held_back(rng, rows, known)
    number = {each: place for place, each in enumerate(known)}
    frame = pd.DataFrame(
        {
            "name": list(seen),
            "categories": [" ".join(str(number[each]) for each in row if each in number) for row in rows],
            "osd": [int(bool(strange & set(row))) for row in rows],
        }
    )
    frame = frame[(frame["categories"] != "") | (frame["osd"] == 1)].sample(frac=1, random_state=rng)
    out, usual = frame[frame["osd"] == 1], frame[frame["osd"] == 0]
    train, test = usual[len(out) :], pd.concat([out, usual[: len(out)]]).sample(frac=1, random_state=rng)
    learnt = {word for row in train["categories"] for word in row.split()}
    if len(learnt) < KNOWN or not len(test):
        raise SystemExit(f"{PICTURES}: {len(learnt)} of {KNOWN} categories are left to learn from; take more pictures")
    ids = rng.permutation(np.arange(10_000, 10_000 + len(frame)))
    train, test = train.assign(id=ids[: len(train)]), test.assign(id=ids[len(train) :])
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (args.out / part).mkdir(parents=True)
    stacks = {
        part: np.stack([seen[name] for name in each["name"]]) for part, each in (("train", train), ("test", test))
    }
    np.savez_compressed(args.out / "visible/pictures.npz", **stacks)
    test = test[["id", "categories", "osd"]]
    train[["id", "categories"]].to_csv(args.out / "visible/train.csv", index=False)
    test[["id"]].to_csv(args.out / "visible/test.csv", index=False)
    test.to_csv(args.out / "hidden/answers.csv", index=False)
    test.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = test.assign(id=test.id.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)


main()
