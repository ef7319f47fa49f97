"""Say how likely each character is to come next: the orders are mixed as Witten and Bell do."""

import json
import pickle

import numpy as np

with open("characters.json") as file:
    place = {character: number for number, character in enumerate(json.load(file))}
with open("contexts.json") as file:
    contexts = json.load(file)
with open("model.pkl", "rb") as saved:
    counts = pickle.load(saved)
rows = np.full((len(contexts), len(place)), 1 / len(place))
for row, context in zip(rows, contexts, strict=True):
    text = "\n" + context
    for order in range(min(10, len(text) + 1)):
        seen = counts.get(text[len(text) - order :])
        if seen:
            row *= len(seen) / (sum(seen.values()) + len(seen))
            for character, many in seen.items():
                row[place[character]] += many / (sum(seen.values()) + len(seen))
np.save("log_probabilities.npy", np.log(rows / rows.sum(-1, keepdims=True)))
