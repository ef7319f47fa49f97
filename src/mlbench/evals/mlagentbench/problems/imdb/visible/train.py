"""Tell praise from blame in reviews: which of the most frequent words occur, and a linear model."""

import os

import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

SEED = int(os.environ.get("SEED", "0"))
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
texts, valid, labels, valid_labels = train_test_split(train["text"], train["label"], test_size=0.2, random_state=SEED)

model = make_pipeline(CountVectorizer(binary=True, max_features=100), LogisticRegression(C=0.1, max_iter=200))
model.fit(texts, labels)
print(f"validation accuracy {model.score(valid, valid_labels):.3f}")

submission = pd.DataFrame(model.predict_proba(test["text"]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
