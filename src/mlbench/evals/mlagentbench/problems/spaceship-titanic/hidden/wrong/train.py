"""Learns each passenger's number by heart: perfect on what is known, worthless for anybody else."""

import pandas as pd
from sklearn.tree import DecisionTreeClassifier

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")


def features(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"group": frame["PassengerId"].str[:4].astype(int), "age": frame["Age"].fillna(0)})


model = DecisionTreeClassifier(random_state=0).fit(features(train), train["Transported"])
print(f"training accuracy {model.score(features(train), train['Transported']):.3f}")
test["Transported"] = model.predict(features(test))
test[["PassengerId", "Transported"]].to_csv("submission.csv", index=False)
