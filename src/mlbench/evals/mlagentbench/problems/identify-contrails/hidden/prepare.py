"""Infrared pictures, made up: thin cold streaks over clouds and noise; every third picture has none.

Clouds are cold as well, and as bright where they are thick: a single pixel does not tell one from the other, its
surroundings do.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.ndimage import convolve, gaussian_filter

SIZE, TRAINED, TESTED = 40, 160, 80
SPECTRUM = np.array([1.0, 0.75, 0.35])
"""How cold a streak is in each band."""


def streak(rng: np.random.Generator) -> np.ndarray:
    """How far each pixel (row, column) belongs to a streak, 0 to 1."""
    angle, width = rng.uniform(0, np.pi), rng.uniform(0.7, 1.3)
    y, x = np.mgrid[:SIZE, :SIZE] - rng.uniform(8, SIZE - 8, 2)[:, None, None]
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    across = across + rng.normal(0, 0.008) * along**2
    return np.exp(-((across / width) ** 2) / 2) * (abs(along) < rng.uniform(8, 22))


def clouds(rng: np.random.Generator) -> np.ndarray:
    field = gaussian_filter(rng.normal(0, 1, (SIZE, SIZE)), rng.uniform(2.0, 5.0), mode="wrap")
    return np.clip(field / field.std() - 0.4, 0, None)


def picture(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bands (row, column, 3), mask (row, column), and the mask as one finds it who sees through the clouds."""
    cirrus, low = clouds(rng), clouds(rng)
    trails = np.zeros((SIZE, SIZE))
    for _ in range(rng.choice([0, 1, 2, 3], p=[0.33, 0.37, 0.2, 0.1])):
        trails = np.maximum(trails, streak(rng) * rng.uniform(0.6, 1.2))
    noise = rng.normal(0, 0.22, (SIZE, SIZE, 3))
    cold = trails[..., None] * SPECTRUM
    cold += cirrus[..., None] * [0.65, 0.55, 0.3] + low[..., None] * [0.15, 0.35, 0.4]
    bands = np.clip(200 - 45 * (cold + noise), 0, 255).astype(np.uint8)
    clear = (1.0 * trails[..., None] * SPECTRUM + noise) @ SPECTRUM / (SPECTRUM @ SPECTRUM)
    return bands, (trails > 0.45).astype(np.uint8), along_lines(clear)


def along_lines(clear: np.ndarray) -> np.ndarray:
    """Streaks in a picture without clouds: the best of sixteen directions, each averaged along a line."""
    y, x = np.mgrid[-6:7, -6:7]
    found = np.full(clear.shape, -np.inf)
    for angle in np.arange(16) * np.pi / 16:
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        line = np.exp(-(across**2) / 2 / 0.5**2 - (along / 3.0) ** 2 / 2)
        found = np.maximum(found, convolve(clear, line / line.sum(), mode="nearest"))
    return (found > 0.4).astype(np.uint8)


def encoded(mask: np.ndarray) -> str:
    """Runs of pixels counted from 1, column after column."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel(), [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    both = [picture(rng) for _ in range(TRAINED + TESTED)]
    bands, masks, found = (np.stack(part) for part in zip(*both, strict=True))
    for part in ("visible", *(f"hidden/{kind}" for kind in ("perfect", "permuted", "trivial", "floor"))):
        (args.out / part).mkdir(parents=True)
    np.savez_compressed(
        args.out / "visible/bands.npz", train=bands[:TRAINED], masks=masks[:TRAINED], test=bands[TRAINED:]
    )
    ids = rng.permutation(np.arange(1000, 1000 + TESTED))
    answers = pd.DataFrame({"record_id": ids, "encoded_pixels": [encoded(mask) for mask in masks[TRAINED:]]})
    answers[["record_id"]].to_csv(args.out / "visible/test.csv", index=False)
    np.savez_compressed(args.out / "hidden/answers.npz", ids=ids, masks=masks[TRAINED:])
    # the rows in another order are as good: what counts is the id
    answers.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(record_id=answers.record_id.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)
    for kind, told in (("trivial", np.ones_like(masks)), ("floor", found)):
        shown = answers.assign(encoded_pixels=[encoded(mask) for mask in told[TRAINED:]])
        shown.to_csv(args.out / f"hidden/{kind}/submission.csv", index=False)


main()
