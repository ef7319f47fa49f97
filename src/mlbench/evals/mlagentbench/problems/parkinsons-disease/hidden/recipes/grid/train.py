"""Boosted trees for each score on the logarithms of the proteins; the settings come from a small grid."""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV

train, test = pd.read_csv("train_clinical_data.csv"), pd.read_csv("test.csv")
known, asked = (
    np.log(pd.read_csv(f"{part}_proteins.csv").pivot(index="visit_id", columns="UniProt", values="NPX"))
    for part in ("train", "test")
)
rows = train[train["visit_id"].isin(known.index)]
inputs = known.loc[rows["visit_id"]].assign(month=rows["visit_month"].to_numpy())
wanted = asked.loc[test["visit_id"]].assign(month=test["visit_month"].to_numpy())
grid = {"max_leaf_nodes": [4, 8], "max_iter": [40, 80]}
parts = []
for score in ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]:
    later = train.set_index(["patient_id", "visit_month"])[score]
    for months in [0, 6, 12, 24]:
        target = later.reindex(list(zip(rows["patient_id"], rows["visit_month"] + months, strict=True))).to_numpy()
        there = pd.notna(target)
        model = HistGradientBoostingRegressor(loss="absolute_error", learning_rate=0.08, random_state=0)
        search = GridSearchCV(model, grid, cv=2, scoring="neg_mean_absolute_error").fit(inputs[there], target[there])
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": search.predict(wanted).clip(0)}))
pd.concat(parts).to_csv("submission.csv", index=False)
