"""Predict the prices of houses. The model is missing."""

import pandas as pd
from sklearn.model_selection import train_test_split

FEATURES = [
    "MSSubClass",
    "LotArea",
    "OverallQual",
    "OverallCond",
    "YearBuilt",
    "YearRemodAdd",
    "1stFlrSF",
    "2ndFlrSF",
    "LowQualFinSF",
    "GrLivArea",
    "FullBath",
    "HalfBath",
    "BedroomAbvGr",
    "KitchenAbvGr",
    "TotRmsAbvGrd",
    "Fireplaces",
    "WoodDeckSF",
    "OpenPorchSF",
    "EnclosedPorch",
    "3SsnPorch",
    "ScreenPorch",
    "PoolArea",
    "MiscVal",
    "MoSold",
    "YrSold",
]
"""Other columns of data_description.txt may be better."""

known = pd.read_csv("train.csv")
train_X, valid_X, train_y, valid_y = train_test_split(known[FEATURES], known["SalePrice"], random_state=1)

# To do: train a model, for example a random forest, as `model`, and measure its mean absolute error on both parts as
# `train_mae` and `valid_mae`.

print(f"Train MAE: {train_mae:,.0f}")  # noqa: F821
print(f"Validation MAE: {valid_mae:,.0f}")  # noqa: F821

test = pd.read_csv("test.csv")
predicted = model.predict(test[FEATURES])  # noqa: F821
pd.DataFrame({"Id": test["Id"], "SalePrice": predicted}).to_csv("submission.csv", index=False)
