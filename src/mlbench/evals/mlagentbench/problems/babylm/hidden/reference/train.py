"""Train a model of characters: long strings, smoothed after Witten and Bell, and how much the story itself counts."""

import os
from collections import Counter, defaultdict

import numpy as np
from model import ORDER, distribution, save

MOST = 1_500_000  # characters that are counted; more do not fit into memory
SEED = int(os.environ.get("SEED", "0"))

with open("train.txt") as file:
    stories = file.readlines()
order = np.random.default_rng(SEED).permutation(len(stories))
counts: dict[str, Counter[str]] = defaultdict(Counter)
left = MOST
for number in order[:-40]:
    text = "\n" + stories[number]
    left -= len(text)
    if left < 0:
        break
    for i in range(1, len(text)):
        for length in range(min(ORDER, i) + 1):
            counts[text[i - length : i]][text[i]] += 1


def perplexity(weight: float) -> float:
    """On stories that are not counted."""
    surprise = []
    for number in order[-40:]:
        text = stories[number]
        told = (distribution(counts, "\n" + text[:i], weight)[text[i]] for i in range(1, len(text), 11))
        surprise.extend(-np.log(list(told)))
    return float(np.exp(np.mean(surprise)))


weight = min((0.0, 0.1, 0.3, 1.0), key=perplexity)
print(f"validation: perplexity {perplexity(weight):.3f}, weight {weight}")
save(counts, weight)
