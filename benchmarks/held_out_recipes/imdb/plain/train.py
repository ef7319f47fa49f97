"""Strings of letters and of words, and a support vector machine."""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
letters, words = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5)), TfidfVectorizer(ngram_range=(1, 3))
model = make_pipeline(make_union(letters, words), LinearSVC(C=0.5)).fit(train["text"], train["label"])
submission = pd.DataFrame(np.eye(2)[model.predict(test["text"])], columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
