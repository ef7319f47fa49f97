"""A support vector machine on the grey values."""

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

train, test = np.load("train.npz"), np.load("test.npz")
known, asked = (each["images"].mean(axis=-1).reshape(len(each["images"]), -1) for each in (train, test))
model = make_pipeline(StandardScaler(), SVC(random_state=0)).fit(known, train["labels"])
submission = pd.DataFrame(np.eye(10)[model.predict(asked)], columns=[str(kind) for kind in range(10)])
submission.insert(0, "id", test["ids"])
submission.to_csv("submission.csv", index=False)
