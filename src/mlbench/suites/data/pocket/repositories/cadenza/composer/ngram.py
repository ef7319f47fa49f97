import json
import math
import os
from collections import defaultdict

import numpy as np

SMOOTHINGS = ("additive", "jelinek", "witten-bell", "absolute")
START, END = "<s>", "</s>"


class NGramModel:
    def __init__(self, order=3, smoothing="witten-bell", strength=None):
        if order < 1:
            raise ValueError("order must be at least 1")
        if smoothing not in SMOOTHINGS:
            raise ValueError(f"smoothing must be one of {', '.join(SMOOTHINGS)}")
        self.order, self.smoothing = order, smoothing
        self.strength = {"additive": 0.1, "jelinek": 0.7, "witten-bell": 1.0, "absolute": 0.6}[smoothing] \
            if strength is None else strength
        self.counts = defaultdict(dict)
        self.vocab = []
        self._cache = {}

    def _grams(self, tune):
        tokens = [START] * (self.order - 1) + list(tune) + [END]
        for i in range(self.order - 1, len(tokens)):
            yield tuple(tokens[i - self.order + 1:i]), tokens[i]

    def fit(self, tunes):
        vocab = {END}
        for tune in tunes:
            vocab.update(tune)
            for context, token in self._grams(tune):
                for k in range(len(context) + 1):
                    followers = self.counts[context[k:]]
                    followers[token] = followers.get(token, 0) + 1
        self.vocab = sorted(vocab)
        self._cache = {}
        return self

    def prob(self, context, token):
        context = tuple(context)[len(context) - self.order + 1:] if self.order > 1 else ()
        return self._prob(context, token)

    def _prob(self, context, token):
        key = (context, token)
        if key in self._cache:
            return self._cache[key]
        size = len(self.vocab) + 1                      # one place for the unseen
        followers = self.counts.get(context, {})
        total, count, kinds = sum(followers.values()), followers.get(token, 0), len(followers)
        if self.smoothing == "additive":
            value = (count + self.strength) / (total + self.strength * size)
        else:
            lower = self._prob(context[1:], token) if context else 1.0 / size
            if total == 0:
                value = lower
            elif self.smoothing == "jelinek":
                value = self.strength * count / total + (1 - self.strength) * lower
            elif self.smoothing == "witten-bell":
                value = (count + self.strength * kinds * lower) / (total + self.strength * kinds)
            else:
                value = (max(count - self.strength, 0) + self.strength * kinds * lower) / total
        self._cache[key] = value
        return value

    def perplexity(self, tunes):
        logs = [math.log(self._prob(context, token)) for tune in tunes for context, token in self._grams(tune)]
        return math.exp(-sum(logs) / len(logs))

    def sample(self, rng, bars, temperature=1.0):
        """Tokens of exactly `bars` bars; an end of the tune starts over."""
        history, out = [START] * (self.order - 1), []
        while out.count("|") < bars:
            context = tuple(history[len(history) - self.order + 1:]) if self.order > 1 else ()
            while context and context not in self.counts:
                context = context[1:]
            tokens = sorted(self.counts[context])
            p = np.array([self._prob(context, token) for token in tokens]) ** (1.0 / temperature)
            token = tokens[int(rng.choice(len(tokens), p=p / p.sum()))]
            if token == END:
                history = [START] * (self.order - 1)
                continue
            history.append(token)
            out.append(token)
        return out

    def save(self, path, **about):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        data = {"about": about, "order": self.order, "smoothing": self.smoothing, "strength": self.strength,
                "vocab": self.vocab, "counts": {" ".join(k): v for k, v in sorted(self.counts.items())}}
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(data, handle, separators=(",", ":"))

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
        model = cls(data["order"], data["smoothing"], data["strength"])
        model.vocab = data["vocab"]
        for key, followers in data["counts"].items():
            model.counts[tuple(key.split())] = followers
        return model
