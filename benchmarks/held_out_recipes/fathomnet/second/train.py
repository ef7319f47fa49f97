"""Trees on finer colours; out of distribution is what is far from all training pictures."""

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import NearestNeighbors

train, test = pd.read_csv("train.csv", keep_default_na=False, dtype={"categories": str}), pd.read_csv("test.csv")


def colors(pictures):
    bins = (pictures // 43).astype(int) @ [36, 6, 1]
    return np.sqrt(np.stack([np.bincount(each.ravel(), minlength=216) for each in bins]) / 1024)


with np.load("pictures.npz") as arrays:
    known, asked = colors(arrays["train"]), colors(arrays["test"])
labels = np.zeros((len(train), 24), int)
for row, text in enumerate(train["categories"]):
    labels[row, [int(word) for word in text.split()]] = 1
model = ExtraTreesClassifier(400, max_features=0.2, random_state=0, n_jobs=2).fit(known, labels)
chances = np.stack([each[:, -1] if each.shape[1] > 1 else 0 * each[:, 0] for each in model.predict_proba(asked)], 1)
test["categories"] = [" ".join(map(str, row)) for row in np.argsort(-chances, axis=1)[:, :20]]
space = PCA(30, random_state=0).fit(known)
far = NearestNeighbors(n_neighbors=5).fit(space.transform(known)).kneighbors(space.transform(asked))[0].mean(1)
test["osd"] = far.argsort().argsort() / len(far)
test.to_csv("submission.csv", index=False)
