"""Say how likely each character is to come next: log_probabilities.npy, (contexts, characters)."""

import json

import numpy as np
from model import WordModel

with open("contexts.json") as file:
    contexts = json.load(file)
with open("power.json") as file:
    power, stories = json.load(file)
model = WordModel(stories)
np.save("log_probabilities.npy", np.log([model.distribution(context, power) for context in contexts]))
