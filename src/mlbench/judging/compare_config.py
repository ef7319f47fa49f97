"""Right, not only accepted: a candidate's check against the check of the reference. Nothing runs here.

The reference says where each required argument belongs (a *tie*, see `bind.py`). The candidate must reach the same
program, or function, with an equal typed value there; every other setting has to be the reference's as well, unless it
is free (`unasked.py`).
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from mlbench.judging.bind import ArgumentBinding, value_at
from mlbench.judging.call_sites import ENVIRONMENT, PROGRAM, CallSite, acts
from mlbench.judging.documented import examples_of
from mlbench.judging.free_settings import is_free, is_output
from mlbench.judging.inputs import same_value, with_files_settings
from mlbench.judging.unasked import is_shown, is_there, unasked
from mlbench.judging.values import counted_from_other_end, is_path, same, shown
from mlbench.records import Invocation

TEXT = "the answer's text"
"""What the place of an argument is called that stands nowhere but in the answer's text."""
NOWHERE: Mapping[str, bool] = MappingProxyType({})
_FILE = re.compile(r"[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}$")


@dataclass(frozen=True)
class Expectation:
    """What is right for one sample: the reference's acts, its ties, and what its recipe says of them.

    Attributes:
        fault: why the reference sets no standard (its own check is not accepted); empty where it does.
        harmful: destinations that turn the task into another one.
        equivalent: programs that do the same as the reference's, by the name of the one they stand for.
        files: the repository's files and folders, from its root.
        artefacts: globs of what a run leaves behind; wanted of one that still runs at the time limit.
        free: destinations that an answer may set as it likes.
        sets: destinations whose values have no order.
        shown: the documentation that the model was shown: the values that it gives an option are nobody's invention.
        examples_only: whether only those values of it count that stand in an example of this program or function.
    """

    acts: tuple[CallSite, ...]
    ties: tuple[ArgumentBinding, ...]
    fault: str = ""
    harmful: frozenset[str] = frozenset()
    equivalent: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    artefacts: tuple[str, ...] = ()
    free: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    shown: str = ""
    examples_only: bool = False

    def concerns(self, invocation: Invocation) -> bool:
        """Whether an invocation is of a program of the reference, or does what the reference's code does."""
        names = {act.name for act in self.acts}
        return any(self.equivalent.get(act.name, act.name) in names for act in acts([invocation]))

    @property
    def written(self) -> dict[str, str]:
        """The arguments that have a place in the text alone, with their values."""
        return {tie.argument: tie.wanted for tie in self.ties if tie.written}

    def compare(
        self,
        candidate: Iterable[Invocation],
        written: Mapping[str, bool] = MappingProxyType({}),
        by_outcome: bool = False,
    ) -> Comparison:
        """A candidate's invocations, as checked or as witnessed, against this standard.

        Args:
            written: of the arguments in `self.written`, whether the value stands in the candidate's text.
            by_outcome: what was left behind is compared as well: it decides about paths, whatever they are called.
        """
        done = [replace(act, name=self.equivalent.get(act.name, act.name)) for act in acts(candidate)]
        exists = self.files.__contains__ if self.files and not by_outcome else None
        return compare(self, done, exists, written, by_outcome)

    def is_path(self, position: int, name: str, value: Any) -> bool:
        """Whether a destination of one of the reference's acts names a file or folder."""
        if isinstance(value, list):
            return bool(value) and all(self.is_path(position, name, each) for each in value)
        if isinstance(value, dict) and value.get("!") in ("path", "file"):
            return True
        if not isinstance(value, str) or not value:
            return False
        whole = posixpath.normpath(posixpath.join(self.acts[position].cwd, value))
        return is_path(value) or whole in self.files or _FILE.search(value) is not None

    def is_free(self, position: int, name: str, act: CallSite) -> bool:
        """Whether an answer may choose what a destination holds."""
        if name in self.free or is_free(name) or name.startswith(ENVIRONMENT):
            return True
        ours = self.acts[position]
        if is_output(name) and name not in ours.given:
            return True
        text = examples_of(ours, self.shown, self.files) if self.examples_only else self.shown
        return is_shown(act, name, ours.options.get(name, act.options.get(name, ())), text)


