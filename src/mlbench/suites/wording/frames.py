"""The lines of `frames.yaml`: a deck for each list, so that none comes twice before all came once."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import yaml

_FRAMES = Path(__file__).with_name("frames.yaml")
_SLOT = re.compile(r"\{(someone|event|when)\d?\}")


@cache
def _frames() -> object:
    return yaml.safe_load(_FRAMES.read_text(encoding="utf-8"))


def frame_lines(*names: str) -> list[str]:
    """The list under these keys of `frames.yaml`, one level each; empty if there is none."""
    found = _frames()
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return list(found) if isinstance(found, list) else []


def frames_text() -> str:
    """All text that instructions of any recipe may be made of."""
    return _FRAMES.read_text(encoding="utf-8")


class FrameDecks:
    """Deals lines of `frames.yaml` for one instruction."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._decks: dict[tuple[str, ...], list[str]] = {}
        self._mentioned: set[str] = set()

    def next(self, *names: str) -> str:
        """The next line of a list that needs no second person, occasion or time, with its slots for them filled."""
        deck = self._decks.setdefault(names, [])
        if not deck:
            lines = frame_lines(*names)
            deck += self.rng.sample(lines, len(lines))
        line = next((line for line in deck if not self._mentioned & {*_slots(line)}), deck[0])
        deck.remove(line)
        self._mentioned.update(_slots(line))
        return _SLOT.sub(lambda slot: self.rng.choice(frame_lines(slot[0][1:-1]) or frame_lines(slot[1])), line)


def _slots(line: str) -> list[str]:
    return _SLOT.findall(line)
