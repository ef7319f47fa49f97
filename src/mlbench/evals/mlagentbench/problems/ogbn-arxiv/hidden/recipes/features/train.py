"""Boosted trees on the linear model's odds, and on the known subjects of the neighbours."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import StandardScaler

graph = np.load("graph.npz")
features, labels, test = graph["node_feat"].astype(float), graph["node_label"], graph["test_idx"]
ends = np.hstack([graph["edge_index"], graph["edge_index"][::-1]])
edges = coo_array((np.ones(ends.shape[1]), ends), shape=(len(labels),) * 2).tocsr()
many, known = np.maximum(edges.sum(axis=1), 1)[:, None], labels >= 0
subjects = np.eye(40)[np.maximum(labels, 0)] * known[:, None]
near = edges @ features / many
inputs = StandardScaler().fit_transform(np.hstack([features, near, edges @ near / many, edges @ subjects / many]))
model = LogisticRegression(C=0.02, max_iter=200)
odds = cross_val_predict(model, inputs[known], labels[known], cv=3, method="predict_proba")
shown = subjects.copy()
shown[known], shown[~known] = odds, model.fit(inputs[known], labels[known]).predict_proba(inputs[~known])
again = np.hstack([np.log(shown + 1e-6), edges @ shown / many, edges @ subjects / many])
model = LogisticRegression(C=0.05, max_iter=200).fit(again[known], labels[known])
pd.DataFrame({"node": test, "label": model.predict(again[test])}).to_csv("submission.csv", index=False)
