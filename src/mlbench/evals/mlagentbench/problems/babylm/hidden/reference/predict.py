"""Say how likely each character is to come next: log_probabilities.npy, (contexts, characters)."""

import json

import numpy as np
from model import distribution

with open("contexts.json") as file:
    contexts = json.load(file)
with open("counts.json") as file:
    counts, shares = json.load(file)
np.save("log_probabilities.npy", np.log([distribution(counts, shares, "\n" + context) for context in contexts]))
