"""Foretell the scores of patients from their proteins: boosted trees for medians of logarithms."""

import os

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor

AHEAD, SCORES = [0, 6, 12, 24], ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
SEED = int(os.environ.get("SEED", "0"))


def proteins(part: str) -> pd.DataFrame:
    """The logarithm of every protein, one row for each visit; what was not found is NaN."""
    table = pd.read_csv(f"{part}_proteins.csv").pivot(index="visit_id", columns="UniProt", values="NPX")
    return np.log(table)


known, asked = proteins("train"), proteins("test")
middle = known.median()
known, asked = known.fillna(middle), asked.fillna(middle)
clinical, test = pd.read_csv("train_clinical_data.csv"), pd.read_csv("test.csv")
parts = []
for score in SCORES:
    later = clinical.set_index(["patient_id", "visit_month"])[score]
    sampled = clinical[clinical["visit_id"].isin(known.index)]
    for months in AHEAD:
        target = later.reindex(pd.MultiIndex.from_arrays([sampled["patient_id"], sampled["visit_month"] + months]))
        there = target.notna().to_numpy()
        inputs = known.loc[sampled["visit_id"][there]].assign(month=sampled["visit_month"][there].to_numpy())
        model = GradientBoostingRegressor(
            loss="absolute_error", n_estimators=80, max_depth=3, max_features=0.4, subsample=0.7, random_state=SEED
        ).fit(inputs, np.log1p(target[there].to_numpy()))
        told = model.predict(asked.loc[test["visit_id"]].assign(month=test["visit_month"].to_numpy()))
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": np.expm1(told).round().clip(min=0)}))
pd.concat(parts).to_csv("submission.csv", index=False)
