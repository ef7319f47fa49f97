"""The kinds of error of an answer, and the table from a stable reason to a kind (ML-Bench, section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ErrorClass(StrEnum):
    HALLUCINATION = "E1"
    KNOWLEDGE = "E2"
    MANIPULATION = "E3"
    SYNTAX = "E4"
    OPERATIONAL = "E5"


class SubKind(StrEnum):
    """The kinds of missing knowledge (E2); the paper's "code inner information" are the first two."""

    NAMES = "parameter-names"
    CHOICES = "choices"
    DOMAIN = "domain"
    SHELL = "shell-grammar"
    PATHS = "local-paths"


@dataclass(frozen=True)
class Error:
    """A kind of error: its class and, for E2, its sub-kind. Written `E2/choices`."""

    error_class: ErrorClass
    sub_kind: SubKind | None = None

    def __str__(self) -> str:
        return f"{self.error_class}/{self.sub_kind}" if self.sub_kind else str(self.error_class)


@dataclass(frozen=True)
class ErrorFinding:
    """One error of an answer, the reason that led to it, and the evidence in words."""

    error: Error
    reason: str
    evidence: str = ""


INVENTED = Error(ErrorClass.HALLUCINATION)
NAMES, CHOICES, DOMAIN, SHELL, PATHS = (Error(ErrorClass.KNOWLEDGE, kind) for kind in SubKind)
MISPUT = Error(ErrorClass.MANIPULATION)
SYNTAX = Error(ErrorClass.SYNTAX)
OPERATION = Error(ErrorClass.OPERATIONAL)

NO_ANSWER, NO_CODE = "no-answer", "no-code"
NO_RUN_SCRIPT, GAVE_UP, ASKED_HUMAN = "no-run-script", "gave-up", "asked-human"

REASONS: Mapping[str, Error] = {
    # the language and the program
    "wrong-kind": INVENTED,
    "nothing": INVENTED,
    NO_CODE: INVENTED,
    "wrong-program": INVENTED,
    "harmful-argument": INVENTED,
    "stray": INVENTED,
    "not-a-call-of-the-repository": INVENTED,
    "no-such-module": INVENTED,
    "import-fails": INVENTED,
    "no-such-name": INVENTED,
    "no-such-program": INVENTED,
    "help": INVENTED,
    "touches-code": INVENTED,
    "remote-code": INVENTED,
    "unsteady": INVENTED,
    "too-long": INVENTED,
    # what a program or a function takes
    "unknown-argument": NAMES,
    "ambiguous-argument": NAMES,
    "missing-argument": NAMES,
    "absent-argument": NAMES,
    "call-does-not-bind": NAMES,
    "invalid-choice": CHOICES,
    "invalid-type": CHOICES,
    "wrong-number-of-values": CHOICES,
    "conflicting-arguments": DOMAIN,
    "usage": DOMAIN,
    "wrong-unit": DOMAIN,
    "wrong-meaning": DOMAIN,
    # the shell and the folders
    "pasted-characters": SHELL,
    "stray-word": SHELL,
    "broken-continuation": SHELL,
    "literal-dollar": SHELL,
    "cut-by-comment": SHELL,
    "variable-not-passed": SHELL,
    "failed-assignment": SHELL,
    "no-such-file": PATHS,
    "no-such-folder": PATHS,
    "placeholder-path": PATHS,
    # putting together what is known
    "wrong-value": MISPUT,
    "swapped-values": MISPUT,
    "placeholder": MISPUT,
    "wrong-concatenation": MISPUT,
    "raised": MISPUT,
    # the text
    "shell-syntax": SYNTAX,
    "python-syntax": SYNTAX,
    "undefined-name": SYNTAX,
    "unresolved-variable": SYNTAX,
    "nul-byte": SYNTAX,
    # an agent's work
    NO_RUN_SCRIPT: OPERATION,
    GAVE_UP: OPERATION,
    ASKED_HUMAN: OPERATION,
}
"""A reason that does not stand here (no answer, a time limit, a program broken at its commit) is no error."""


def found_by(reason: str, evidence: str) -> ErrorFinding:
    """The finding of a reason that stands in the table."""
    return ErrorFinding(REASONS[reason], reason, evidence.strip())
