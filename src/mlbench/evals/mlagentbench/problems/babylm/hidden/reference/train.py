"""Train a model of characters: counts of strings, and how much a story's own words count."""

import json
import os
from collections import Counter, defaultdict

import numpy as np
from model import LONGEST, ORDER, PLACE, by_counts, by_story

MOST = 1_500_000  # characters that are counted; more do not fit into memory
SEED = int(os.environ.get("SEED", "0"))

with open("train.txt") as file:
    stories = file.readlines()
order = np.random.default_rng(SEED).permutation(len(stories))
counts: dict[str, Counter[str]] = defaultdict(Counter)
left = MOST
for number in order[:-60]:
    text = "\n" + stories[number]
    left -= len(text)
    if left < 0:
        break
    for i in range(1, len(text)):
        for length in range(min(ORDER, i) + 1):
            counts[text[i - length : i]][text[i]] += 1

# on other stories: what both say of the right character, by the length of what is repeated
told: dict[int, list[tuple[float, float]]] = defaultdict(list)
for number in order[-60:]:
    text = "\n" + stories[number]
    for i in range(1, len(text), 4):
        length, own = by_story(text[:i])
        right = PLACE[text[i]]
        told[length].append((by_counts(counts, text[:i])[right], own[right]))
shares = [0.0] * (LONGEST + 1)
lost = 0.0
for length, pairs in told.items():
    both = np.array(pairs)

    def surprise(share: float, both: np.ndarray = both) -> float:
        return -float(np.log((1 - share) * both[:, 0] + share * both[:, 1]).sum())

    shares[length] = min((0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), key=surprise)
    lost += surprise(shares[length])
print(f"validation: perplexity {np.exp(lost / sum(map(len, told.values()))):.3f}")
with open("counts.json", "w") as file:
    json.dump([counts, shares], file)
