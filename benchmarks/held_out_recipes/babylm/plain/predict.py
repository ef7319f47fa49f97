"""From every count a fixed part is taken and given to what the shorter string says (absolute discounting)."""

import json
from pathlib import Path

import numpy as np

ORDER, TAKEN = 9, 0.5
characters, contexts = json.loads(Path("characters.json").read_text()), json.loads(Path("contexts.json").read_text())
counts = json.loads(Path("counts.json").read_text())
rows = []
for context in contexts:
    text, row = ("\n" * ORDER + context)[-ORDER:], np.full(len(characters), 1 / len(characters))
    for length in range(ORDER + 1):
        seen = counts.get(text[ORDER - length :], {})
        if not seen:
            break
        found = np.array([seen.get(each, 0) for each in characters], float)
        row = (np.maximum(found - TAKEN, 0) + TAKEN * (found > 0).sum() * row) / found.sum()
    rows.append(row / row.sum())
np.save("log_probabilities.npy", np.log(rows))
