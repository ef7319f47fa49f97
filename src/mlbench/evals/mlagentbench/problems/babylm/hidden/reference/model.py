"""Counts of what follows a string of characters, and what the same string was followed by in this very story."""

import json
from collections.abc import Mapping

import numpy as np

ORDER, WEIGHT, LONGEST = 9, 1.5, 14
with open("characters.json") as file:
    CHARACTERS = json.load(file)
PLACE = {character: number for number, character in enumerate(CHARACTERS)}
Counts = Mapping[str, Mapping[str, int]]


def by_counts(counts: Counts, text: str) -> np.ndarray:
    """The distribution by the training stories: from short strings to long ones."""
    found = np.full(len(CHARACTERS), 1 / len(CHARACTERS))
    for length in range(min(ORDER, len(text)) + 1):
        seen = counts.get(text[len(text) - length :])
        if not seen:
            break
        many = np.zeros(len(CHARACTERS))
        for character, times in seen.items():
            many[PLACE[character]] = times
        found = (many + WEIGHT * found) / (many.sum() + WEIGHT)
    return found


def by_story(text: str) -> tuple[int, np.ndarray]:
    """The longest end of the text that stands in it before, and how often each character followed there."""
    for length in range(min(LONGEST, len(text) - 1), 1, -1):
        end, found = text[len(text) - length :], np.zeros(len(CHARACTERS))
        for i in range(len(text) - length):
            if text.startswith(end, i):
                found[PLACE[text[i + length]]] += 1
        if found.any():
            return length, found / found.sum()
    return 0, np.full(len(CHARACTERS), 1 / len(CHARACTERS))


def distribution(counts: Counts, shares: list[float], text: str) -> np.ndarray:
    """Both together; `shares` says how much the story counts, by the length of what is repeated."""
    length, own = by_story(text)
    return (1 - shares[length]) * by_counts(counts, text) + shares[length] * own
