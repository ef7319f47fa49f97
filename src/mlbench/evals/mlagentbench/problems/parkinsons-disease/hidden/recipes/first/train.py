"""A forest for each score on every protein and the month."""

import pandas as pd
from sklearn.ensemble import RandomForestRegressor

train, test = pd.read_csv("train_clinical_data.csv"), pd.read_csv("test.csv")
known, asked = (
    pd.read_csv(f"{part}_proteins.csv").pivot(index="visit_id", columns="UniProt", values="NPX").fillna(0)
    for part in ("train", "test")
)
parts = []
for score in ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]:
    later = train.set_index(["patient_id", "visit_month"])[score]
    rows = train[train["visit_id"].isin(known.index)]
    for months in [0, 6, 12, 24]:
        target = later.reindex(list(zip(rows["patient_id"], rows["visit_month"] + months, strict=True))).to_numpy()
        inputs, there = known.loc[rows["visit_id"]].assign(month=rows["visit_month"].to_numpy()), pd.notna(target)
        model = RandomForestRegressor(50, random_state=0).fit(inputs[there], target[there])
        told = model.predict(asked.loc[test["visit_id"]].assign(month=test["visit_month"].to_numpy()))
        names = test["visit_id"] + f"_{score}_plus_{months}_months"
        parts.append(pd.DataFrame({"prediction_id": names, "rating": told}))
pd.concat(parts).to_csv("submission.csv", index=False)
