"""Right, not only accepted: a candidate's check against the check of the reference. Nothing runs here.

The reference says where each required argument belongs (a *tie*): the destination, or the bound parameter, in which it
carries the value. The candidate must reach the same program, or function, with an equal typed value there.
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

from mlbench.types import Call, Invocation
from mlbench.verdict.free_settings import is_free, is_output
from mlbench.verdict.values import Carried, carries, flattened, is_path, same, shown

PROGRAM, ENVIRONMENT, TEXT = "program", "environment ", "the answer's text"
"""What a place is called that is no destination: the program itself, a variable, the text."""

FILE_SETTING = ":"
"""Stands between a destination that names a file and a setting that this file holds."""
NOWHERE: Mapping[str, bool] = MappingProxyType({})

CALL = "the call of an object"
_CALLS = ("__call__", "forward")  # a module of torch has a `__call__` that calls `forward`
_ABBREVIATIONS = {"lr": "learning rate", "bs": "batch size", "wd": "weight decay", "n": "num", "img": "image"}
_FILE = re.compile(r"[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}$")
_MOST_PLAIN = 16  # a longer list is data
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class Act:
    """One thing that a candidate does with the repository: it starts a program, or calls a function."""

    name: str
    values: dict[str, Any]
    given: frozenset[str] = frozenset()
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cwd: str = "."
    is_program: bool = False


@dataclass(frozen=True)
class Tie:
    """Where the reference carries a required argument: places of its acts, by the act's position.

    `written`: there is no such place, but the value stands in the reference's text (a seed for another library).
    """

    argument: str
    wanted: str
    places: tuple[tuple[int, str], ...] = ()
    written: bool = False


@dataclass(frozen=True)
class Standard:
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
    """

    acts: tuple[Act, ...]
    ties: tuple[Tie, ...]
    fault: str = ""
    harmful: frozenset[str] = frozenset()
    equivalent: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    artefacts: tuple[str, ...] = ()
    free: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    shown: str = ""

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

    def is_free(self, position: int, name: str, act: Act) -> bool:
        """Whether an answer may choose what a destination holds."""
        if name in self.free or is_free(name) or name.startswith(ENVIRONMENT):
            return True
        ours = self.acts[position]
        if is_output(name) and name not in ours.given:
            return True
        return _is_shown(act, name, ours.options.get(name, act.options.get(name, ())), self.shown)


class State(StrEnum):
    HIT = "hit"
    WRONG = "wrong"
    ABSENT = "absent"
    UNBOUND = "unbound"  # the reference carries it nowhere: it is needed in prose only


@dataclass(frozen=True)
class Match:
    """One required argument: where it belongs, what is expected there, and what was found."""

    argument: str
    state: State
    place: str = ""
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.state:
            case State.HIT:
                return f"{self.argument}: {self.place} = {self.found}"
            case State.WRONG:
                return f"{self.argument}: {self.place} is {self.found}, expected {self.expected}"
            case State.ABSENT:
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
        wrong = any(match.state in (State.WRONG, State.ABSENT) for match in self.matches)
        return not (wrong or self.missing or self.harmful or self.lost or self.stray or self.unasked)

    @property
    def share(self) -> float:
        """Semantic Parameter Hit Precision: share of the bound required arguments that hit; 1.0 where there is none."""
        bound = [match for match in self.matches if match.state is not State.UNBOUND]
        return sum(match.state is State.HIT for match in bound) / len(bound) if bound else 1.0

    @property
    def reason(self) -> str:
        """A stable code; empty where right."""
        if self.missing:
            return "wrong-program"
        for state, code in ((State.ABSENT, "absent-argument"), (State.WRONG, "wrong-value")):
            if any(match.state is state for match in self.matches):
                return code
        if self.harmful:
            return "harmful-argument"
        return "no-such-file" if self.lost else "stray" if self.stray else "unasked-change" if self.unasked else ""

    def evidence(self) -> str:
        """What is wrong, a line each; where nothing is, every hit."""
        lines = [f"never reached: {name}" for name in self.missing]
        lines += [str(match) for match in self.matches if match.state in (State.WRONG, State.ABSENT)]
        lines += [f"turns the task into another one: {item}" for item in self.harmful]
        lines += [f"no such file from there: {item}" for item in self.lost]
        lines += [f"not in the task: {item}" for item in self.stray]
        lines += [f"nobody asked for it: {item}" for item in self.unasked]
        return "\n".join(lines or [str(match) for match in self.matches])


