"""The longest string before that is known decides, mixed with shorter ones."""

import json
from pathlib import Path

import numpy as np

characters, contexts = json.loads(Path("characters.json").read_text()), json.loads(Path("contexts.json").read_text())
model = json.loads(Path("counts.json").read_text())
order, weight, counts = model["order"], model["weight"], model["counts"]
rows = []
for context in contexts:
    text, row = ("\n" * order + context)[-order:], np.full(len(characters), 1 / len(characters))
    for length in range(order + 1):
        seen = counts.get(text[order - length :], {})
        found = np.array([seen.get(each, 0) for each in characters], float)
        row = (found + weight * row) / (found.sum() + weight)
    rows.append(row)
np.save("log_probabilities.npy", np.log(rows))
