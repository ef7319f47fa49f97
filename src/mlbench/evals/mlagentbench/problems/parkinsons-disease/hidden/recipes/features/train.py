"""Boosted trees for medians of logarithms, on proteins, with the means over a patient's visits beside them."""

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor

train, test = pd.read_csv("train_clinical_data.csv"), pd.read_csv("test.csv")


def features(part: str) -> pd.DataFrame:
    table = pd.read_csv(f"{part}_proteins.csv")
    found = np.log(table.pivot(index=["patient_id", "visit_month"], columns="UniProt", values="NPX"))
    found = found.fillna(found.median())
    return found.join(found.groupby(level=0).mean(), rsuffix="_mean").reset_index(level=1)


known, asked = features("train"), features("test")
keys = pd.MultiIndex.from_arrays([known.index, known["visit_month"]])
wanted = asked.set_index(asked.index.astype(str) + "_" + asked["visit_month"].astype(str)).loc[test["visit_id"]]
parts = []
for score in ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]:
    later = train.set_index(["patient_id", "visit_month"])[score]
    for months in [0, 6, 12, 24]:
        target = later.reindex([(patient, month + months) for patient, month in keys]).to_numpy()
        there = pd.notna(target)
        model = GradientBoostingRegressor(
            loss="absolute_error", n_estimators=60, max_depth=3, max_features=0.3, subsample=0.7, random_state=0
        ).fit(known[there], np.log1p(target[there]))
        told = np.expm1(model.predict(wanted)).round().clip(0)
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": told}))
pd.concat(parts).to_csv("submission.csv", index=False)
