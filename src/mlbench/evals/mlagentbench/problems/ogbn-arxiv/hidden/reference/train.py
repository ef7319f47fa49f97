"""Tell the subjects of papers: words and known subjects averaged over the neighbours, and a linear model."""

import os

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, diags_array
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

SEED = int(os.environ.get("SEED", "0"))
graph = np.load("graph.npz")
features, labels = graph["node_feat"].astype(np.float64), graph["node_label"]
known, test = np.concatenate([graph["train_idx"], graph["valid_idx"]]), graph["test_idx"]

citing, cited = graph["edge_index"]
edges = coo_array((np.ones(len(citing)), (citing, cited)), shape=(len(labels), len(labels))).tocsr()
edges = edges + edges.T
mean = diags_array(1 / np.maximum(edges.sum(axis=1), 1)) @ edges

# every fifth of the known labels is told by the others, so that a paper never sees its own
shares = np.zeros((len(labels), 40))
fold = np.random.default_rng(SEED).integers(0, 5, len(labels))
is_known = labels >= 0
for part in range(6):
    wanted = is_known & (fold == part) if part < 5 else ~is_known
    shown = np.eye(40)[np.maximum(labels, 0)] * (is_known & ~wanted)[:, None]
    once = mean @ shown
    shares[wanted] = (once + 0.5 * (mean @ once))[wanted]

near = mean @ features
inputs = StandardScaler().fit_transform(np.hstack([features, near, mean @ near, shares]))
model = LogisticRegression(C=0.02, max_iter=100).fit(inputs[known], labels[known])
pd.DataFrame({"node": test, "label": model.predict(inputs[test])}).to_csv("submission.csv", index=False)
