"""Gives every paper the subject that is most frequent among all the papers that are known."""

import numpy as np
import pandas as pd

graph = np.load("graph.npz")
most = np.bincount(graph["node_label"][graph["train_idx"]]).argmax()
pd.DataFrame({"node": graph["test_idx"], "label": most}).to_csv("submission.csv", index=False)