def acts(invocations: Iterable[Invocation]) -> list[Act]:
    """What a candidate does with the repository, in order: its programs, or the calls of its code."""
    done = []
    for invocation in invocations:
        if invocation.how == "code":
            done += [_called(call, invocation.cwd) for call in invocation.calls]
        else:
            variables = {ENVIRONMENT + name: value for name, value in invocation.env.items()}
            values = {**flattened(invocation.configuration), **variables}
            given = frozenset(
                name for name in values if name.partition(".")[0] in invocation.given or name in variables
            )
            given |= frozenset(name for name in values if name in invocation.given)
            done.append(Act(invocation.program, values, given, invocation.options, invocation.cwd, True))
    return done


def _called(call: Call, cwd: str) -> Act:
    values = flattened(call.arguments)
    given = frozenset(name for name in values if name.partition(".")[0] in call.given)
    if call.function.rpartition(".")[2] in _CALLS:
        return _of_object(values, given, cwd)
    return Act(call.function, values, given, {}, cwd)


def _of_object(values: Mapping[str, Any], given: frozenset[str], cwd: str) -> Act:
    """A call of an object, whichever of its class's two methods is used: what it is given counts by its place."""
    plain = {name: value for name, value in values.items() if _is_plain(value)}
    opaque = [each for value in values.values() if not _is_plain(value) for each in _each(value)]
    found = {f"input {place}": value for place, value in enumerate(opaque, 1)}
    return Act(CALL, {**plain, **found}, given & plain.keys() | found.keys(), {}, cwd)


def _each(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) and not all(_is_plain(each) for each in value) else [value]


def ties(required: Mapping[str, str], reference: Sequence[Act], variants: Mapping[str, Sequence[Act]]) -> list[Tie]:
    """Where the reference carries each required argument.

    Where its value stands in several places or in none as such, what changes when the argument alone does decides.
    An empty value is a switch that is to be absent. A variable is a place only where the program is given the value in
    no other way: `DIR=x; run --file=$DIR/y` wants the file, however it was put together.

    Args:
        variants: by argument, the acts of a reference in which only this argument has another value.
    """
    found = {name: _carriers(wanted, reference) if wanted else {} for name, wanted in required.items()}
    claimed: set[tuple[int, str]] = set()
    tied: dict[str, tuple[tuple[int, str], ...]] = {}
    by_certainty = sorted(
        required, key=lambda name: -max((_likeness(name, p, reference) for p in found[name]), default=0)
    )
    for name in by_certainty:
        places = _but_variables(_changed(reference, variants[name])) if name in variants else []
        carriers = {place: found[name][place] for place in _but_variables(found[name])}
        if not carriers.keys().isdisjoint(places):
            carriers = {place: rank for place, rank in carriers.items() if place in places}
        elif places:
            carriers = dict.fromkeys(places, Carried.EXACTLY)
        tied[name] = _best(name, carriers, claimed, reference)
        claimed |= set(tied[name])
    return [Tie(name, wanted, tied[name]) for name, wanted in required.items()]


def _but_variables(places: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without variables, where there are other places; in order."""
    in_order = sorted(places)
    return [place for place in in_order if not place[1].startswith(ENVIRONMENT)] or in_order


def doubtful(required: Mapping[str, str], reference: Sequence[Act]) -> list[str]:
    """The arguments whose place the value alone does not settle: a variant of the reference would."""
    doubts = []
    for name, wanted in required.items():
        carriers = [place for place, rank in _carriers(wanted, reference).items() if rank > Carried.INSIDE]
        likely = [place for place in carriers if _likeness(name, place, reference) > 0]
        if len(likely or carriers) != 1:
            doubts.append(name)
    return doubts


def compare(
    standard: Standard,
    candidate: Sequence[Act],
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
        by_outcome: paths are left to a comparison of what came of them.
    """
    tied, reference = standard.ties, standard.acts
    if by_outcome:
        tied = tuple(replace(tie, places=_but_paths(tie, standard), written=False) for tie in tied)
    if standard.sets:
        candidate = [_in_order_of(reference, act, standard.sets) for act in candidate]
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
        harmful=tuple(line for p, act in given for line in _harm(reference[p], act, set(standard.harmful))),
        lost=tuple(line for p, act in given for line in _lost(reference[p], act, exists)) if exists else (),
        stray=(*(_described(act, tied, reference) for act in stray if id(act) not in chosen), *dict.fromkeys(others)),
        unasked=tuple(line for p, act in every for line in _unasked(standard, p, act, by_outcome)),
        extras=tuple(line for p, act in given for line in _extras(reference[p], act)),
        other_route=Counter(act.name for act in reference) != Counter(a.name for a in candidate if a.name in known),
    )


