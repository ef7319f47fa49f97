"""Counts of strings of characters; the longest length and the weight of shorter ones come from a grid."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np


def counted(stories: list[str], order: int) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in stories:
        text = "\n" * order + line
        for i in range(order, len(text)):
            for length in range(order + 1):
                counts[text[i - length : i]][text[i]] += 1
    return counts


def chance(counts: dict[str, Counter[str]], before: str, wanted: str, order: int, weight: float) -> float:
    found = 1 / 40
    for length in range(order + 1):
        seen = counts.get(before[len(before) - length :], Counter())
        found = (seen[wanted] + weight * found) / (sum(seen.values()) + weight)
    return found


stories = Path("train.txt").read_text().splitlines(keepends=True)
best = (np.inf, 6, 2.0)
for order in (6, 9, 12):
    counts = counted(stories[150:900], order)
    for weight in (0.5, 1, 2, 4):
        lost = [
            -np.log(chance(counts, ("\n" * order + text[:i])[-order:], text[i], order, weight))
            for text in stories[:150]
            for i in range(0, len(text), 23)
        ]
        best = min(best, (float(np.mean(lost)), order, weight))
with open("counts.json", "w") as file:
    json.dump({"order": best[1], "weight": best[2], "counts": counted(stories, best[1])}, file)
