"""Tell praise from blame in reviews: how often up to three neighbouring words occur, and a linear model."""

import os

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

SEED = int(os.environ.get("SEED", "0"))
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
texts, valid, labels, valid_labels = train_test_split(train["text"], train["label"], test_size=0.2, random_state=SEED)

words = TfidfVectorizer(ngram_range=(1, 3), token_pattern=r"\S+", sublinear_tf=True, min_df=2)
model = make_pipeline(words, LogisticRegression(C=10, max_iter=300)).fit(texts, labels)
print(f"validation accuracy {model.score(valid, valid_labels):.3f}")

submission = pd.DataFrame(model.predict_proba(test["text"]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
