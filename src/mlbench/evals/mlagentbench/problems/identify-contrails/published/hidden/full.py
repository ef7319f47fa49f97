"""Satellite pictures as published: the records of the competition's validation part are the test.

RAW/contrails.zip   train/ID/NAME.npy and validation/ID/NAME.npy: band_11, band_14, band_15, human_pixel_masks; of the
                    others each is handed on as it is, but for the masks of the test
"""

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
from mlbench_preparing import called

NAME, MASK, LARGEST, SIZE = "contrails.zip", "human_pixel_masks", 64 << 20, 256
NEEDED = {"band_11.npy", "band_14.npy", "band_15.npy", f"{MASK}.npy"}
PARTS = {"train": "train", "validation": "test"}


def main() -> None:
    args = called()
    masks: dict[str, np.ndarray] = {}
    held: dict[str, set[str]] = {}
    try:
        with zipfile.ZipFile(args.raw / NAME) as packed:
            for place in sorted(packed.namelist()):
                path = PurePosixPath(place)
                if len(path.parts) != 3 or path.parts[0] not in PARTS or path.suffix != ".npy":
                    continue
                if not path.parts[1].isdecimal() or packed.getinfo(place).file_size > LARGEST:
                    raise SystemExit(f"{NAME}: {place} is no file of a record")
                held.setdefault(path.parts[0], set())
                content = packed.read(place)
                held[path.parts[0]].add(f"{path.parts[1]}/{path.name}")
                if path.parts[0] == "validation" and "mask" in path.stem:
                    if path.stem == MASK:
                        masks[path.parts[1]] = np.load(io.BytesIO(content), allow_pickle=False)[..., 0] > 0
                    continue
                file = args.out / "visible" / PARTS[path.parts[0]] / path.parts[1] / path.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
    except (OSError, ValueError, IndexError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"{NAME}: cannot be read: {' '.join(str(error).split())}") from None
    for part in PARTS:
        ids = {name.partition("/")[0] for name in held.get(part, ())}
        missing = [
            f"{part}/{each}/{name}"
            for each in sorted(ids)
            for name in sorted(NEEDED)
            if f"{each}/{name}" not in held[part]
        ]
        if missing or not ids:
            raise SystemExit(f"{NAME}: {missing[0] if missing else f'a record in {part}/'} is missing")
    write_answers(args.out, masks)


def write_answers(out: Path, masks: dict[str, np.ndarray]) -> None:
    if any(mask.shape != (SIZE, SIZE) for mask in masks.values()):
        raise SystemExit(f"{NAME}: a mask is not one of {SIZE} by {SIZE} pixels")
    ids = list(masks)
    texts = [encoded(mask) for mask in masks.values()]
    pd.DataFrame({"record_id": ids, "encoded_pixels": "1 1"}).to_csv(out / "visible/sample_submission.csv", index=False)
    for part in ("perfect", "permuted"):
        (out / "hidden" / part).mkdir(parents=True)
    np.savez_compressed(out / "hidden/answers.npz", ids=np.array(ids), masks=np.stack(list(masks.values())))
    for part, told in (("perfect", texts), ("permuted", [*texts[1:], texts[0]])):
        frame = pd.DataFrame({"record_id": ids, "encoded_pixels": told})
        frame.to_csv(out / "hidden" / part / "submission.csv", index=False)


def encoded(mask: np.ndarray) -> str:
    """Runs of pixels counted from 1, column after column."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel(), [0]]).astype(np.int8)))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


main()
