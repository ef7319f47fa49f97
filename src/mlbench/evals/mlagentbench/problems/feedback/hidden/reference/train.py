"""Score the essays of learners: words, pairs of words, pieces of words and some counts, and a linear model."""

import os

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
SEED = int(os.environ.get("SEED", "0"))
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
texts = pd.concat([train["full_text"], test["full_text"]], ignore_index=True)

words = texts.str.split().str.len()
rare = texts.str.lower().str.findall("[a-z]+").explode()
rare = (rare.map(rare.value_counts()) <= 5).groupby(level=0).mean()
counts = np.column_stack(
    [
        np.log(words),
        texts.str.count(r"\.") / words,
        texts.str.count(",") / words,
        texts.str.count(r"\b[A-Z]") / words,
        texts.str.count(r"\bthe\b") / words,
        words / (texts.str.count(r"[A-Z]") + 1),
        rare,
    ]
)
pairs = TfidfVectorizer(ngram_range=(1, 2), min_df=4, sublinear_tf=True, lowercase=False).fit_transform(texts)
inputs = hstack([pairs, csr_array(0.15 * StandardScaler().fit_transform(counts))]).tocsr()
ratings = train[SCORES].to_numpy()
known, valid = train_test_split(np.arange(len(train)), test_size=0.2, random_state=SEED)
model = Ridge(alpha=0.5).fit(inputs[known], ratings[known])
errors = np.sqrt(((ratings[valid] - model.predict(inputs[valid])) ** 2).mean(axis=0))
print(f"validation: MCRMSE {errors.mean():.3f}")

submission = pd.DataFrame(model.predict(inputs[len(train) :]).clip(1, 5), columns=SCORES)
submission.insert(0, "text_id", test["text_id"])
submission.to_csv("submission.csv", index=False)
