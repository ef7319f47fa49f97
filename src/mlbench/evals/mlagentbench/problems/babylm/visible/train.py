"""Train a model of characters: how often each follows the two before it, in some of the stories."""

import json
import os

import numpy as np

SEED = int(os.environ.get("SEED", "0"))
STORIES = 300

with open("characters.json") as file:
    place = {character: number for number, character in enumerate(json.load(file))}
with open("train.txt") as file:
    stories = file.readlines()
order = np.random.default_rng(SEED).permutation(len(stories))

counts = np.zeros((len(place),) * 3)
for number in order[:STORIES]:
    tokens = [place["\n"]] * 2 + [place[character] for character in stories[number]]
    np.add.at(counts, (tokens[:-2], tokens[1:-1], tokens[2:]), 1)
np.savez_compressed("model.npz", counts=counts)

chances = (counts + 1) / (counts + 1).sum(-1, keepdims=True)
surprise = []
for number in order[-100:]:
    tokens = [place["\n"]] * 2 + [place[character] for character in stories[number]]
    surprise.extend(-np.log(chances[tokens[:-2], tokens[1:-1], tokens[2:]]))
print(f"validation: perplexity {np.exp(np.mean(surprise)):.3f}")
