"""Tell which passengers were transported. The model is missing."""

import pandas as pd

SELECTED = ["HomePlanet", "CryoSleep", "Destination", "VIP", "Deck", "Side"]


def features(table: pd.DataFrame) -> pd.DataFrame:
    """A column of zeros and ones for each value of the selected columns."""
    table = table.copy()
    table[["Deck", "Cabin_num", "Side"]] = table["Cabin"].str.split("/", expand=True)
    return pd.get_dummies(table[SELECTED])


known = pd.read_csv("train.csv").sample(frac=1, random_state=1)
cut = int(0.8 * len(known))
train, valid = known[:cut], known[cut + 1 :]
train_X = features(train)
valid_X = features(valid).reindex(columns=train_X.columns, fill_value=0)
train_y, valid_y = train["Transported"], valid["Transported"]

# To do: train a classifier, for example a logistic regression, as `model`, and measure its accuracy on both parts as
# `train_accuracy` and `valid_accuracy`.

print(f"Train accuracy: {train_accuracy}")  # noqa: F821
print(f"Validation accuracy: {valid_accuracy}")  # noqa: F821

test = pd.read_csv("test.csv")
test_X = features(test).reindex(columns=train_X.columns, fill_value=0)
predicted = model.predict(test_X)  # noqa: F821
pd.DataFrame({"PassengerId": test["PassengerId"], "Transported": predicted}).to_csv("submission.csv", index=False)
