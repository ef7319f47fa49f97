"""Find contrails: boosted trees on each pixel and its surroundings, twice.

The first model sees the bands, smoothed, and filters for lines in twelve directions. What it says of a picture, by a
model that has not seen the picture, is filtered for longer lines, and the second model sees that as well.
"""

import os

import numpy as np
import pandas as pd
from scipy.ndimage import convolve, gaussian_filter
from sklearn.ensemble import HistGradientBoostingClassifier

SEED, FOLDS, DIRECTIONS = int(os.environ.get("SEED", "0")), 2, 12


def encoded(mask: np.ndarray) -> str:
    """Runs of pixels counted from 1, column after column; - for none."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel().astype(int), [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


def dice(found: np.ndarray, right: np.ndarray) -> float:
    return 2 * (found & right).sum() / max(1, found.sum() + right.sum())


def line_filters(reach: int, width: float, length: float) -> list[np.ndarray]:
    """A ridge along each direction: bright in the middle, dark on both sides, nothing in all."""
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    found = []
    for angle in np.arange(DIRECTIONS) * np.pi / DIRECTIONS:
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        ridge = (1 - (across / width) ** 2) * np.exp(-((across / width) ** 2) / 2 - (along / length) ** 2 / 2)
        ridge -= ridge.mean()
        found.append(ridge / abs(ridge).sum())
    return found


SHORT, LONG = line_filters(6, 1.0, 3.0), line_filters(12, 1.2, 7.0)


def lines(picture: np.ndarray, filters: list[np.ndarray]) -> np.ndarray:
    """The strongest, second and middle answer of the filters, whatever their direction."""
    return np.sort(np.stack([convolve(picture, ridge, mode="nearest") for ridge in filters], -1), -1)[
        ..., [0, 1, 6, -1]
    ]


def features(picture: np.ndarray) -> np.ndarray:
    """A picture (h, w, 3): (h, w, features)."""
    smooth = [gaussian_filter(picture, (sigma, sigma, 0)) for sigma in (0.7, 1.5, 4.0)]
    mixed = [picture @ weights for weights in ([1.0, 0.5, -0.5], [1.0, 0.0, -1.0], [0.6, 0.4, 0.2])]
    found = [lines(each, SHORT) for each in mixed] + [lines(each, LONG) for each in mixed[:2]]
    return np.concatenate([picture, *smooth, *found], -1)


def context(chances: np.ndarray) -> np.ndarray:
    """What a model said of a picture (h, w), along lines and around."""
    odds = np.log(np.clip(chances, 1e-3, 1 - 1e-3) / np.clip(1 - chances, 1e-3, 1))
    around = [gaussian_filter(odds, sigma) for sigma in (1.0, 2.5)]
    return np.concatenate(
        [odds[..., None], *(each[..., None] for each in around), lines(odds, SHORT), lines(odds, LONG)], -1
    )


def fitted(inputs: np.ndarray, masks: np.ndarray) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(max_iter=80, learning_rate=0.1, l2_regularization=1.0, random_state=SEED)
    return model.fit(inputs.reshape(-1, inputs.shape[-1]), masks.ravel())


def told(model: HistGradientBoostingClassifier, inputs: np.ndarray) -> np.ndarray:
    return model.predict_proba(inputs.reshape(-1, inputs.shape[-1]))[:, 1].reshape(inputs.shape[:-1])


def unseen(inputs: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """What models say of pictures that they have not seen."""
    found, fold = np.zeros(masks.shape), np.arange(len(masks)) % FOLDS
    for each in range(FOLDS):
        found[fold == each] = told(fitted(inputs[fold != each], masks[fold != each]), inputs[fold == each])
    return found


with np.load("bands.npz") as arrays:
    bands, masks, asked = arrays["train"] / 255.0, arrays["masks"] > 0, arrays["test"] / 255.0
known, wanted = (np.stack([features(picture) for picture in each]) for each in (bands, asked))
first, last = unseen(known, masks), told(fitted(known, masks), wanted)
known = np.concatenate([known, np.stack([context(each) for each in first])], -1)
wanted = np.concatenate([wanted, np.stack([context(each) for each in last])], -1)
valid = np.arange(len(masks)) % 6 == 0
model = fitted(known[~valid], masks[~valid])
chances = told(model, known[valid])
threshold = max(np.arange(0.15, 0.75, 0.05), key=lambda each: dice(chances > each, masks[valid]))
print(f"validation: Dice {dice(first > 0.4, masks):.3f}, then {dice(chances > threshold, masks[valid]):.3f}")
test = pd.read_csv("test.csv")
test["encoded_pixels"] = [encoded(mask) for mask in told(model, wanted) > threshold]
test.to_csv("submission.csv", index=False)
