"""Counts of what follows a string of characters, and the distribution that they make."""

import json
from collections.abc import Mapping

ORDER = 12
with open("characters.json") as file:
    CHARACTERS = json.load(file)


def distribution(counts: Mapping[str, Mapping[str, int]], text: str) -> dict[str, float]:
    """From short to long: the more different characters were seen after a string, the more the shorter one counts."""
    found = dict.fromkeys(CHARACTERS, 1 / len(CHARACTERS))
    for length in range(min(ORDER, len(text)) + 1):
        seen = counts.get(text[len(text) - length :])
        if not seen:
            break
        total, different = sum(seen.values()), len(seen)
        found = {each: (seen.get(each, 0) + different * chance) / (total + different) for each, chance in found.items()}
    return found


def save(counts: Mapping[str, Mapping[str, int]]) -> None:
    with open("counts.json", "w") as file:
        json.dump(counts, file)


def load() -> dict[str, dict[str, int]]:
    with open("counts.json") as file:
        found: dict[str, dict[str, int]] = json.load(file)
    return found