def _but_paths(tie: Tie, standard: Standard) -> tuple[tuple[int, str], ...]:
    """The places of a required argument that hold no path."""
    return tuple(
        (position, name)
        for position, name in tie.places
        if name == PROGRAM or not standard.is_path(position, name, standard.acts[position].values.get(name))
    )


def _repeated(
    standard: Standard, needed: Sequence[int], candidate: Sequence[Act], chosen: set[int]
) -> list[tuple[int, Act]]:
    """The acts of the reference that carry no required argument, each with the candidate's like, if it has one."""
    found = []
    for position, ours in enumerate(standard.acts):
        if position not in needed:
            like = [act for act in candidate if act.name == ours.name and id(act) not in chosen]
            if like:
                best = min(like, key=lambda act: len(_unasked(standard, position, act, True)))
                chosen.add(id(best))
                found.append((position, best))
    return found


def _unasked(standard: Standard, position: int, act: Act, by_outcome: bool) -> list[str]:
    """The settings of an act that are others than the reference's, though nothing asks for that."""
    ours = standard.acts[position]
    asked = {name for tie in standard.ties for p, name in tie.places if p == position}
    lines = []
    for name in sorted(ours.values.keys() | act.values.keys()):
        if name in asked or standard.is_free(position, name, act):
            continue
        expected, found = ours.values.get(name), act.values.get(name)
        if by_outcome and not act.is_program:
            expected, found = _alone(expected), _alone(found)
        if expected in (None, []) and found in (None, []):
            continue
        if name not in ours.values and _says_the_file(ours, name, found):
            continue
        if not (_is_plain(expected) and _is_plain(found)):
            continue
        if name not in act.values and not act.is_program:
            continue  # another signature of the same name
        if same(expected, found, ours.cwd, act.cwd):
            continue
        if FILE_SETTING in name and (by_outcome or found is None):  # the file decides, or could not be read
            continue
        if by_outcome and (standard.is_path(position, name, expected) or standard.is_path(position, name, found)):
            continue
        written = standard.is_path(position, name, expected) and not _is_input(standard, position, expected)
        if written and standard.is_path(position, name, found) and not _is_taken(standard, act, found):
            continue  # what the reference itself writes may be called otherwise
        lines.append(f"{name} = {shown(found)}, not {shown(expected)}")
    return lines


def _is_input(standard: Standard, position: int, value: Any) -> bool:
    """Whether a path is one of the repository's."""
    value = value.get("value") if isinstance(value, dict) else value
    if isinstance(value, list):
        return any(_is_input(standard, position, each) for each in value)
    return _there(standard.acts[position].cwd, str(value), standard.files.__contains__)


def _says_the_file(ours: Act, name: str, found: Any) -> bool:
    """Whether a setting says what the file says that the reference's act reads: `data.name=x` for `data: {name: x}`."""
    setting = name.rpartition(FILE_SETTING)[2]
    for other, value in ours.values.items():
        _, of_file, path = other.partition(FILE_SETTING)
        if of_file and (setting == path or setting.endswith(f".{path}")) and same(value, found):
            return True
    return False


