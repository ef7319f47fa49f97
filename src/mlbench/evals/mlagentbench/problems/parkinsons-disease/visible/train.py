"""Foretell the scores of patients: a forest for each of them, which looks at the month of the visit alone."""

import os

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict

AHEAD, SCORES = [0, 6, 12, 24], ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
SEED = int(os.environ.get("SEED", "0"))


def smape(rating: np.ndarray, predicted: np.ndarray) -> float:
    return 100 * float(np.mean(np.abs(rating - predicted) / ((rating + predicted) / 2 + 1)))


def ahead(visits: pd.DataFrame, score: str) -> pd.DataFrame:
    """The visits, with the score after each number of months in the columns 0, 6, 12 and 24; those that have all."""
    later = visits.set_index(["patient_id", "visit_month"])[score]
    found = visits[["patient_id", "visit_month"]].copy()
    for months in AHEAD:
        wanted = pd.MultiIndex.from_arrays([visits["patient_id"], visits["visit_month"] + months])
        found[months] = later.reindex(wanted).to_numpy()
    return found.dropna()


clinical = pd.concat([pd.read_csv("train_clinical_data.csv"), pd.read_csv("supplemental_clinical_data.csv")])
test = pd.read_csv("test.csv")
parts, errors = [], []
for score in SCORES:
    data = ahead(clinical, score)
    model = RandomForestRegressor(30, random_state=SEED)
    inputs, target = data[["visit_month"]], data[AHEAD]
    told = np.expm1(cross_val_predict(model, inputs, np.log1p(target), groups=data["patient_id"], cv=GroupKFold(4)))
    errors.append(smape(target.to_numpy(), told))
    told = np.expm1(model.fit(inputs, np.log1p(target)).predict(test[["visit_month"]])).round()
    for months, ratings in zip(AHEAD, told.T, strict=True):
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": ratings}))
print(f"cross-validation: SMAPE {np.mean(errors):.1f}")
pd.concat(parts).to_csv("submission.csv", index=False)
