"""Predict the medians of the scores: the SMAPE rewards them more than means."""

import pandas as pd
from public_timeseries_testing_util import MockApi

TARGETS = ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]

visits = pd.read_csv("train_clinical_data.csv")
medians = {target: visits[target].median() for target in TARGETS}
env = MockApi()
for _, _, _, submission in env.iter_test():
    target = submission["prediction_id"].str.extract(r"(updrs_\d)", expand=False)
    env.predict(submission.assign(rating=target.map(medians)))