class MatchState(StrEnum):
    HIT = "hit"
    WRONG = "wrong"
    ABSENT = "absent"
    UNBOUND = "unbound"  # the reference carries it nowhere: it is needed in prose only


@dataclass(frozen=True)
class Match:
    """One required argument: where it belongs, what is expected there, and what was found."""

    argument: str
    state: MatchState
    place: str = ""
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.state:
            case MatchState.HIT:
                return f"{self.argument}: {self.place} = {self.found}"
            case MatchState.WRONG:
                return f"{self.argument}: {self.place} is {self.found}, expected {self.expected}"
            case MatchState.ABSENT:
                what = "lacks it" if self.place == TEXT else "is never reached"
                return f"{self.argument}: {self.place} {what}, expected {self.expected}"
        return f"{self.argument}: belongs to no destination"


@dataclass(frozen=True)
class Comparison:
    """A candidate against the reference.

    Attributes:
        matches: every required argument.
        missing: programs or functions of the reference that the candidate never reaches.
        harmful: settings that turn the task into another one.
        lost: files that the reference's settings name and that are not where the candidate's name them.
        extras: other settings that the candidate gives and the reference does not, or differently.
        stray: acts of a required program whose required values are those of no act of the reference, and programs of
            the repository that the reference does not start.
        unasked: settings beside the required ones that are not the reference's, and that nothing asks for.
        other_route: the answer comes to its result by other functions, or by another number of calls.
    """

    matches: tuple[Match, ...]
    missing: tuple[str, ...] = ()
    harmful: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    other_route: bool = False

    @property
    def right(self) -> bool:
        wrong = any(match.state in (MatchState.WRONG, MatchState.ABSENT) for match in self.matches)
        return not (wrong or self.missing or self.harmful or self.lost or self.stray or self.unasked)

    @property
    def share(self) -> float:
        """Semantic Parameter Hit Precision: share of the bound required arguments that hit; 1.0 where there is none."""
        bound = [match for match in self.matches if match.state is not MatchState.UNBOUND]
        return sum(match.state is MatchState.HIT for match in bound) / len(bound) if bound else 1.0

    @property
    def reason(self) -> str:
        """A stable code; empty where right."""
        if self.missing:
            return "wrong-program"
        for state, code in ((MatchState.ABSENT, "absent-argument"), (MatchState.WRONG, "wrong-value")):
            if any(match.state is state for match in self.matches):
                return code
        if self.harmful:
            return "harmful-argument"
        return "no-such-file" if self.lost else "stray" if self.stray else "unasked-change" if self.unasked else ""

    def evidence(self) -> str:
        """What is wrong, a line each; where nothing is, every hit."""
        lines = [f"never reached: {name}" for name in self.missing]
        lines += [str(match) for match in self.matches if match.state in (MatchState.WRONG, MatchState.ABSENT)]
        lines += [f"turns the task into another one: {item}" for item in self.harmful]
        lines += [f"no such file from there: {item}" for item in self.lost]
        lines += [f"not in the task: {item}" for item in self.stray]
        lines += [f"nobody asked for it: {item}" for item in self.unasked]
        return "\n".join(lines or [str(match) for match in self.matches])


