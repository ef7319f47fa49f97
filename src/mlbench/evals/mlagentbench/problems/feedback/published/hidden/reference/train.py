"""Score essays by ridge regression on words and pairs of words."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

DIMENSIONS = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]

known, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), Ridge(alpha=3.0))
model.fit(known["full_text"], known[DIMENSIONS])
predicted = pd.DataFrame(model.predict(test["full_text"]), columns=DIMENSIONS).clip(1, 5)
predicted.insert(0, "text_id", test["text_id"])
predicted.to_csv("submission.csv", index=False)
