"""A linear model for the logarithm of each score, on the logarithms of the proteins and the month."""

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

train, test = pd.read_csv("train_clinical_data.csv"), pd.read_csv("test.csv")
known, asked = (
    np.log(pd.read_csv(f"{part}_proteins.csv").pivot(index="visit_id", columns="UniProt", values="NPX"))
    for part in ("train", "test")
)
middle = known.median()
rows = train[train["visit_id"].isin(known.index)]
inputs = known.fillna(middle).loc[rows["visit_id"]].assign(month=rows["visit_month"].to_numpy()).to_numpy()
wanted = asked.fillna(middle).loc[test["visit_id"]].assign(month=test["visit_month"].to_numpy()).to_numpy()
parts = []
for score in ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]:
    later = train.set_index(["patient_id", "visit_month"])[score]
    for months in [0, 6, 12, 24]:
        target = later.reindex(list(zip(rows["patient_id"], rows["visit_month"] + months, strict=True))).to_numpy()
        there = pd.notna(target)
        model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-1, 3, 8))).fit(
            inputs[there], np.log1p(target[there])
        )
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": np.expm1(model.predict(wanted)).clip(0)}))
pd.concat(parts).to_csv("submission.csv", index=False)