def compare(
    standard: Expectation,
    candidate: Sequence[CallSite],
    exists: Callable[[str], bool] | None = None,
    written: Mapping[str, bool] = NOWHERE,
    by_outcome: bool = False,
) -> Comparison:
    """The candidate's acts against the reference's.

    Each act of the reference that carries a required argument, or each where none does, must have its like in the
    candidate; and every act of such a program in the candidate must be one of the reference's: who runs all
    combinations has not chosen the right one. Every setting counts, given or not, but for those that are free.

    Args:
        exists: whether a path, from the repository's root, is there; None where that cannot be told.
        written: of the arguments that are tied to the text alone, whether they stand in the candidate's.
        by_outcome: paths, and indices that are counted from the other end, are left to a comparison of what came of it.
    """
    tied, reference = standard.ties, standard.acts
    if by_outcome:
        tied = tuple(replace(tie, places=_but_paths(tie, standard), written=False) for tie in tied)
        candidate = [_with_indices_of(reference, act) for act in candidate]
    if standard.sets:
        candidate = [_in_order_of(reference, act, standard.sets) for act in candidate]
    if not by_outcome:
        candidate = [with_files_settings(reference, act) for act in candidate]
    needed = sorted({act for tie in standard.ties for act, _ in tie.places}) or list(range(len(reference)))
    names = {reference[position].name for position in needed}
    partner = {
        position: _closest(
            position, tied, reference, [act for act in candidate if act.name == reference[position].name]
        )
        for position in needed
    }
    stray = [
        act
        for act in candidate
        if act.name in names
        and not any(_fits(act, p, tied, reference) for p in needed if reference[p].name == act.name)
        and not any(_repeats(act, ours) for p, ours in enumerate(reference) if p not in needed)
    ]
    known = {act.name for act in reference}
    others = [act.name for act in candidate if act.name not in known and act.is_program]
    chosen = {id(act) for act in partner.values() if act is not None}
    given = [(position, act) for position, act in partner.items() if act is not None]
    every = [*given, *((p, act) for p, act in _repeated(standard, needed, candidate, set(chosen)))]
    return Comparison(
        matches=tuple(_match(tie, reference, partner, written) for tie in tied),
        missing=tuple(dict.fromkeys(reference[p].name for p, act in partner.items() if act is None)),
        harmful=tuple(line for p, act in every for line in _harm(reference[p], act, set(standard.harmful))),
        lost=tuple(line for p, act in given for line in _lost(reference[p], act, exists)) if exists else (),
        stray=(*(_described(act, tied, reference) for act in stray if id(act) not in chosen), *dict.fromkeys(others)),
        unasked=tuple(line for p, act in every for line in unasked(standard, p, act, by_outcome)),
        extras=tuple(line for p, act in given for line in _extras(reference[p], act)),
        other_route=Counter(act.name for act in reference) != Counter(a.name for a in candidate if a.name in known),
    )


def _but_paths(tie: ArgumentBinding, standard: Expectation) -> tuple[tuple[int, str], ...]:
    """The places of a required argument that hold no path."""
    return tuple(
        (position, name)
        for position, name in tie.places
        if name == PROGRAM or not standard.is_path(position, name, standard.acts[position].values.get(name))
    )


def _repeated(
    standard: Expectation, needed: Sequence[int], candidate: Sequence[CallSite], chosen: set[int]
) -> list[tuple[int, CallSite]]:
    """The acts of the reference that carry no required argument, each with the candidate's like, if it has one."""
    found = []
    for position, ours in enumerate(standard.acts):
        if position not in needed:
            like = [act for act in candidate if act.name == ours.name and id(act) not in chosen]
            if like:
                best = min(like, key=lambda act: len(unasked(standard, position, act, True)))
                chosen.add(id(best))
                found.append((position, best))
    return found


def _in_order_of(reference: Sequence[CallSite], act: CallSite, sets: frozenset[str]) -> CallSite:
    """An act whose lists of some destinations stand in the order of the reference's, where they hold the same."""
    ours = [each for each in reference if each.name == act.name]
    values = dict(act.values)
    for name, value in act.values.items():
        if isinstance(value, list) and name in sets:
            for expected in (each.values.get(name) for each in ours):
                if isinstance(expected, list) and _same_set(expected, value):
                    values[name] = expected
    return replace(act, values=values)


def _with_indices_of(reference: Sequence[CallSite], act: CallSite) -> CallSite:
    """An act whose indices are counted from the end from which the reference counts, where they may be the same."""
    values = dict(act.values)
    for ours in reference:
        if ours.name == act.name:
            for name in ours.values.keys() & values.keys():
                if counted_from_other_end(ours.values[name], values[name]):
                    values[name] = ours.values[name]
    return replace(act, values=values)


