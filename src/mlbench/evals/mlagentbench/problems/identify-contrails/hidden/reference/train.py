"""Find contrails: boosted trees on each pixel and its surroundings, with line filters in twelve directions."""

import os

import numpy as np
import pandas as pd
from scipy.ndimage import convolve, gaussian_filter
from sklearn.ensemble import HistGradientBoostingClassifier

SEED = int(os.environ.get("SEED", "0"))
REACH = 6


def encoded(mask: np.ndarray) -> str:
    """Runs of pixels counted from 1, column after column; - for none."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel().astype(int), [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


def dice(found: np.ndarray, right: np.ndarray) -> float:
    return 2 * (found & right).sum() / max(1, found.sum() + right.sum())


def line_filters() -> list[np.ndarray]:
    """A ridge along each direction: bright in the middle, dark on both sides, nothing in all."""
    y, x = np.mgrid[-REACH : REACH + 1, -REACH : REACH + 1]
    found = []
    for angle in np.arange(12) * np.pi / 12:
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        ridge = (1 - across**2) * np.exp(-(across**2) / 2 - (along / 4) ** 2 / 2)
        ridge -= ridge.mean()
        found.append(ridge / abs(ridge).sum())
    return found


def features(pictures: np.ndarray) -> np.ndarray:
    """Pictures (n, h, w, 3): one row a pixel."""
    rows = []
    for picture in pictures:
        mixed = picture @ [1.0, 0.5, -0.5]
        lines = np.sort(np.stack([convolve(mixed, ridge, mode="nearest") for ridge in line_filters()], -1), axis=-1)
        smooth = [gaussian_filter(picture, (sigma, sigma, 0)) for sigma in (1.0, 3.0)]
        longer = gaussian_filter(lines, (1.0, 1.0, 0))
        rows.append(np.concatenate([picture, *smooth, lines[..., [0, 1, 6, -1]], longer[..., [0, 6, -1]]], -1))
    return np.stack(rows).reshape(-1, rows[0].shape[-1])


with np.load("bands.npz") as arrays:
    bands, masks, asked = arrays["train"] / 255.0, arrays["masks"] > 0, arrays["test"] / 255.0
order = np.random.default_rng(SEED).permutation(len(bands))
train, valid = order[24:], order[:24]
model = HistGradientBoostingClassifier(max_iter=80, random_state=SEED)
model.fit(features(bands[train]), masks[train].ravel())
chances = model.predict_proba(features(bands[valid]))[:, 1].reshape(masks[valid].shape)
threshold = max(np.arange(0.1, 0.8, 0.05), key=lambda each: dice(chances > each, masks[valid]))

test = pd.read_csv("test.csv")
found = model.predict_proba(features(asked))[:, 1].reshape(asked.shape[:3]) > threshold
test["encoded_pixels"] = [encoded(mask) for mask in found]
test.to_csv("submission.csv", index=False)
