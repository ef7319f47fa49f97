"""Predicts the mean price for every house."""

import pandas as pd

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
test["SalePrice"] = train["SalePrice"].mean()
test[["Id", "SalePrice"]].to_csv("submission.csv", index=False)
