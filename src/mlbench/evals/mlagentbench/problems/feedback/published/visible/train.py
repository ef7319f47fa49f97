"""Score essays. The model is missing: predictions are random."""

import random

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split

DIMENSIONS = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
SEED = 42

random.seed(SEED)
torch.manual_seed(SEED)
np.random.seed(SEED)


def errors(right, predicted) -> dict[str, float]:
    """The root mean squared error of each score, of arrays (essays, scores)."""
    roots = np.sqrt(np.mean((np.asarray(right) - np.asarray(predicted)) ** 2, axis=0))
    return dict(zip(DIMENSIONS, roots.tolist(), strict=True))


def train_model(train_texts, train_scores, valid_texts, valid_scores):
    """To do: define a model, train it, and return it."""


def predict(model, texts):
    """To do: predict the scores of texts, as an array (texts, scores)."""
    return np.random.rand(len(texts), len(DIMENSIONS))


if __name__ == "__main__":
    known = pd.read_csv("train.csv").dropna()
    texts, scores = known["full_text"].tolist(), known[DIMENSIONS].to_numpy()
    train_texts, valid_texts, train_scores, valid_scores = train_test_split(
        texts, scores, test_size=0.10, random_state=SEED
    )
    model = train_model(train_texts, train_scores, valid_texts, valid_scores)
    found = errors(valid_scores, predict(model, valid_texts))
    print(found)
    print(f"MCRMSE of the validation part: {np.mean(list(found.values()))}")

    test = pd.read_csv("test.csv")
    predicted = pd.DataFrame(predict(model, test["full_text"].tolist()), columns=DIMENSIONS)
    predicted.insert(0, "text_id", test["text_id"])
    predicted.to_csv("submission.csv", index=False)
