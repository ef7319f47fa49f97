"""Subjects are passed on from the known papers to the others, ten times; words decide where none arrives."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.linear_model import LogisticRegression

graph = np.load("graph.npz")
features, labels, test = graph["node_feat"].astype(float), graph["node_label"], graph["test_idx"]
known = labels >= 0
ends = np.hstack([graph["edge_index"], graph["edge_index"][::-1]])
edges = coo_array((np.ones(ends.shape[1]), ends), shape=(len(labels),) * 2).tocsr()
many = np.maximum(edges.sum(axis=1), 1)[:, None]
start = LogisticRegression(C=0.1, max_iter=300).fit(features[known], labels[known]).predict_proba(features)
start[known] = np.eye(40)[labels[known]]
found = start.copy()
for _ in range(10):
    found = 0.7 * edges @ found / many + 0.3 * start
    found[known] = start[known]
pd.DataFrame({"node": test, "label": found[test].argmax(axis=1)}).to_csv("submission.csv", index=False)
