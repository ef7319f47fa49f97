"""Where the reference carries each required argument: the destination, or the bound parameter, that holds its value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlbench.judging.call_sites import ENVIRONMENT, PROGRAM, CallSite
from mlbench.judging.free_settings import is_output
from mlbench.judging.values import MatchStrength, carries, same

_ABBREVIATIONS = {"lr": "learning rate", "bs": "batch size", "wd": "weight decay", "n": "num", "img": "image"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class ArgumentBinding:
    """Where the reference carries a required argument: places of its acts, by the act's position.

    `written`: there is no such place, but the value stands in the reference's text (a seed for another library).
    """

    argument: str
    wanted: str
    destinations: tuple[tuple[int, str], ...] = ()
    written: bool = False


def bind(
    required: Mapping[str, str], reference: Sequence[CallSite], variants: Mapping[str, Sequence[CallSite]]
) -> list[ArgumentBinding]:
    """Where the reference carries each required argument.

    Where its value stands in several places or in none as such, what changes when the argument alone does decides.
    An empty value is a switch that is to be absent. A variable is a place only where the program is given the value in
    no other way: `DIR=x; run --file=$DIR/y` wants the file, however it was put together.

    Args:
        variants: by argument, the acts of a reference in which only this argument has another value.
    """
    found = {name: _carriers(wanted, reference) if wanted else {} for name, wanted in required.items()}
    claimed: set[tuple[int, str]] = set()
    bindings: dict[str, tuple[tuple[int, str], ...]] = {}
    by_certainty = sorted(
        required, key=lambda name: -max((_likeness(name, p, reference) for p in found[name]), default=0)
    )
    for name in by_certainty:
        destinations = _but_variables(_changed(reference, variants[name])) if name in variants else []
        carriers = {place: found[name][place] for place in _but_variables(found[name])}
        if not carriers.keys().isdisjoint(destinations):
            carriers = {place: rank for place, rank in carriers.items() if place in destinations}
        elif destinations:
            carriers = dict.fromkeys(destinations, MatchStrength.EXACTLY)
        bindings[name] = _best(name, carriers, claimed, reference)
        claimed |= set(bindings[name])
    return [ArgumentBinding(name, wanted, _but_outputs(bindings[name], reference)) for name, wanted in required.items()]


def _but_outputs(destinations: Sequence[tuple[int, str]], reference: Sequence[CallSite]) -> tuple[tuple[int, str], ...]:
    """Without the outputs that are named after the value, if it has other places; `unasked` looks at where they go."""
    others = [(at, name) for at, name in destinations if not (is_output(name) and name in reference[at].given)]
    return tuple(others or destinations)


def _but_variables(destinations: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without variables, where there are other places; in order."""
    in_order = sorted(destinations)
    return [place for place in in_order if not place[1].startswith(ENVIRONMENT)] or in_order


def doubtful(required: Mapping[str, str], reference: Sequence[CallSite]) -> list[str]:
    """The arguments whose place the value alone does not settle: a variant of the reference would."""
    doubts = []
    for name, wanted in required.items():
        carriers = [place for place, rank in _carriers(wanted, reference).items() if rank > MatchStrength.INSIDE]
        likely = [place for place in carriers if _likeness(name, place, reference) > 0]
        if len(likely or carriers) != 1:
            doubts.append(name)
    return doubts


def _carriers(wanted: str, reference: Sequence[CallSite]) -> dict[tuple[int, str], MatchStrength]:
    """The places that carry a value, and how: those that the reference gives before its defaults."""
    given: dict[tuple[int, str], MatchStrength] = {}
    default: dict[tuple[int, str], MatchStrength] = {}
    for position, call in enumerate(reference):
        for name, value in call.values.items():
            rank = carries(wanted, value, call.options.get(name, ()))
            if rank is not MatchStrength.NO:
                (given if name in call.given else default)[position, name] = rank
        if rank := carries(wanted, call.name):
            given[position, PROGRAM] = rank
    return given or {place: rank for place, rank in default.items() if rank is MatchStrength.EXACTLY}


def _best(
    name: str,
    carriers: Mapping[tuple[int, str], MatchStrength],
    claimed: set[tuple[int, str]],
    reference: Sequence[CallSite],
) -> tuple[tuple[int, str], ...]:
    """Of several carriers the surest, of these the likeliest by name, of these those that no other argument has."""
    sure = [place for place, rank in carriers.items() if rank > MatchStrength.INSIDE]
    destinations = sure or list(carriers)
    likeness = {place: _likeness(name, place, reference) for place in destinations}
    if best := max(likeness.values(), default=0.0):
        return tuple(place for place in destinations if likeness[place] == best)
    return tuple(place for place in destinations if place not in claimed) or tuple(destinations)


def _changed(reference: Sequence[CallSite], variant: Sequence[CallSite]) -> set[tuple[int, str]]:
    """The places in which a variant of the reference differs from it."""
    destinations = set()
    for position, (ours, theirs) in enumerate(zip(reference, variant, strict=False)):
        if ours.name != theirs.name:
            destinations.add((position, PROGRAM))
        for name, value in ours.values.items():
            if name not in theirs.values or not same(value, theirs.values[name], ours.cwd, theirs.cwd):
                destinations.add((position, name))
    return destinations


def _likeness(name: str, place: tuple[int, str], reference: Sequence[CallSite]) -> float:
    """Share of words that an argument's name has in common with a destination's or its options'."""
    position, destination = place
    spellings = [destination.rpartition(".")[2], destination, *reference[position].options.get(destination, ())]
    ours = _words(name)
    return max(len(ours & (theirs := _words(text))) / len(ours | theirs) if text else 0.0 for text in spellings)


def _words(name: str) -> set[str]:
    words = [word.lower() for word in _WORDS.findall(name)]
    return {part for word in words for part in _ABBREVIATIONS.get(word, word.removesuffix("s")).split()}


def value_at(call: CallSite, name: str) -> Any:
    return call.name if name == PROGRAM else call.values.get(name)