def _same_set(one: list[Any], other: list[Any]) -> bool:
    left = list(other)
    for each in one:
        match = next((theirs for theirs in left if same(each, theirs)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _hits(tie: ArgumentBinding, position: int, reference: Sequence[CallSite], act: CallSite) -> bool:
    ours = reference[position]
    places = [name for where, name in tie.places if where == position]
    return all(
        (name == PROGRAM or name in act.values) and same_value(ours, act, value_at(ours, name), value_at(act, name))
        for name in places
    )


def _fits(act: CallSite, position: int, tied: Sequence[ArgumentBinding], reference: Sequence[CallSite]) -> bool:
    return all(_hits(tie, position, reference, act) for tie in tied)


def _repeats(act: CallSite, ours: CallSite) -> bool:
    """Whether an act is one that the reference does as well, without a required value in it."""
    if ours.name != act.name or bool(ours.given) != bool(act.given):
        return False
    return all(name in act.values and same_value(ours, act, ours.values[name], act.values[name]) for name in ours.given)


def _closest(
    position: int, tied: Sequence[ArgumentBinding], reference: Sequence[CallSite], like: Sequence[CallSite]
) -> CallSite | None:
    """Of the candidate's acts of this program the one with most required arguments right; the last of equals."""
    if not like:
        return None
    return max(reversed(like), key=lambda act: sum(_hits(tie, position, reference, act) for tie in tied))


def _match(
    tie: ArgumentBinding,
    reference: Sequence[CallSite],
    partner: Mapping[int, CallSite | None],
    written: Mapping[str, bool],
) -> Match:
    if tie.written:
        if written.get(tie.argument):
            return Match(tie.argument, MatchState.HIT, TEXT, tie.wanted, tie.wanted)
        return Match(tie.argument, MatchState.ABSENT, TEXT, tie.wanted)
    if not tie.places:
        return Match(tie.argument, MatchState.UNBOUND, expected=tie.wanted)
    place = ", ".join(dict.fromkeys(name for _, name in tie.places))
    position, name = tie.places[0]
    expected = shown(value_at(reference[position], name))
    for position, name in tie.places:
        ours, act = reference[position], partner[position]
        if act is None:
            return Match(tie.argument, MatchState.ABSENT, name, shown(value_at(ours, name)))
        if name != PROGRAM and name not in act.values:
            return Match(tie.argument, MatchState.ABSENT, name, shown(value_at(ours, name)))
        if not same_value(ours, act, value_at(ours, name), value_at(act, name)):
            return Match(tie.argument, MatchState.WRONG, name, shown(value_at(ours, name)), shown(value_at(act, name)))
        found = shown(value_at(act, name))
    return Match(tie.argument, MatchState.HIT, place, expected, found)


def _harm(ours: CallSite, act: CallSite, harmful: set[str]) -> list[str]:
    """These must be as in the reference, given or left out."""
    return [
        f"{name} = {shown(act.values[name])}, not {shown(ours.values[name])}"
        for name in sorted(harmful & act.values.keys() & ours.values.keys())
        if not same_value(ours, act, ours.values[name], act.values[name])
    ]


def _lost(ours: CallSite, act: CallSite, exists: Callable[[str], bool]) -> list[str]:
    """Paths that are there for the reference and not for the candidate, because it stands elsewhere or says another."""
    lines = []
    for name, value in act.values.items():
        expected = ours.values.get(name)
        if not (isinstance(value, str) and isinstance(expected, str) and is_path(expected)):
            continue
        there = is_there(act.cwd, value, exists) or (value in act.inputs and same_value(ours, act, expected, value))
        if is_there(ours.cwd, expected, exists) and not there:
            lines.append(f"{name} = {value!r} from {act.cwd}")
    return lines


def _extras(ours: CallSite, act: CallSite) -> list[str]:
    return [
        f"{name} = {shown(act.values[name])}"
        for name in sorted(act.given)
        if name not in ours.given or not same_value(ours, act, ours.values.get(name), act.values[name])
    ]


def _described(act: CallSite, tied: Sequence[ArgumentBinding], reference: Sequence[CallSite]) -> str:
    names = dict.fromkeys(n for tie in tied for p, n in tie.places if reference[p].name == act.name and n != PROGRAM)
    return f"{act.name} with {', '.join(f'{name} = {shown(act.values.get(name))}' for name in names)}"
