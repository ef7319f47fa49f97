"""Tell praise from blame in reviews: clause by clause, with what negates, strengthens or outweighs an opinion.

What stands before "but" hardly counts, and what others said is no opinion: both have features of their own. An opinion
is a word together with its negation, its strength and the thing that it is about.
"""

import os
import re

import pandas as pd
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

SEED = int(os.environ.get("SEED", "0"))
NEGATIONS = ("not", "hardly", "never", "far")
FORCES = {"very": 1.5, "really": 1.5, "somewhat": 0.5, "little": 0.5}
OTHERS = ("my friends had told", "i had heard it", "everybody else called")
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")


def telling(texts: pd.Series, labels: pd.Series) -> list[str]:
    """Words after a copula: those that judge."""
    found = texts.str.findall(r"(\w+)(?: ,| \.| but)").explode().value_counts()
    return [word for word in found.index if found[word] > 30]


WORDS = set(telling(train["text"], train["label"]))
THINGS = set(train["text"].str.findall(r"\bthe (\w+)").explode().value_counts().head(15).index)


def opinions(text: str) -> dict[str, float]:
    """How strongly each opinion is uttered."""
    found: dict[str, float] = {}

    def add(name: str, value: float) -> None:
        found[name] = found.get(name, 0.0) + value

    for clause in text.split(" . "):
        if clause.startswith(OTHERS):
            continue
        *before, after = clause.split(" but ")
        for part, where in [*((each, "before ") for each in before), (after, "")]:
            words = re.findall(r"\w+", part)
            judged = next((word for word in reversed(words) if word in WORDS and word not in THINGS), None)
            if judged is None:
                continue
            force = next((FORCES[word] for word in words if word in FORCES), 1.0)
            name = where + ("no " if any(word in NEGATIONS for word in words) else "") + judged
            thing = next((word for word in words if word in THINGS), "none")
            add(name, force)
            add(f"{name} {thing}", force)
    return found


inputs, labels = [opinions(text) for text in train["text"]], train["label"]
texts, valid, labels, valid_labels = train_test_split(inputs, labels, test_size=0.1, random_state=SEED)
model = make_pipeline(DictVectorizer(), LogisticRegression(C=0.5, max_iter=2000)).fit(texts, labels)
print(f"validation accuracy {model.score(valid, valid_labels):.3f}")

submission = pd.DataFrame(model.predict_proba([opinions(text) for text in test["text"]]), columns=["0", "1"])
submission.insert(0, "idx", test["idx"])
submission.to_csv("submission.csv", index=False)
