"""Count what follows every context of up to nine characters, in all stories."""

import pickle
from collections import Counter, defaultdict

counts = defaultdict(Counter)
with open("train.txt") as file:
    for story in file:
        text = "\n" + story
        for at in range(1, len(text)):
            for order in range(min(10, at + 1)):
                counts[text[at - order : at]][text[at]] += 1
with open("model.pkl", "wb") as out:
    pickle.dump(dict(counts), out)
