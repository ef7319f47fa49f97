"""A random forest on every column, one column for each value of a word."""

import pandas as pd
from sklearn.ensemble import RandomForestRegressor

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
both = pd.get_dummies(pd.concat([train.drop(columns="SalePrice"), test])).fillna(0).drop(columns="Id")
model = RandomForestRegressor(200, random_state=0).fit(both[: len(train)], train["SalePrice"])
test["SalePrice"] = model.predict(both[len(train) :])
test[["Id", "SalePrice"]].to_csv("submission.csv", index=False)