def _alone(value: Any) -> Any:
    """The one thing of a list of one; other values as they are."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _is_taken(standard: Standard, act: Act, value: Any) -> bool:
    """Whether a path is a file of the repository or a device, where a new file is to stand."""
    value = value.get("value") if isinstance(value, dict) else value
    if isinstance(value, list):
        return any(_is_taken(standard, act, each) for each in value)
    return str(value).startswith("/dev/") or _there(act.cwd, str(value), standard.files.__contains__)


def _is_plain(value: Any) -> bool:
    """Whether a value says by itself what it is: no array, no object, no long list of data."""
    if isinstance(value, dict):
        return value.get("!") in ("path", "enum", "float", "file")
    if isinstance(value, list):
        return len(value) <= _MOST_PLAIN and all(_is_plain(each) for each in value)
    return True


def _in_order_of(reference: Sequence[Act], act: Act, sets: frozenset[str]) -> Act:
    """An act whose lists of some destinations stand in the order of the reference's, where they hold the same."""
    ours = [each for each in reference if each.name == act.name]
    values = dict(act.values)
    for name, value in act.values.items():
        if isinstance(value, list) and name in sets:
            for expected in (each.values.get(name) for each in ours):
                if isinstance(expected, list) and _same_set(expected, value):
                    values[name] = expected
    return replace(act, values=values)


