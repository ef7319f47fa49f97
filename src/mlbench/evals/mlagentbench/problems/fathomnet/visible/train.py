"""Which animals are in a picture, and is it out of the distribution: a small network on colours, for two epochs."""

import os
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

SEED = int(os.environ.get("SEED", "0"))
CATEGORIES, EPOCHS = 24, 2
warnings.simplefilter("ignore", ConvergenceWarning)


def colors(pictures: np.ndarray) -> np.ndarray:
    """How many pixels of each of 64 colours, one row a picture."""
    bins = (pictures // 64).astype(int) @ [16, 4, 1]
    return np.sqrt(np.stack([np.bincount(each.ravel(), minlength=64) for each in bins]) / 64)


train = pd.read_csv("train.csv", keep_default_na=False, dtype={"categories": str})
test = pd.read_csv("test.csv")
with np.load("pictures.npz") as arrays:
    pictures = {name: colors(arrays[name]) for name in ("train", "test")}
labels = np.zeros((len(train), CATEGORIES), int)
for row, text in enumerate(train["categories"]):
    labels[row, [int(word) for word in text.split()]] = 1

model = MLPClassifier((64,), max_iter=EPOCHS, batch_size=4, random_state=SEED).fit(pictures["train"], labels)
print(f"training loss {model.loss_:.3f}")
chances = model.predict_proba(pictures["test"])
ranks = np.argsort(-chances, axis=1)[:, :20]
test["categories"] = [" ".join(map(str, row)) for row in ranks]
test["osd"] = 0.5
test.to_csv("submission.csv", index=False)
