"""A random forest on bills, cabin and one column for each value of a word."""

import pandas as pd
from sklearn.ensemble import RandomForestClassifier

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
both = pd.concat([train.drop(columns="Transported"), test])
both[["Deck", "Number", "Side"]] = both["Cabin"].str.split("/", expand=True)
both["Number"] = pd.to_numeric(both["Number"])
for column in ("Age", "RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"):
    both[column] = pd.to_numeric(both[column])
both = both.drop(columns=["PassengerId", "Name", "Cabin"])
both = pd.get_dummies(both, columns=["HomePlanet", "CryoSleep", "Destination", "VIP", "Deck", "Side"]).fillna(0)
model = RandomForestClassifier(400, min_samples_leaf=3, random_state=0).fit(both[: len(train)], train["Transported"])
test["Transported"] = model.predict(both[len(train) :])
test[["PassengerId", "Transported"]].to_csv("submission.csv", index=False)