def _same_set(one: list[Any], other: list[Any]) -> bool:
    left = list(other)
    for each in one:
        match = next((theirs for theirs in left if same(each, theirs)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _is_shown(act: Act, name: str, options: Sequence[str], text: str) -> bool:
    """Whether the documentation gives this option this very value."""
    value = act.values.get(name)
    if name not in act.given or not text:
        return False
    words = value if isinstance(value, list) else [value]
    if any(isinstance(word, bool) or not isinstance(word, str | int | float) for word in words):
        return isinstance(value, bool) and any(re.search(rf"(?<![\w-]){re.escape(o)}(?![\w-])", text) for o in options)
    for option in [*options, name]:
        for match in re.finditer(rf"(?<![\w-]){re.escape(option)}[ =]+(.*)", text):
            said = re.split(r"[\s,]+", match[1].strip("`"))[: len(words)]
            if len(said) == len(words) and all(
                carries(each.strip("`'\"\\.,"), word) is Carried.EXACTLY for word, each in zip(words, said, strict=True)
            ):
                return True
    return False


def _carriers(wanted: str, reference: Sequence[Act]) -> dict[tuple[int, str], Carried]:
    """The places that carry a value, and how: those that the reference gives before its defaults."""
    given: dict[tuple[int, str], Carried] = {}
    default: dict[tuple[int, str], Carried] = {}
    for position, act in enumerate(reference):
        for name, value in act.values.items():
            rank = carries(wanted, value, act.options.get(name, ()))
            if rank is not Carried.NO:
                (given if name in act.given else default)[position, name] = rank
        if rank := carries(wanted, act.name):
            given[position, PROGRAM] = rank
    return given or {place: rank for place, rank in default.items() if rank is Carried.EXACTLY}


def _best(
    name: str, carriers: Mapping[tuple[int, str], Carried], claimed: set[tuple[int, str]], reference: Sequence[Act]
) -> tuple[tuple[int, str], ...]:
    """Of several carriers the surest, of these the likeliest by name, of these those that no other argument has."""
    sure = [place for place, rank in carriers.items() if rank > Carried.INSIDE]
    places = sure or list(carriers)
    likeness = {place: _likeness(name, place, reference) for place in places}
    if best := max(likeness.values(), default=0.0):
        return tuple(place for place in places if likeness[place] == best)
    return tuple(place for place in places if place not in claimed) or tuple(places)


def _changed(reference: Sequence[Act], variant: Sequence[Act]) -> set[tuple[int, str]]:
    """The places in which a variant of the reference differs from it."""
    places = set()
    for position, (ours, theirs) in enumerate(zip(reference, variant, strict=False)):
        if ours.name != theirs.name:
            places.add((position, PROGRAM))
        for name, value in ours.values.items():
            if name not in theirs.values or not same(value, theirs.values[name], ours.cwd, theirs.cwd):
                places.add((position, name))
    return places


def _likeness(name: str, place: tuple[int, str], reference: Sequence[Act]) -> float:
    """Share of words that an argument's name has in common with a destination's or its options'."""
    position, destination = place
    spellings = [destination.rpartition(".")[2], destination, *reference[position].options.get(destination, ())]
    ours = _words(name)
    return max(len(ours & (theirs := _words(text))) / len(ours | theirs) if text else 0.0 for text in spellings)


def _words(name: str) -> set[str]:
    words = [word.lower() for word in _WORDS.findall(name)]
    return {part for word in words for part in _ABBREVIATIONS.get(word, word.removesuffix("s")).split()}


def _value(act: Act, name: str) -> Any:
    return act.name if name == PROGRAM else act.values.get(name)


def _hits(tie: Tie, position: int, reference: Sequence[Act], act: Act) -> bool:
    ours = reference[position]
    places = [name for where, name in tie.places if where == position]
    return all(
        (name == PROGRAM or name in act.values) and same(_value(ours, name), _value(act, name), ours.cwd, act.cwd)
        for name in places
    )


def _fits(act: Act, position: int, tied: Sequence[Tie], reference: Sequence[Act]) -> bool:
    return all(_hits(tie, position, reference, act) for tie in tied)


def _repeats(act: Act, ours: Act) -> bool:
    """Whether an act is one that the reference does as well, without a required value in it."""
    if ours.name != act.name or bool(ours.given) != bool(act.given):
        return False
    return all(
        name in act.values and same(ours.values[name], act.values[name], ours.cwd, act.cwd) for name in ours.given
    )


def _closest(position: int, tied: Sequence[Tie], reference: Sequence[Act], like: Sequence[Act]) -> Act | None:
    """Of the candidate's acts of this program the one with most required arguments right; the last of equals."""
    if not like:
        return None
    return max(reversed(like), key=lambda act: sum(_hits(tie, position, reference, act) for tie in tied))


def _match(tie: Tie, reference: Sequence[Act], partner: Mapping[int, Act | None], written: Mapping[str, bool]) -> Match:
    if tie.written:
        if written.get(tie.argument):
            return Match(tie.argument, State.HIT, TEXT, tie.wanted, tie.wanted)
        return Match(tie.argument, State.ABSENT, TEXT, tie.wanted)
    if not tie.places:
        return Match(tie.argument, State.UNBOUND, expected=tie.wanted)
    place = ", ".join(dict.fromkeys(name for _, name in tie.places))
    position, name = tie.places[0]
    expected = shown(_value(reference[position], name))
    for position, name in tie.places:
        ours, act = reference[position], partner[position]
        if act is None:
            return Match(tie.argument, State.ABSENT, name, shown(_value(ours, name)))
        if name != PROGRAM and name not in act.values:
            return Match(tie.argument, State.ABSENT, name, shown(_value(ours, name)))
        if not same(_value(ours, name), _value(act, name), ours.cwd, act.cwd):
            return Match(tie.argument, State.WRONG, name, shown(_value(ours, name)), shown(_value(act, name)))
        found = shown(_value(act, name))
    return Match(tie.argument, State.HIT, place, expected, found)


def _harm(ours: Act, act: Act, harmful: set[str]) -> list[str]:
    """These must be as in the reference, given or left out."""
    return [
        f"{name} = {shown(act.values[name])}, not {shown(ours.values[name])}"
        for name in sorted(harmful & act.values.keys() & ours.values.keys())
        if not same(ours.values[name], act.values[name], ours.cwd, act.cwd)
    ]


def _lost(ours: Act, act: Act, exists: Callable[[str], bool]) -> list[str]:
    """Paths that are there for the reference and not for the candidate, because it stands elsewhere or says another."""
    lines = []
    for name, value in act.values.items():
        expected = ours.values.get(name)
        if not (isinstance(value, str) and isinstance(expected, str) and is_path(expected)):
            continue
        if _there(ours.cwd, expected, exists) and not _there(act.cwd, value, exists):
            lines.append(f"{name} = {value!r} from {act.cwd}")
    return lines


def _there(cwd: str, path: str, exists: Callable[[str], bool]) -> bool:
    whole = posixpath.normpath(posixpath.join("/workspace", cwd, path))
    return whole.startswith("/workspace/") and exists(whole.removeprefix("/workspace/"))


def _extras(ours: Act, act: Act) -> list[str]:
    return [
        f"{name} = {shown(act.values[name])}"
        for name in sorted(act.given)
        if name not in ours.given or not same(ours.values.get(name), act.values[name], ours.cwd, act.cwd)
    ]


def _described(act: Act, tied: Sequence[Tie], reference: Sequence[Act]) -> str:
    names = dict.fromkeys(n for tie in tied for p, n in tie.places if reference[p].name == act.name and n != PROGRAM)
    return f"{act.name} with {', '.join(f'{name} = {shown(act.values.get(name))}' for name in names)}"
