"""Boosted trees on every column; a value that has parts is taken apart, and how often it occurs is counted."""

import os

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split

CLASSES = False
LOSS = "squared_error"
LOGARITHM = False
ROUNDS, RATE, LEAVES = 300, 0.05, 31
SEED = int(os.environ.get("SEED", "0"))

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
target = next(column for column in train.columns if column not in test.columns)
identity = test.columns[0]


def numbers(both: pd.DataFrame) -> pd.DataFrame:
    """Every column as numbers."""
    found = {}
    for column in both.columns:
        values = both[column]
        if values.dtype.kind in "ifb":
            found[column] = values.astype(float)
            continue
        text = values.astype(str).where(values.notna())
        parts = text.str.split(r"[/_ ]", expand=True, regex=True)
        for number, part in enumerate([text, *(parts[name] for name in parts.columns if parts.shape[1] > 1)]):
            as_number = pd.to_numeric(part, errors="coerce")
            coded = as_number if as_number.notna().mean() > 0.5 else pd.Series(pd.factorize(part, sort=True)[0])
            found[f"{column} {number}"] = coded.astype(float).set_axis(both.index)
            found[f"{column} {number} count"] = part.map(part.value_counts()).astype(float)
    return pd.DataFrame(found)


rows = numbers(pd.concat([train.drop(columns=target), test], ignore_index=True))
known, asked = rows[: len(train)], rows[len(train) :]
labels = train[target] if CLASSES else train[target].astype(float)
wanted = np.log(labels) if LOGARITHM else labels


def fitted(inputs: pd.DataFrame, outputs: pd.Series) -> object:
    settings = {"max_iter": ROUNDS, "learning_rate": RATE, "max_leaf_nodes": LEAVES, "random_state": SEED}
    if CLASSES:
        return HistGradientBoostingClassifier(**settings).fit(inputs, outputs)
    return HistGradientBoostingRegressor(loss=LOSS, **settings).fit(inputs, outputs)


def predicted(model: object, inputs: pd.DataFrame) -> np.ndarray:
    found = model.predict(inputs)
    return np.exp(found) if LOGARITHM else found


first, second = train_test_split(np.arange(len(train)), test_size=0.2, random_state=SEED)
told = predicted(fitted(known.iloc[first], wanted.iloc[first]), known.iloc[second])
right = labels.iloc[second].to_numpy()
score = np.mean(told == right) if CLASSES else np.mean(np.abs(told - right))
print(f"validation: {'accuracy' if CLASSES else 'mean absolute error'} {score:.4g}")

answer = predicted(fitted(known, wanted), asked)
pd.DataFrame({identity: test[identity], target: answer}).to_csv("submission.csv", index=False)
