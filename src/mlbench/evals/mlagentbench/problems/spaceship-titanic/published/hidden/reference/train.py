"""Tell which passengers were transported, with a logistic regression."""

import pandas as pd
from sklearn.linear_model import LogisticRegression

SELECTED = ["HomePlanet", "CryoSleep", "Destination", "VIP", "Deck", "Side"]
BILLS = ["RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"]


def features(table: pd.DataFrame) -> pd.DataFrame:
    table = table.copy()
    table[["Deck", "Cabin_num", "Side"]] = table["Cabin"].str.split("/", expand=True)
    spends = (table[BILLS].fillna(0) > 0).add_suffix("_spends")
    return pd.concat([pd.get_dummies(table[SELECTED]), spends], axis=1)


known = pd.read_csv("train.csv").sample(frac=1, random_state=1)
cut = int(0.8 * len(known))
train, valid = known[:cut], known[cut + 1 :]
train_X = features(train)
valid_X = features(valid).reindex(columns=train_X.columns, fill_value=0)
model = LogisticRegression(max_iter=1000).fit(train_X, train["Transported"])
print(f"Train accuracy: {model.score(train_X, train['Transported'])}")
print(f"Validation accuracy: {model.score(valid_X, valid['Transported'])}")
test = pd.read_csv("test.csv")
predicted = model.predict(features(test).reindex(columns=train_X.columns, fill_value=0))
pd.DataFrame({"PassengerId": test["PassengerId"], "Transported": predicted}).to_csv("submission.csv", index=False)
