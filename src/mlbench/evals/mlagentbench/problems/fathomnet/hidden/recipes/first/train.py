"""A forest on counts of colours; the darker a picture, the stranger it is said to be."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

train, test = pd.read_csv("train.csv", dtype=str), pd.read_csv("test.csv")
with np.load("pictures.npz") as arrays:
    known, asked = arrays["train"], arrays["test"]
labels = np.array([[str(k) in str(text).split() for k in range(24)] for text in train["categories"]])
counts = [
    np.array([np.bincount((each // 32 @ [64, 8, 1]).ravel(), minlength=512) for each in part])
    for part in (known, asked)
]
model = RandomForestClassifier(200, random_state=0).fit(counts[0], labels)
chances = np.stack([each[:, -1] for each in model.predict_proba(counts[1])], 1)
test["categories"] = [" ".join(map(str, row)) for row in np.argsort(-chances, axis=1)[:, :20]]
test["osd"] = 1 - asked.mean(axis=(1, 2, 3)) / 255
test.to_csv("submission.csv", index=False)
