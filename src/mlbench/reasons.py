"""Reasons of verdicts, checks and error findings: every stable code that a record may hold.

`docs/reference/reasons.md` explains each one. The interface check's runtime imports nothing of this package and writes
the same codes as plain strings.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NewType, TypeAlias


class Reason(StrEnum):
    """A stable code for why a verdict, a check or a finding came out as it did."""

    # The outcome
    RIGHT = "right"
    OTHER_ROUTE = "other-route"
    RIGHT_UNWITNESSED = "right-unwitnessed"
    WRONG_OUTCOME = "wrong-outcome"
    OUTCOME_MISSING = "outcome-missing"
    FIGURES_MISSING = "figures-missing"
    OUTCOME_DESTROYED = "outcome-destroyed"
    NOT_PROVEN = "not-proven"

    # The execution
    EXIT_0 = "exit-0"
    EXIT_0_UNWITNESSED = "exit-0-unwitnessed"
    EXIT_CODE = "exit-code"
    RUNNING = "running"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory-limit"
    PROCESS_LIMIT = "process-limit"
    PROGRAM_FAILED = "program-failed"
    NOT_WITNESSED = "not-witnessed"
    TAMPERING = "tampering"
    KEYBOARD_INTERRUPT = "keyboard-interrupt"

    # The reply
    NO_ANSWER = "no-answer"
    NO_CODE = "no-code"
    SYNTAX = "syntax"
    WRONG_KIND = "wrong-kind"
    CONTEXT_OVERFLOW = "context-overflow"

    # An agent's submission
    NO_RUN_SCRIPT = "no-run-script"
    NO_PYTHON_FILE = "no-python-file"
    WORKSPACE_NOT_CARRIED = "workspace-not-carried"
    CUT_SHORT = "cut-short"
    MISSING_PACKAGE = "missing-package"  # of the environment that the agent made; no error class
    GAVE_UP = "gave-up"
    ASKED_HUMAN = "asked-human"

    # The configuration, compared with the reference's
    WRONG_PROGRAM = "wrong-program"
    WRONG_VALUE = "wrong-value"
    ABSENT_ARGUMENT = "absent-argument"
    HARMFUL_ARGUMENT = "harmful-argument"
    UNASKED_CHANGE = "unasked-change"
    STRAY = "stray"
    UNDECIDED_REFERENCE = "undecided: reference"  # the reference itself is not accepted
    NOT_RUN = "not-run"  # the policy needs a run, and the row cannot be run here

    # The interface check: arguments
    UNKNOWN_ARGUMENT = "unknown-argument"
    AMBIGUOUS_ARGUMENT = "ambiguous-argument"
    MISSING_ARGUMENT = "missing-argument"
    INVALID_CHOICE = "invalid-choice"
    INVALID_TYPE = "invalid-type"
    WRONG_NUMBER_OF_VALUES = "wrong-number-of-values"
    CONFLICTING_ARGUMENTS = "conflicting-arguments"
    USAGE = "usage"
    HELP = "help"
    CALL_DOES_NOT_BIND = "call-does-not-bind"

    # The interface check: files, modules, programs
    NO_SUCH_FILE = "no-such-file"
    NO_SUCH_FOLDER = "no-such-folder"
    NO_SUCH_MODULE = "no-such-module"
    NO_SUCH_NAME = "no-such-name"
    NO_SUCH_PROGRAM = "no-such-program"
    NOT_A_CALL_OF_THE_REPOSITORY = "not-a-call-of-the-repository"
    IMPORT_FAILS = "import-fails"
    RUN_WITH_M = "run-with-m"

    # The interface check: the text
    NOTHING = "nothing"
    SHELL_SYNTAX = "shell-syntax"
    PYTHON_SYNTAX = "python-syntax"
    UNDEFINED_NAME = "undefined-name"
    UNRESOLVED_VARIABLE = "unresolved-variable"
    PLACEHOLDER = "placeholder"
    PASTED_CHARACTERS = "pasted-characters"
    NUL_BYTE = "nul-byte"
    TOO_LONG = "too-long"
    TOUCHES_CODE = "touches-code"
    REMOTE_CODE = "remote-code"
    UNSTEADY = "unsteady"
    MALFORMED_LINE = "malformed-line"

    # The interface check: the program's behaviour
    RAISED = "raised"
    EXITS_EARLY = "exits-early"
    NEVER_PARSES = "never-parses"
    READS_ARGV_BY_HAND = "reads-argv-by-hand"
    READS_INPUT = "reads-input"
    TIME_LIMIT = "time-limit"
    CANNOT_FOLLOW = "cannot-follow"
    STUB = "stub"
    CONFLICTING_OPTIONS = "conflicting-options"

    # Refinements for the error classes only
    WRONG_UNIT = "wrong-unit"
    WRONG_MEANING = "wrong-meaning"
    SWAPPED_VALUES = "swapped-values"
    WRONG_CONCATENATION = "wrong-concatenation"
    STRAY_WORD = "stray-word"
    BROKEN_CONTINUATION = "broken-continuation"
    LITERAL_DOLLAR = "literal-dollar"
    CUT_BY_COMMENT = "cut-by-comment"
    VARIABLE_NOT_PASSED = "variable-not-passed"
    FAILED_ASSIGNMENT = "failed-assignment"
    PLACEHOLDER_PATH = "placeholder-path"


class AgentOutcome(StrEnum):
    """How an agent's work on a sample ended."""

    ENDED = "ended"  # by itself
    GAVE_UP = "gave-up"  # by itself, without calling the task done
    CRASHED = "crashed"
    STEP_LIMIT = "step-limit"
    TOKEN_LIMIT = "token-limit"
    COST_LIMIT = "cost-limit"
    TIME_LIMIT = "time-limit"


class ErrorClass(StrEnum):
    """The classes of errors (ML-Bench, section 5.2); `OPERATIONAL` is only for agents."""

    HALLUCINATION = "E1"
    KNOWLEDGE = "E2"
    MANIPULATION = "E3"
    SYNTAX = "E4"
    OPERATIONAL = "E5"


class ErrorSubclass(StrEnum):
    """The kinds of missing knowledge (E2).

    The first two are the paper's "code inner information".
    """

    NAMES = "parameter-names"
    CHOICES = "choices"
    DOMAIN = "domain"
    SHELL = "shell-grammar"
    PATHS = "local-paths"


UndecidedReason = NewType("UndecidedReason", str)
"""The reason of a check that says nothing about the answer (`undecided: stub`), or one of an earlier version's log."""

VerdictReason: TypeAlias = Reason | UndecidedReason

CheckReason: TypeAlias = Reason | Literal[""]
"""The reason of an interface check; empty if the answer is accepted without reservation."""

EarlierReason = NewType("EarlierReason", str)
"""A reason in the log of an earlier version, which this version does not give."""


def undecided_reason(status: str, reason: Reason) -> UndecidedReason:
    """Write the reason of a check that says nothing about the answer: `undecided: stub`."""
    return UndecidedReason(f"{status}: {reason}")


def check_reason(name: str) -> CheckReason:
    """Read a check's reason, which the runtime writes as a plain string; empty if there is none.

    Raises:
        ValueError: there is no such reason; the message is the beginning of the name.
    """
    try:
        return Reason(name) if name else ""
    except ValueError:
        raise ValueError(name[:80]) from None


class ItemKind(StrEnum):
    """The kind of one item in the comparison with what the reference left behind."""

    FILE = "file"
    FIGURE = "figure"
    REPOSITORY = "repository"  # a file of the repository that an answer must leave unchanged
