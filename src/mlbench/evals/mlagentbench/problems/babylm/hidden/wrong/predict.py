"""Saves the scores of the model as they are: they are no distribution."""

import json

import numpy as np

with open("characters.json") as file:
    characters = json.load(file)
with open("contexts.json") as file:
    contexts = json.load(file)
with np.load("model.npz") as model:
    counts = model["counts"]
place = {character: number for number, character in enumerate(characters)}
last = np.array([[place[character] for character in ("\n\n" + context)[-2:]] for context in contexts])
np.save("log_probabilities.npy", np.log(counts[last[:, 0], last[:, 1]] + 1) - 5)
