"""Say how likely each character is to come next: log_probabilities.npy, (contexts, characters)."""

import json

import numpy as np
from model import CHARACTERS, distribution, load

with open("contexts.json") as file:
    contexts = json.load(file)
counts, weight = load()
rows = []
for context in contexts:
    found = distribution(counts, "\n" + context, weight)
    rows.append([found[character] for character in CHARACTERS])
np.save("log_probabilities.npy", np.log(rows))
