"""Words, pairs and pieces of words, and ridge regression; trees on the rates of the commonest ones are averaged in."""

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import Normalizer

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True, token_pattern=r"\w+|[^\w\s]", lowercase=False)
pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=5, sublinear_tf=True, lowercase=False)
linear = make_pipeline(make_union(words, pieces), RidgeCV(np.logspace(-1, 2, 7)))
counts = CountVectorizer(max_features=400, ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]", lowercase=False)
trees = make_pipeline(counts, Normalizer("l1"), ExtraTreesRegressor(300, max_features=0.3, random_state=0))
told = [model.fit(train["full_text"], train[SCORES]).predict(test["full_text"]) for model in (linear, trees)]
submission = pd.DataFrame(np.mean(told, axis=0), columns=SCORES)
submission.insert(0, "text_id", test["text_id"])
submission.to_csv("submission.csv", index=False)
