"""Counts of what follows a string of characters, and what the words of this very story say."""

import json
from collections.abc import Mapping

ORDER, OWN = 24, 8
with open("characters.json") as file:
    CHARACTERS = json.load(file)


def distribution(counts: Mapping[str, Mapping[str, int]], text: str, weight: float) -> dict[str, float]:
    """From short to long: the more different characters were seen after a string, the more the shorter one counts.

    What followed the same string earlier in this story counts as well: names, things and tenses come again.

    Args:
        counts: of the training stories. text: what stands before. weight: how much the story itself counts.
    """
    found = dict.fromkeys(CHARACTERS, 1 / len(CHARACTERS))
    for length in range(min(ORDER, len(text)) + 1):
        end = text[len(text) - length :]
        seen = dict(counts.get(end, {}))
        if 2 <= length <= OWN:
            own = [text[i + length] for i in range(len(text) - length) if text.startswith(end, i)]
            share = weight * max(1, sum(seen.values())) ** 0.5
            for each in own:
                seen[each] = seen.get(each, 0) + share
        if not seen:
            if length > OWN:
                break
            continue
        total, different = sum(seen.values()), len(seen)
        found = {each: (seen.get(each, 0) + different * chance) / (total + different) for each, chance in found.items()}
    return found


def save(counts: Mapping[str, Mapping[str, int]], weight: float) -> None:
    with open("counts.json", "w") as file:
        json.dump([counts, weight], file)


def load() -> tuple[dict[str, dict[str, int]], float]:
    with open("counts.json") as file:
        counts, weight = json.load(file)
    return counts, weight
