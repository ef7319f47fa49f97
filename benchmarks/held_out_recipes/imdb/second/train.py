"""Words, pairs and triples, weighted by how rare they are, and a linear model without stop words taken out."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
words = TfidfVectorizer(ngram_range=(1, 4), min_df=2, sublinear_tf=True, token_pattern=r"\w+|[^\w\s]")
model = make_pipeline(words, LogisticRegression(C=30, max_iter=1000)).fit(train["text"], train["label"])
submission = pd.DataFrame(model.predict_proba(test["text"]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
