"""A valid submission that must not succeed: the mean of the known targets for every row."""

import pandas as pd

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
test["target"] = train.target.mean()
test[["id", "target"]].to_csv("submission.csv", index=False)
