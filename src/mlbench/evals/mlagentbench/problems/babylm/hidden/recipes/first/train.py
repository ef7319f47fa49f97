"""A model of the six characters before, all stories, add a little: kept as counts."""

import json
from collections import Counter, defaultdict

ORDER = 6
counts = defaultdict(Counter)
with open("train.txt") as file:
    for line in file:
        text = "\n" * ORDER + line
        for i in range(ORDER, len(text)):
            for length in range(ORDER + 1):
                counts[text[i - length : i]][text[i]] += 1
with open("counts.json", "w") as file:
    json.dump(counts, file)
