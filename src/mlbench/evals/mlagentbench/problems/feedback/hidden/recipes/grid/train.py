"""Strings of words and a linear model; a grid search over their length and the penalty."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
pipeline = make_pipeline(TfidfVectorizer(min_df=3, sublinear_tf=True), Ridge())
grid = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)], "tfidfvectorizer__lowercase": [True, False]}
grid["ridge__alpha"] = [0.3, 1, 3]
model = GridSearchCV(pipeline, grid, cv=3, scoring="neg_root_mean_squared_error")
model.fit(train["full_text"], train[SCORES])
submission = pd.DataFrame(model.predict(test["full_text"]).clip(1, 5), columns=SCORES)
submission.insert(0, "text_id", test["text_id"])
submission.to_csv("submission.csv", index=False)
