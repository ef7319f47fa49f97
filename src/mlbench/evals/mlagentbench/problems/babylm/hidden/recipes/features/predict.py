"""Shorter strings count the more, the more different characters followed the longer one (Witten and Bell)."""

import json
from pathlib import Path

import numpy as np

ORDER = 16
characters, contexts = json.loads(Path("characters.json").read_text()), json.loads(Path("contexts.json").read_text())
counts = json.loads(Path("counts.json").read_text())
rows = []
for context in contexts:
    text, row = ("\n" * ORDER + context)[-ORDER:], np.full(len(characters), 1 / len(characters))
    for length in range(ORDER + 1):
        seen = counts.get(text[ORDER - length :], {})
        found = np.array([seen.get(each, 0) for each in characters], float)
        many = max(len(seen), 0.5)
        row = (found + many * row) / (found.sum() + many)
    rows.append(row)
np.save("log_probabilities.npy", np.log(rows))
