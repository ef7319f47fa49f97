"""Predict the target: a line through one column."""

import os

import numpy as np
import pandas as pd

SEED = int(os.environ.get("SEED", "0"))

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
chosen = np.random.default_rng(SEED).permutation(len(train))
fitted, valid = train.iloc[chosen[:450]], train.iloc[chosen[450:]]
line = np.polyfit(fitted.a, fitted.target, 1)
print(f"validation: mean absolute error {(valid.target - np.polyval(line, valid.a)).abs().mean():.3f}")

test["target"] = np.polyval(line, test.a)
test[["id", "target"]].to_csv("submission.csv", index=False)
