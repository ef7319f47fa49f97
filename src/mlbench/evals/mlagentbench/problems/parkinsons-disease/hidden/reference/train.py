"""Foretell the scores of patients: their proteins tell how ill they are, all visits of a patient tell it together.

A linear model of the proteins estimates, for each visit, each score's logarithm; patients of the training tables are
left out in turn, so that the estimates are as good as those of new patients. Their mean and their trend over the visits
of a patient are then what medians of the scores ahead are fitted to.
"""

import os

import numpy as np
import pandas as pd
from sklearn.linear_model import QuantileRegressor, RidgeCV
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

AHEAD, SCORES = [0, 6, 12, 24], ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
SEED = int(os.environ.get("SEED", "0"))


def proteins(part: str) -> pd.DataFrame:
    """The logarithms of proteins and peptides, less the sample's middle; one row for each visit."""
    key = ["patient_id", "visit_month"]
    table = np.log(pd.read_csv(f"{part}_proteins.csv").pivot(index=key, columns="UniProt", values="NPX"))
    return table.sub(table.median(axis=1), axis=0)


known, asked = proteins("train"), proteins("test")
middle = known.median()
known, asked = known.fillna(middle), asked.fillna(middle)
scale = StandardScaler().fit(known)
clinical = pd.read_csv("train_clinical_data.csv").set_index(["patient_id", "visit_month"])
patients = known.index.get_level_values(0)


def levels(frame: pd.DataFrame) -> np.ndarray:
    """Proteins and the month of a visit."""
    return np.column_stack([scale.transform(frame), frame.index.get_level_values(1) / 12])


def together(told: np.ndarray, frame: pd.DataFrame) -> np.ndarray:
    """What the visits of a patient tell, for each visit: this one, their mean, the trend over them, the month."""
    found = pd.DataFrame(told, index=frame.index)
    month = pd.Series(frame.index.get_level_values(1).astype(float), index=frame.index)
    mean = found.groupby(level=0).transform("mean")
    away = month - month.groupby(level=0).transform("mean")
    trend = (
        found.mul(away, axis=0)
        .groupby(level=0)
        .transform("sum")
        .div((away**2).groupby(level=0).transform("sum"), axis=0)
    )
    return np.column_stack([found, mean, trend, month / 12, mean.mul(month / 12, axis=0), found * found])


estimates, wanted = [], []
for score in SCORES:
    for months in (0, 24):
        later = pd.MultiIndex.from_arrays([patients, known.index.get_level_values(1) + months])
        target = np.log1p(clinical[score].reindex(later).to_numpy())
        there = ~np.isnan(target)
        model = RidgeCV(np.logspace(-1, 3, 9))
        told = np.empty(len(known))
        fold = cross_val_predict(model, levels(known)[there], target[there], groups=patients[there], cv=GroupKFold(8))
        model.fit(levels(known)[there], target[there])
        told[~there] = model.predict(levels(known)[~there]) if (~there).any() else 0
        told[there] = fold
        estimates.append(told)
        wanted.append(model.predict(levels(asked)))
inputs, outputs = together(np.column_stack(estimates), known), together(np.column_stack(wanted), asked)
both = StandardScaler().fit(inputs)
inputs, outputs = both.transform(inputs), both.transform(outputs)
visits = asked.index.get_level_values(0).astype(str) + "_" + asked.index.get_level_values(1).astype(str)
parts = []
for score in SCORES:
    for months in AHEAD:
        later = pd.MultiIndex.from_arrays([patients, known.index.get_level_values(1) + months])
        target = clinical[score].reindex(later).to_numpy()
        there = ~np.isnan(target)
        model = QuantileRegressor(quantile=0.5, alpha=0.002, solver="highs").fit(inputs[there], np.log1p(target[there]))
        ratings = np.expm1(model.predict(outputs)).round().clip(min=0)
        parts.append(pd.DataFrame({"prediction_id": visits + f"_{score}_plus_{months}_months", "rating": ratings}))
pd.concat(parts).to_csv("submission.csv", index=False)
