"""Train a model of words: how often they follow each other, and how much a story's own words count."""

import json
import os

import numpy as np
from model import PLACE, WordModel

MOST = 1_500_000  # characters that are read; more do not fit into memory
SEED = int(os.environ.get("SEED", "0"))

with open("train.txt") as file:
    stories = file.readlines()
order = np.random.default_rng(SEED).permutation(len(stories))
lengths = np.cumsum([len(stories[number]) for number in order])
order = order[: max(200, int((lengths < MOST).sum()))]
model = WordModel([stories[number] for number in order[60:]])


def perplexity(power: float) -> float:
    """On stories that were not counted."""
    surprise = []
    for number in order[:60]:
        text = stories[number]
        told = [model.distribution(text[:i], power)[PLACE[text[i]]] for i in range(1, len(text), 13)]
        surprise.extend(-np.log(told))
    return float(np.exp(np.mean(surprise)))


found = {power: perplexity(power) for power in (0.0, 0.5, 0.8, 1.0)}
power = min(found, key=lambda each: found[each])
print(f"validation: perplexity {found[power]:.3f} with the power {power}; {found}")
with open("power.json", "w") as file:
    json.dump([power, [stories[number] for number in order]], file)
