"""Satellite pictures, as published: two thirds of the records to learn from, in a third contrails are to be found.

RAW/records.zip   for each record ANY/ID/band_11.npy, band_14.npy, band_15.npy (256, 256, 8) and human_pixel_masks.npy
                  (256, 256, 1); other files, and records without a mask, are passed over

The channels are those of the ash colours in which people marked the contrails (Kulik 2019, in Ng et al. 2023): the
difference of the bands at 12 and 11 micrometres, of those at 11 and 8, and the one at 11, each in its usual range.
"""

import io
import zipfile
import zlib
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
from mlbench_preparing import called

NAME = "records.zip"
SIZE, LABELLED = 256, 4
"""Rows and columns; which of the eight pictures of a record the mask belongs to."""
FEWEST, MOST = 60, 240
"""Records: with fewer the starter has none left to learn from, the reference has no memory for more."""
LARGEST = 16 << 20
BANDS = ["band_11", "band_14", "band_15"]
RANGES = [(-4, 2), (-4, 5), (243, 303)]
"""Kelvin, of each channel: what lies outside is cut."""


def records(packed: zipfile.ZipFile) -> list[tuple[int, PurePosixPath]]:
    """The id and the folder of every record that has a mask."""
    folders = [PurePosixPath(name).parent for name in packed.namelist() if name.endswith("/human_pixel_masks.npy")]
    found = {folder.name: folder for folder in sorted(folders)}
    for name in found:
        if not (name.isascii() and name.isdigit() and int(name) < 2**63):
            raise SystemExit(f"{NAME}: {name!r:.60} is no id of a record")
    if len(found) < len(folders):
        raise SystemExit(f"{NAME}: a record stands there twice")
    if not FEWEST <= len(found) <= MOST:
        raise SystemExit(f"{NAME}: holds {len(found)} records with a mask; from {FEWEST} to {MOST} can be worked with")
    return [(int(name), folder) for name, folder in found.items()]


def array(packed: zipfile.ZipFile, place: PurePosixPath) -> np.ndarray:
    """The numbers of a file (256, 256, depth)."""
    try:
        if packed.getinfo(str(place)).file_size > LARGEST:
            raise SystemExit(f"{NAME}: {place} is larger than {LARGEST >> 20} MiB")
        found = np.load(io.BytesIO(packed.read(str(place))), allow_pickle=False)
    except (KeyError, OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{NAME}: {place} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(found, np.ndarray) or found.ndim != 3 or found.shape[:2] != (SIZE, SIZE):
        raise SystemExit(f"{NAME}: {place} is no array of {SIZE} by {SIZE} pixels")
    return found


def picture(packed: zipfile.ZipFile, folder: PurePosixPath) -> tuple[np.ndarray, np.ndarray]:
    """Channels (row, column, 3) and mask (row, column)."""
    bands = [array(packed, folder / f"{name}.npy") for name in BANDS]
    if any(band.shape[2] <= LABELLED or band.dtype.kind != "f" for band in bands):
        raise SystemExit(f"{NAME}: {folder}: a band does not have {LABELLED + 1} pictures, or holds no temperatures")
    at_8, at_11, at_12 = (np.nan_to_num(band[..., LABELLED].astype(np.float32)) for band in bands)
    channels = zip((at_12 - at_11, at_11 - at_8, at_11), RANGES, strict=True)
    seen = [np.clip((channel - low) / (high - low), 0, 1) for channel, (low, high) in channels]
    mask = array(packed, folder / "human_pixel_masks.npy")[..., 0] > 0
    return np.round(255 * np.stack(seen, axis=-1)).astype(np.uint8), mask.astype(np.uint8)


def encoded(mask: np.ndarray) -> str:
    """Runs of pixels counted from 1, column after column."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel(), [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


def main() -> None:
    args = called()
    try:
        packed = zipfile.ZipFile(args.raw / NAME)
    except (OSError, zipfile.BadZipFile) as error:
        raise SystemExit(f"{NAME}: is no zip: {error}") from None
    with packed:
        both = [(record, *picture(packed, folder)) for record, folder in records(packed)]
    order = np.random.default_rng(args.seed).permutation(len(both))
    ids = np.array([both[place][0] for place in order])
    bands, masks = (np.stack([both[place][part] for place in order]) for part in (1, 2))
    cut = 2 * len(both) // 3
    if not masks[:cut].any() or not masks[cut:].any():
        raise SystemExit(f"{NAME}: hardly a record shows a contrail; take more of them")
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (args.out / part).mkdir(parents=True)
    np.savez_compressed(args.out / "visible/bands.npz", train=bands[:cut], masks=masks[:cut], test=bands[cut:])
    answers = pd.DataFrame({"record_id": ids[cut:], "encoded_pixels": [encoded(mask) for mask in masks[cut:]]})
    answers[["record_id"]].to_csv(args.out / "visible/test.csv", index=False)
    np.savez_compressed(args.out / "hidden/answers.npz", ids=ids[cut:], masks=masks[cut:])
    answers.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(record_id=answers.record_id.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)


main()
