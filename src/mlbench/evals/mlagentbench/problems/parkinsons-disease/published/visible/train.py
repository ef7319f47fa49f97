"""Predict how ill patients will be, from the month of a visit alone."""

import numpy as np
import pandas as pd
from public_timeseries_testing_util import MockApi
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, cross_val_score

TARGETS = ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
AHEAD = [0, 6, 12, 24]


def smapep1(true: np.ndarray, predicted: np.ndarray) -> float:
    """SMAPE of values plus 1, in per cent; missing true values do not count."""
    true, predicted = np.ravel(true), np.ravel(predicted)
    known = np.isfinite(true)
    true, predicted = true[known], predicted[known]
    if (true < 0).any() or (predicted < 0).any():
        raise ValueError("a score is below 0")
    return 100 * np.average(np.abs(predicted - true) / ((true + predicted) / 2 + 1))


def examples(visits: pd.DataFrame, target: str) -> pd.DataFrame:
    """The visits of which a score is known at the month itself and at all months ahead."""
    known = (
        visits.drop_duplicates(["patient_id", "visit_month"])
        .set_index(["patient_id", "visit_month"])[target]
        .astype(float)
    )
    rows = known.index.to_frame(index=False)
    for ahead in AHEAD:
        later = pd.MultiIndex.from_arrays([rows["patient_id"], rows["visit_month"] + ahead])
        rows[f"{target}+{ahead}"] = known.reindex(later).to_numpy()
    return rows.dropna()


def predictions(visits: pd.DataFrame, models: dict[str, RandomForestRegressor]) -> pd.Series:
    """The rounded ratings of some visits, by prediction_id."""
    visits = visits.drop_duplicates("visit_id")
    found = {}
    for target, model in models.items():
        rows = model.predict(visits["visit_month"].to_numpy().reshape(-1, 1))
        for visit, row in zip(visits["visit_id"], rows, strict=True):
            for ahead, rating in zip(AHEAD, row, strict=True):
                found[f"{visit}_{target}_plus_{ahead}_months"] = rating
    return pd.Series(found).round(0)


if __name__ == "__main__":
    tables = ["train_clinical_data.csv", "supplemental_clinical_data.csv"]
    visits = pd.concat([pd.read_csv(name) for name in tables])

    # To do: clean the data, and make features. So far only the month is used, and no protein or peptide.
    models, scores = {}, []
    for target in TARGETS:
        rows = examples(visits, target)
        X, y = rows["visit_month"].to_numpy().reshape(-1, 1), rows.iloc[:, 2:]
        models[target] = RandomForestRegressor().fit(X, y)
        scorer = make_scorer(smapep1, greater_is_better=False)
        folds = GroupKFold(n_splits=8)
        found = -cross_val_score(
            RandomForestRegressor(), X, y, groups=rows["patient_id"], scoring=scorer, cv=folds, error_score="raise"
        )
        print(target, found.round(1), found.mean().round(1))
        scores.append(found)
    print(f"Cross-validated SMAPE of all scores: {np.mean(scores):.2f}")

    env = MockApi()
    for test, _, _, submission in env.iter_test():
        submission["rating"] = submission["prediction_id"].map(predictions(test, models))
        env.predict(submission)
