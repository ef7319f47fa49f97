"""Words averaged over one and two steps and a linear model; the penalty is chosen on the papers of 2018."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.linear_model import LogisticRegression

graph = np.load("graph.npz")
features, labels, test = graph["node_feat"].astype(float), graph["node_label"], graph["test_idx"]
train, valid = graph["train_idx"], graph["valid_idx"]
ends = np.hstack([graph["edge_index"], graph["edge_index"][::-1]])
edges = coo_array((np.ones(ends.shape[1]), ends), shape=(len(labels),) * 2).tocsr()
many = np.maximum(edges.sum(axis=1), 1)[:, None]
near = edges @ features / many
inputs, known = np.hstack([features, near, edges @ near / many]), labels >= 0
models = [LogisticRegression(C=c, max_iter=200).fit(inputs[train], labels[train]) for c in (0.01, 0.03, 0.1, 1)]
best = max(models, key=lambda model: model.score(inputs[valid], labels[valid]))
model = best.fit(inputs[known], labels[known])
pd.DataFrame({"node": test, "label": model.predict(inputs[test])}).to_csv("submission.csv", index=False)
