"""Classify small pictures by the patches that they hold, without a deep network.

Whitened patches are held against typical ones (k-means), pooled in quarters, and weighed by ridge regression:
Coates, Lee and Ng, An analysis of single-layer networks in unsupervised feature learning (2011).
"""

import os

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SIDE, STEP, KINDS, BATCH = 6, 2, 400, 250
SEED = int(os.environ.get("SEED", "0"))
rng = np.random.default_rng(SEED)
train, test = np.load("train.npz"), np.load("test.npz")


def patches(images: np.ndarray) -> np.ndarray:
    """Of pictures (n, height, width, 3) the patches (n, rows, columns, SIDE * SIDE * 3), each of even contrast."""
    windows = sliding_window_view(images, (SIDE, SIDE), axis=(1, 2))[:, ::STEP, ::STEP]
    found = windows.reshape(*windows.shape[:3], -1).astype(np.float32)
    return (found - found.mean(axis=-1, keepdims=True)) / np.sqrt(found.var(axis=-1, keepdims=True) + 10)


def features(images: np.ndarray) -> np.ndarray:
    """How near each kind of patch is in each quarter: (n, 4 * KINDS)."""
    rows = []
    for start in range(0, len(images), BATCH):
        found = patches(images[start : start + BATCH])
        n, high, wide, size = found.shape
        far = kinds.transform(whiten.transform(found.reshape(-1, size))).reshape(n, high, wide, KINDS)
        near = np.maximum(far.mean(axis=-1, keepdims=True) - far, 0)
        halves = np.array_split(near, 2, axis=1)
        rows.append(
            np.concatenate([q.sum(axis=(1, 2)) for half in halves for q in np.array_split(half, 2, axis=2)], axis=1)
        )
    return np.concatenate(rows).astype(np.float32)


some = patches(train["images"][rng.permutation(len(train["images"]))[:2000]]).reshape(-1, SIDE * SIDE * 3)
some = some[rng.permutation(len(some))[:100_000]]
whiten = PCA(whiten=True, n_components=60, random_state=SEED).fit(some)
kinds = MiniBatchKMeans(KINDS, batch_size=4096, n_init=1, random_state=SEED).fit(whiten.transform(some))

scale = StandardScaler(copy=False)
inputs, valid, labels, valid_labels = train_test_split(
    scale.fit_transform(features(train["images"])), train["labels"], test_size=0.1, random_state=SEED
)
model = RidgeClassifier(alpha=100.0).fit(inputs, labels)
print(f"validation: accuracy {model.score(valid, valid_labels):.3f}")

scores = model.decision_function(scale.transform(features(test["images"])))
probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
submission = pd.DataFrame(probabilities, columns=[str(kind) for kind in range(10)])
submission.insert(0, "id", test["ids"])
submission.to_csv("submission.csv", index=False)
