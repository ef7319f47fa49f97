"""Train a model of characters: how often each follows the up to twelve before it, smoothed after Witten and Bell."""

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
for number in order[:-50]:
    text = "\n" + stories[number]
    left -= len(text)
    if left < 0:
        break
    for i in range(1, len(text)):
        for length in range(min(ORDER, i) + 1):
            counts[text[i - length : i]][text[i]] += 1
save(counts)

surprise = []
for number in order[-50:]:
    text = stories[number]
    surprise.extend(-np.log(distribution(counts, "\n" + text[:i])[text[i]]) for i in range(1, len(text), 5))
print(f"validation: perplexity {np.exp(np.mean(surprise)):.3f}")
