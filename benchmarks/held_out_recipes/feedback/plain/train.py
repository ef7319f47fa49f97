"""A support vector machine for each score, on weighted words."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import SVR

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
known, asked = words.fit_transform(train["full_text"]), words.transform(test["full_text"])
submission = test[["text_id"]].copy()
for score in SCORES:
    submission[score] = SVR().fit(known, train[score]).predict(asked).clip(1, 5)
submission.to_csv("submission.csv", index=False)
