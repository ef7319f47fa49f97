"""What an agent observes after an action, and the kinds of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

SHOWN = 12_000
"""Characters of a file, a listing or a difference that are shown at once."""


class ActionFault(StrEnum):
    """Why an action failed; errors are counted by these kinds."""

    INVALID_INPUT = "invalid-input"
    REFUSED_PATH = "refused-path"
    READ_ONLY = "read-only-file"
    NO_FILE = "no-such-file"
    CANNOT = "cannot-read-or-write"
    FAILED_SCRIPT = "failed-script"
    TIME_OUT = "time-out"
    MEMORY = "memory-limit"
    NO_CODE = "no-code-in-reply"
    INVALID_SUBMISSION = "invalid-submission"


ACTION_FAULT_MEANINGS: Mapping[str, str] = {
    ActionFault.INVALID_INPUT: "An input of the action is missing or cannot be used.",
    ActionFault.REFUSED_PATH: "The path leads out of the workspace.",
    ActionFault.READ_ONLY: "The file belongs to the problem and must not be changed.",
    ActionFault.NO_FILE: "The file or folder does not exist.",
    ActionFault.CANNOT: "The file cannot be read or written.",
    ActionFault.FAILED_SCRIPT: "The script ended with an error.",
    ActionFault.TIME_OUT: "The script reached its time limit.",
    ActionFault.MEMORY: "The script reached its memory limit.",
    ActionFault.NO_CODE: "The helper model's reply holds no code.",
    ActionFault.INVALID_SUBMISSION: "The submission, as it stood then, could not have been graded.",
}
"""What each kind of error means, in a sentence."""


@dataclass(frozen=True)
class Observation:
    """The text that the agent sees, and the kind of error if there was one."""

    text: str
    fault: ActionFault | None = None


class ActionError(Exception):
    """An action failed; its message is what the agent observes."""

    def __init__(self, fault: ActionFault, why: str) -> None:
        super().__init__(why)
        self.fault = fault

    def observed(self) -> Observation:
        return Observation(str(self), self.fault)


def named(name: str) -> str:
    """Return a file's name in one short printable line."""
    plain = name.encode(errors="backslashreplace").decode()
    plain = plain if plain.isprintable() else repr(plain)[1:-1]
    return plain if len(plain) <= 200 else f"{plain[:100]}...{plain[-90:]}"
