"""Predict the prices of houses with a random forest."""

import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

known = pd.read_csv("train.csv")
features = known.select_dtypes("number").columns.drop(["Id", "SalePrice"])
train_X, valid_X, train_y, valid_y = train_test_split(known[features], known["SalePrice"], random_state=1)
model = RandomForestRegressor(random_state=1).fit(train_X, train_y)
print(f"Train MAE: {mean_absolute_error(train_y, model.predict(train_X)):,.0f}")
print(f"Validation MAE: {mean_absolute_error(valid_y, model.predict(valid_X)):,.0f}")
test = pd.read_csv("test.csv")
predicted = model.predict(test[features])
pd.DataFrame({"Id": test["Id"], "SalePrice": predicted}).to_csv("submission.csv", index=False)
