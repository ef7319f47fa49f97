"""Weighted words and pairs of words, and a linear model."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), Ridge())
model.fit(train["full_text"], train[SCORES])
submission = pd.DataFrame(model.predict(test["full_text"]).clip(1, 5), columns=SCORES)
submission.insert(0, "text_id", test["text_id"])
submission.to_csv("submission.csv", index=False)
