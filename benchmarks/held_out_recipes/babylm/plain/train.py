"""Counts of what follows up to nine characters, over all stories."""

import json
from collections import Counter, defaultdict

ORDER = 9
counts = defaultdict(Counter)
with open("train.txt") as file:
    for line in file:
        text = "\n" * ORDER + line
        for i in range(ORDER, len(text)):
            for length in range(ORDER + 1):
                counts[text[i - length : i]][text[i]] += 1
with open("counts.json", "w") as file:
    json.dump(counts, file)
