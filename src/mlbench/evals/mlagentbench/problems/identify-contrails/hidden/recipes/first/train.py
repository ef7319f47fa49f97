"""A forest on each pixel, its neighbours' means and their differences."""

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter
from sklearn.ensemble import RandomForestClassifier


def encoded(mask: np.ndarray) -> str:
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel().astype(int), [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in steps.reshape(-1, 2)) or "-"


def features(pictures: np.ndarray) -> np.ndarray:
    smooth = [gaussian_filter(pictures, (0, sigma, sigma, 0)) for sigma in (1, 2, 4)]
    return np.concatenate([pictures, *smooth], -1).reshape(-1, 12)


with np.load("bands.npz") as arrays:
    bands, masks, asked = arrays["train"] / 255.0, arrays["masks"] > 0, arrays["test"] / 255.0
model = RandomForestClassifier(40, min_samples_leaf=5, class_weight="balanced", max_samples=0.2, random_state=0)
model.fit(features(bands), masks.ravel())
found = model.predict(features(asked)).reshape(asked.shape[:3])
test = pd.read_csv("test.csv")
test["encoded_pixels"] = [encoded(mask) for mask in found]
test.to_csv("submission.csv", index=False)
