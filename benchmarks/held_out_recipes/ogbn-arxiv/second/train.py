"""A linear model on the words of each paper and, on average, of its neighbours, and on their subjects."""

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

graph = np.load("graph.npz")
features, labels, (source, target) = graph["node_feat"], graph["node_label"], graph["edge_index"]
links = csr_matrix((np.ones(len(source)), (source, target)), (len(labels),) * 2)
links = links + links.T
mean = diags(1 / np.maximum(1, np.asarray(links.sum(1)).ravel())) @ links
subjects = np.eye(40)[labels] * (labels >= 0)[:, None]
near = mean @ features
inputs = np.hstack([features, near, mean @ near, mean @ subjects, mean @ (mean @ subjects)])
known = np.concatenate([graph["train_idx"], graph["valid_idx"]])
known = known[labels[known] >= 0]
model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=300)).fit(inputs[known], labels[known])
test = graph["test_idx"]
pd.DataFrame({"node": test, "label": model.predict(inputs[test])}).to_csv("submission.csv", index=False)
