"""Predict the prices of houses: a small tree on a few columns."""

import os

import pandas as pd
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

COLUMNS = ["LotArea", "YearBuilt", "TotalBsmtSF", "GrLivArea"]
SEED = int(os.environ.get("SEED", "0"))

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
features, valid, target, valid_target = train_test_split(
    train[COLUMNS], train["SalePrice"], test_size=0.2, random_state=SEED
)
model = DecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=SEED).fit(features, target)
print(f"validation: mean absolute error {mean_absolute_error(valid_target, model.predict(valid)):.0f}")

test["SalePrice"] = model.predict(test[COLUMNS])
test[["Id", "SalePrice"]].to_csv("submission.csv", index=False)
