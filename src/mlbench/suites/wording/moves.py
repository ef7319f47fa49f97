"""What people say around a task: why, in which state the repository is, what to leave alone, how to answer.

Each of these is a *move*. An instruction has at most one sentence of a move, because two of them may contradict each
other. How long an instruction gets is drawn first, and moves are added until it is reached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from mlbench.records import Kind
from mlbench.suites.wording.frames import FrameDecks, frame_lines

Place = Literal["before", "after"]


class Move(StrEnum):
    """What a sentence around the task is for."""

    GREETING = "greeting"
    TOPIC = "topic"
    """About the subject; only recipes have such sentences."""
    OCCASION = "occasion"
    STATE = "state"
    SCOPE = "scope"
    FORM = "form"
    THANKS = "thanks"


_WEIGHTS = {
    Move.GREETING: 1,
    Move.TOPIC: 6,
    Move.OCCASION: 4,
    Move.STATE: 2,
    Move.SCOPE: 3,
    Move.FORM: 3,
    Move.THANKS: 2,
}
_LENGTHS = {0: 4, 240: 5, 300: 6, 360: 4, 430: 3, 520: 2, 650: 1}
"""Characters that an instruction should have, and how often; longer tasks are longer."""
_ASKED = 0.7
"""Share of the wishes that end with a request."""
_POLITE = frozenset((Move.GREETING, Move.THANKS))
_REFERRING = re.compile(r"\b(?:it|this|that|such|they|them|their|these|those|one|both|here|others?|so|no|only)\b", re.I)
"""Context with such a word may refer to the goal and comes after it."""
_PERSONAL = re.compile(r"\b(?:I|we|our|my|us|me)\b", re.I)
_SETTING = re.compile(r"\b(?:defaults?|settings?|options?|configurations?|rest)\b", re.I)


def choose_moves(
    length: int, context: Sequence[str], register: str, kind: Kind, frames: FrameDecks
) -> tuple[list[str], list[str]]:
    """Sentences in front of a task and behind it, without capitals.

    Args:
        length: characters of the task itself.
        context: sentences of the recipe, of which one is used at most.
        register: how the task is put; a wish is followed by a request, a note is not polite.
        kind: the language of the answer.
        frames: the lines to draw from.
    """
    rng = frames.rng
    wanted = rng.choices(list(_LENGTHS), list(_LENGTHS.values()))[0]
    ask = frames.next("asks", kind) if register == "wish" and rng.random() < _ASKED else ""
    length += len(ask)
    own = rng.choice(context) if context else ""
    chosen: dict[Place, dict[Move, str]] = {"before": {}, "after": {}}
    deck = [move for move, weight in _WEIGHTS.items() for _ in range(weight)]
    for drawn in dict.fromkeys(rng.sample(deck, len(deck))):
        move = _move_of(own) if drawn is Move.TOPIC else drawn
        taken = move in chosen["before"] or move in chosen["after"]
        if taken or length >= wanted or (register == "note" and move in _POLITE):
            continue
        places = _places(own) if drawn is Move.TOPIC else [each for each in chosen if frame_lines("moves", move, each)]
        if move is not Move.GREETING and {*chosen["before"]} - {Move.GREETING}:
            places = [place for place in places if place == "after"]
        if places:
            place = rng.choice(places)
            chosen[place][move] = own if drawn is Move.TOPIC else frames.next("moves", move, place)
            length += len(chosen[place][move]) + 1
    before, after = chosen["before"], chosen["after"]
    last = [ask, after.pop(Move.FORM, ""), after.pop(Move.THANKS, "")]
    middle = rng.sample([*after.values()], len(after))
    return [before[move] for move in Move if move in before], [*middle, *filter(None, last)]


def _places(own: str) -> list[Place]:
    """Where a recipe's sentence may stand."""
    if not own:
        return []
    return ["after"] if _REFERRING.search(own) else ["before", "after"]


def _move_of(sentence: str) -> Move:
    """The move of a recipe's sentence, so that no other sentence of this move joins it."""
    if _SETTING.search(sentence):
        return Move.SCOPE
    return Move.OCCASION if _PERSONAL.search(sentence) else Move.TOPIC
