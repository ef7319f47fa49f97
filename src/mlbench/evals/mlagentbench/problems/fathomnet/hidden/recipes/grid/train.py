"""A network on smaller pictures, chosen from a grid; what is sure of few animals is strange."""

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

train, test = pd.read_csv("train.csv", dtype=str), pd.read_csv("test.csv")
with np.load("pictures.npz") as arrays:
    known, asked = (arrays[name].reshape(len(arrays[name]), -1) / 255 for name in ("train", "test"))
labels = np.array([[str(k) in str(text).split() for k in range(24)] for text in train["categories"]])
model = make_pipeline(StandardScaler(), PCA(random_state=0), OneVsRestClassifier(LogisticRegression(max_iter=300)))
grid = {"pca__n_components": [20, 60], "onevsrestclassifier__estimator__C": [0.01, 0.1, 1]}
search = GridSearchCV(model, grid, cv=2, scoring="roc_auc").fit(known, labels)
chances = search.predict_proba(asked)
test["categories"] = [" ".join(map(str, row)) for row in np.argsort(-chances, axis=1)[:, :20]]
test["osd"] = 0.6 * (1 - asked.mean(axis=1)) + 0.4 * (1 - chances.max(axis=1))
test.to_csv("submission.csv", index=False)
