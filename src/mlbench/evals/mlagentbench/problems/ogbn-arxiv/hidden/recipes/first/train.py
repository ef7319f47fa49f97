"""Words averaged over the neighbours, beside a paper's own, and a linear model."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.linear_model import LogisticRegression

graph = np.load("graph.npz")
features, labels, test = graph["node_feat"].astype(float), graph["node_label"], graph["test_idx"]
ends = np.hstack([graph["edge_index"], graph["edge_index"][::-1]])
edges = coo_array((np.ones(ends.shape[1]), ends), shape=(len(labels),) * 2).tocsr()
near = edges @ features / np.maximum(edges.sum(axis=1), 1)[:, None]
inputs, known = np.hstack([features, near]), labels >= 0
model = LogisticRegression(max_iter=200).fit(inputs[known], labels[known])
pd.DataFrame({"node": test, "label": model.predict(inputs[test])}).to_csv("submission.csv", index=False)
