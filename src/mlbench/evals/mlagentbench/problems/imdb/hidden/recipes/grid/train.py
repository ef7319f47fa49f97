"""Strings of words and a linear model; a grid search over their length and the penalty."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(max_iter=1000))
grid = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2), (1, 3)], "logisticregression__C": [1, 10]}
model = GridSearchCV(pipeline, grid, cv=3).fit(train["text"], train["label"])
submission = pd.DataFrame(model.predict_proba(test["text"]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
