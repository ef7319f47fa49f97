"""Multinomial logistic regression on one-hot features, mini-batch gradient descent."""
import numpy as np

from chords import TAGS

FEATURES = ("chord", "window", "bigram", "full")


def describe(chords, i, kind):
    at = lambda k: chords[k] if 0 <= k < len(chords) else "-"
    out = ["bias", "0=" + at(i)]
    if kind in ("window", "full"):
        out += ["-1=" + at(i - 1), "+1=" + at(i + 1)]
    if kind in ("bigram", "full"):
        out += [f"-1,0={at(i - 1)},{at(i)}", f"0,+1={at(i)},{at(i + 1)}"]
    return out


class Tagger:
    def __init__(self, features="window", lr=0.5, l2=0.001, epochs=10, batch=64, seed=1):
        if features not in FEATURES:
            raise ValueError(f"features must be one of {', '.join(FEATURES)}")
        self.features, self.lr, self.l2 = features, lr, l2
        self.epochs, self.batch, self.seed = epochs, batch, seed

    def matrix(self, pieces, grow=False):
        rows = [describe(chords, i, self.features) for chords, _ in pieces for i in range(len(chords))]
        if grow:
            self.names = {}
            for row in rows:
                for name in row:
                    self.names.setdefault(name, len(self.names))
        x = np.zeros((len(rows), len(self.names)))
        for i, row in enumerate(rows):
            for name in row:
                if name in self.names:
                    x[i, self.names[name]] = 1.0
        return x

    def fit(self, pieces, log=None):
        x = self.matrix(pieces, grow=True)
        y = np.array([tag for _, tags in pieces for tag in tags])
        target = np.eye(len(TAGS))[y]
        self.w = np.zeros((x.shape[1], len(TAGS)))
        rng = np.random.default_rng(self.seed)
        for epoch in range(self.epochs):
            order = rng.permutation(len(x))
            for start in range(0, len(x), self.batch):
                index = order[start:start + self.batch]
                p = softmax(x[index] @ self.w)
                self.w -= self.lr * (x[index].T @ (p - target[index]) / len(index) + self.l2 * self.w)
            if log:
                p = softmax(x @ self.w)
                log(epoch + 1, float(-np.log(p[np.arange(len(y)), y]).mean()))
        return self

    def proba(self, pieces):
        return softmax(self.matrix(pieces) @ self.w)


def softmax(z):
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


def score(p, pieces, metric):
    y = np.array([tag for _, tags in pieces for tag in tags])
    guess = p.argmax(axis=1)
    if metric == "accuracy":
        return float((guess == y).mean())
    if metric == "log_loss":
        return float(-np.log(np.maximum(p[np.arange(len(y)), y], 1e-12)).mean())
    table = np.zeros((len(TAGS), len(TAGS)))
    np.add.at(table, (y, guess), 1)
    if metric == "macro_f1":
        hit = np.diag(table)
        return float(np.mean(2 * hit / np.maximum(table.sum(0) + table.sum(1), 1)))
    if metric == "kappa":
        share = table / table.sum()
        chance = float(share.sum(0) @ share.sum(1))
        return float((np.trace(share) - chance) / (1 - chance))
    raise ValueError(metric)


METRICS = ("accuracy", "macro_f1", "kappa", "log_loss")
