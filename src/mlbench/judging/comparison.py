"""The result of comparing a candidate's configuration with the reference's."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.reasons import Reason

TEXT = "the answer's text"
"""The destination of an argument whose value only has to stand in the answer's text."""


class MatchState(StrEnum):
    """The state of one required argument in a candidate."""

    HIT = "hit"
    WRONG = "wrong"
    ABSENT = "absent"
    UNBOUND = "unbound"  # no destination in the reference: only prose needs it


@dataclass(frozen=True)
class Match:
    """One required argument: its destination, the expected value and the found value."""

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
    """A candidate's configuration, compared with the reference's.

    Attributes:
        matches: every required argument.
        missing: programs or functions of the reference that the candidate never reaches.
        harmful: settings that turn the task into another one.
        missing_paths: paths that exist for the reference but not as the candidate names them.
        extra_calls: calls of a required program with other required values, and other programs of the repository.
        unasked: further settings that differ from the reference's without being asked for.
        extras: explicit settings that the reference does not give, or gives differently.
        other_route: the answer makes other calls than the reference, or another number of them.
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
        """Semantic Parameter Hit Precision: share of the bound required arguments that hit.

        It is 1.0 if no required argument is bound.
        """
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
        """One line per fault; if there is none, one line per hit."""
        lines = [f"never reached: {name}" for name in self.missing]
        lines += [str(match) for match in self.matches if match.state in (MatchState.WRONG, MatchState.ABSENT)]
        lines += [f"turns the task into another one: {item}" for item in self.harmful]
        lines += [f"no such file from there: {item}" for item in self.missing_paths]
        lines += [f"not in the task: {item}" for item in self.extra_calls]
        lines += [f"nobody asked for it: {item}" for item in self.unasked]
        return "\n".join(lines or [str(match) for match in self.matches])
