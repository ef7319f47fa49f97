"""Bind each required argument to the destinations that hold its value in the reference."""

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
    """The destinations of one required argument in the reference.

    Attributes:
        argument, wanted: its name and its value in the sample.
        destinations: position of the call in the reference, and name of the destination or parameter.
        written: there is no destination, but the value is in the reference's text (a seed for another library).
    """

    argument: str
    wanted: str
    destinations: tuple[tuple[int, str], ...] = ()
    written: bool = False


def bind(
    required: Mapping[str, str], reference: Sequence[CallSite], variants: Mapping[str, Sequence[CallSite]]
) -> list[ArgumentBinding]:
    """Find the destinations of each required argument.

    If several destinations hold the value, or none does, a variant of the reference decides: the destinations that
    change with the argument. An empty value is a switch that must be absent. An environment variable is a destination
    only if the program gets the value in no other way: `DIR=x; run --file=$DIR/y` binds to the file.

    Args:
        required: value by argument name.
        reference: the reference's calls.
        variants: by argument, the calls of a reference in which only this argument has another value.
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
    """Drop outputs that are named after the value, if others remain; `unasked` checks outputs."""
    others = [(at, name) for at, name in destinations if not (is_output(name) and name in reference[at].given)]
    return tuple(others or destinations)


def _but_variables(destinations: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Drop environment variables if there are other destinations; in order."""
    in_order = sorted(destinations)
    return [place for place in in_order if not place[1].startswith(ENVIRONMENT)] or in_order


def doubtful(required: Mapping[str, str], reference: Sequence[CallSite]) -> list[str]:
    """The arguments whose destination the value alone does not settle."""
    doubts = []
    for name, wanted in required.items():
        carriers = [place for place, rank in _carriers(wanted, reference).items() if rank > MatchStrength.INSIDE]
        likely = [place for place in carriers if _likeness(name, place, reference) > 0]
        if len(likely or carriers) != 1:
            doubts.append(name)
    return doubts


def _carriers(wanted: str, reference: Sequence[CallSite]) -> dict[tuple[int, str], MatchStrength]:
    """The destinations that hold a value, and how surely: explicit ones before defaults."""
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
    """The best destinations: the surest, then the likeliest by name, then the unclaimed ones."""
    sure = [place for place, rank in carriers.items() if rank > MatchStrength.INSIDE]
    destinations = sure or list(carriers)
    likeness = {place: _likeness(name, place, reference) for place in destinations}
    if best := max(likeness.values(), default=0.0):
        return tuple(place for place in destinations if likeness[place] == best)
    return tuple(place for place in destinations if place not in claimed) or tuple(destinations)


def _changed(reference: Sequence[CallSite], variant: Sequence[CallSite]) -> set[tuple[int, str]]:
    """The destinations in which a variant of the reference differs from it."""
    destinations = set()
    for position, (ours, theirs) in enumerate(zip(reference, variant, strict=False)):
        if ours.name != theirs.name:
            destinations.add((position, PROGRAM))
        for name, value in ours.values.items():
            if name not in theirs.values or not same(value, theirs.values[name], ours.cwd, theirs.cwd):
                destinations.add((position, name))
    return destinations


def _likeness(name: str, place: tuple[int, str], reference: Sequence[CallSite]) -> float:
    """Share of words that an argument's name shares with a destination's or its options' names."""
    position, destination = place
    spellings = [destination.rpartition(".")[2], destination, *reference[position].options.get(destination, ())]
    ours = _words(name)
    return max(len(ours & (theirs := _words(text))) / max(1, len(ours | theirs)) for text in spellings)


def _words(name: str) -> set[str]:
    words = [word.lower() for word in _WORDS.findall(name)]
    return {part for word in words for part in _ABBREVIATIONS.get(word, _singular(word)).split()}


def _singular(word: str) -> str:
    """A word without the `s` of a plural; `-s` is an option's name."""
    return word.removesuffix("s") or word


def value_at(call: CallSite, name: str) -> Any:
    """The value of a call's destination; its name for the destination `PROGRAM`."""

    return call.name if name == PROGRAM else call.values.get(name)
