"""The result of comparing a candidate's configuration with the reference's."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.reasons import Reason

TEXT = "the answer's text"
"""The destination of an argument whose value only has to stand in the answer's text."""


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
    destination: str = ""
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.state:
            case MatchState.HIT:
                return f"{self.argument}: {self.destination} = {self.found}"
            case MatchState.WRONG:
                return f"{self.argument}: {self.destination} is {self.found}, expected {self.expected}"
            case MatchState.ABSENT:
                what = "lacks it" if self.destination == TEXT else "is never reached"
                return f"{self.argument}: {self.destination} {what}, expected {self.expected}"
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
    missing_paths: tuple[str, ...] = ()
    extra_calls: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    other_route: bool = False

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return self.reason is Reason.RIGHT

    @property
    def share(self) -> float:
        """Semantic Parameter Hit Precision: share of the bound required arguments that hit; 1.0 where there is none."""
        bound = [match for match in self.matches if match.state is not MatchState.UNBOUND]
        return sum(match.state is MatchState.HIT for match in bound) / len(bound) if bound else 1.0

    @property
    def reason(self) -> Reason:
        """The gravest fault; `RIGHT` if there is none."""
        states = {match.state for match in self.matches}
        faults = (
            (bool(self.missing), Reason.WRONG_PROGRAM),
            (MatchState.ABSENT in states, Reason.ABSENT_ARGUMENT),
            (MatchState.WRONG in states, Reason.WRONG_VALUE),
            (bool(self.harmful), Reason.HARMFUL_ARGUMENT),
            (bool(self.missing_paths), Reason.NO_SUCH_FILE),
            (bool(self.extra_calls), Reason.STRAY),
            (bool(self.unasked), Reason.UNASKED_CHANGE),
        )
        return next((reason for is_fault, reason in faults if is_fault), Reason.RIGHT)

    def evidence(self) -> str:
        """What is wrong, a line each; where nothing is, every hit."""
        lines = [f"never reached: {name}" for name in self.missing]
        lines += [str(match) for match in self.matches if match.state in (MatchState.WRONG, MatchState.ABSENT)]
        lines += [f"turns the task into another one: {item}" for item in self.harmful]
        lines += [f"no such file from there: {item}" for item in self.missing_paths]
        lines += [f"not in the task: {item}" for item in self.extra_calls]
        lines += [f"nobody asked for it: {item}" for item in self.unasked]
        return "\n".join(lines or [str(match) for match in self.matches])
