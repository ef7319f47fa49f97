"""Weighted words and pairs of words, and a linear model."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=1000))
model.fit(train["text"], train["label"])
submission = pd.DataFrame(model.predict_proba(test["text"]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
