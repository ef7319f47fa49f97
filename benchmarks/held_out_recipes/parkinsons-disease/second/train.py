"""Boosted trees for each score and delay on the month, the medication and the proteins of the visit."""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

clinical = pd.concat([pd.read_csv("train_clinical_data.csv"), pd.read_csv("supplemental_clinical_data.csv")])
proteins = pd.concat([pd.read_csv("train_proteins.csv"), pd.read_csv("test_proteins.csv")])
proteins = np.log(proteins.pivot_table(index="visit_id", columns="UniProt", values="NPX"))
test, parts = pd.read_csv("test.csv"), []
for score in ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]:
    later = clinical.set_index(["patient_id", "visit_month"])[score]
    for months in [0, 6, 12, 24]:
        place = pd.MultiIndex.from_arrays([clinical["patient_id"], clinical["visit_month"] + months])
        target = later.reindex(place).to_numpy()
        known = clinical[~np.isnan(target)]
        inputs, asked = (each[["visit_id", "visit_month"]].join(proteins, on="visit_id") for each in (known, test))
        model = HistGradientBoostingRegressor(
            loss="absolute_error", max_iter=60, learning_rate=0.1, max_depth=3, min_samples_leaf=30, random_state=0
        )
        model.fit(inputs.drop(columns="visit_id"), np.log1p(target[~np.isnan(target)]))
        told = np.expm1(model.predict(asked.drop(columns="visit_id"))).clip(0)
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": told}))
pd.concat(parts).to_csv("submission.csv", index=False)
