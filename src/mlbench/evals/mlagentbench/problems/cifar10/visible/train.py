"""Classify small pictures: a small network on raw pixels, a few epochs at a high learning rate."""

import os

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

EPOCHS, LEARNING_RATE = 10, 0.05
SEED = int(os.environ.get("SEED", "0"))

train, test = np.load("train.npz"), np.load("test.npz")


def features(images: np.ndarray) -> np.ndarray:
    """Pictures (n, 16, 16, 3) as rows of numbers in [-1, 1]."""
    return images.reshape(len(images), -1) / 127.5 - 1


inputs, valid, labels, valid_labels = train_test_split(
    features(train["images"]), train["labels"], test_size=0.2, random_state=SEED
)
model = MLPClassifier(
    (64,), solver="sgd", learning_rate_init=LEARNING_RATE, momentum=0.9, batch_size=128, random_state=SEED
)
for epoch in range(EPOCHS):
    model.partial_fit(inputs, labels, classes=range(10))
    print(f"epoch {epoch + 1}: loss {model.loss_:.3f}, validation accuracy {model.score(valid, valid_labels):.3f}")

submission = pd.DataFrame(model.predict_proba(features(test["images"])), columns=[str(kind) for kind in range(10)])
submission.insert(0, "id", test["ids"])
submission.to_csv("submission.csv", index=False)
