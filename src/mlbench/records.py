"""The records that the stages hand on, frozen; importing them is cheap.

repositories -> recipes -> samples -> prompts -> candidates -> executions -> verdicts -> results

Reasons and error classes are in `reasons.py`, the records of a log in `score_records.py`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from mlbench.reasons import CheckReason, Reason, VerdictReason

Setting = Literal["oracle", "oracle-published", "readme", "retrieval", "code", "closed"]
Kind = Literal["shell", "python"]
Role = Literal["id", "ood_test", "ood_train"]

Configuration: TypeAlias = dict[str, object]
"""Typed value by destination or parameter, as JSON; `interface_check/runtime/values.py` has the format."""

SHELL_TYPE = "Bash Script"
PYTHON_TYPE = "Python Code"


class UsageError(Exception):
    """The user asked for something impossible: one clear line, exit code 2."""


class RunError(Exception):
    """The work failed: one clear line, exit code 1."""


@dataclass(frozen=True)
class Sample:
    """One row with the paper's 11 columns, in their order (ML-Bench, section 2)."""

    github_id: int
    github: str
    repo_id: int
    id: int
    path: str
    arguments: str
    instruction: str
    oracle: str
    type: str
    output: str
    prefix_code: str

    @property
    def kind(self) -> Kind:
        """The language that the answer must have."""
        return "shell" if self.type == SHELL_TYPE else "python"

    @property
    def folder(self) -> str:
        """The folder in which the answer runs, from the repository's root, as `examples/arma` or `.`."""
        return self.path.removeprefix("./").rstrip("/") or "."

    def required(self) -> dict[str, str]:
        """The required argument values by name; parsed as a literal, never evaluated.

        Raises:
            ValueError: the cell does not hold a dict literal.
        """
        try:
            value = ast.literal_eval(self.arguments)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"sample {self.id}: `arguments` is not a dict literal") from error
        if not isinstance(value, dict):
            raise ValueError(f"sample {self.id}: `arguments` is a {type(value).__name__}, not a dict")
        return {str(name): str(wanted) for name, wanted in value.items()}


class Completeness(StrEnum):
    """Whether a row's oracle shows every option, API name and value that its reference needs."""

    COMPLETE = "complete"
    UNDOCUMENTED = "undocumented"
    UNKNOWN = "unknown"  # the row is made from no recipe


@dataclass(frozen=True)
class Candidate:
    """The code that was extracted from a reply.

    Attributes:
        code: the code; empty if there is none.
        kind: None if it parses as neither language; `fault` is then the message of the likelier one.
        source: where in the reply it was found.
        fault: why there is no code, or why it does not parse.
        left: each block of the reply that was not taken: its label, its first line, why.
        file: the file name that the reply gives the code; `/` between folders.
        meant: the language that the text looks like, or its label names; only if it parses as neither.
        cut: the reply ends inside of the code; only if it parses as neither.
    """

    code: str
    kind: Kind | None
    source: str
    fault: str = ""
    left: tuple[str, ...] = ()
    file: str = ""
    meant: Kind | None = None
    cut: bool = False


class ExitKind(StrEnum):
    """How an execution ended; all but EXITED were stopped from outside, by a limit."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory-limit"


@dataclass(frozen=True)
class OutputFile:
    """A file that an execution created or changed.

    Attributes:
        path: inside the sandbox.
        size: in bytes.
        content: None if it was not read.
        fault: why it was not read (a FIFO, a device, too large).
    """

    path: str
    size: int
    content: bytes | None = None
    fault: str = ""


@dataclass(frozen=True)
class LeftBehind:
    """What an execution left behind besides its output.

    Attributes:
        files: new and changed files, the most important first.
        removed: removed files of the repository.
        altered: files of the repository with other contents.
        faults: why some of it could not be inspected.
    """

    files: tuple[OutputFile, ...] = ()
    removed: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Execution:
    """How a candidate ran.

    Attributes:
        ending: exited, or stopped by a limit.
        seconds: wall time.
        peak_memory: of one process, in bytes.
        processor: seconds of processor time of all ended processes in its sandbox, earlier commands included.
        dropped_bytes: output beyond the limit.
        witness: what the process trace recorded; None without one.
        absent: declared output files that were missing when the run was stopped.
        outcome: what it left behind; None if nobody looked.
    """

    ending: ExitKind
    exit_code: int
    seconds: float
    peak_memory: int = 0
    processor: float = 0.0
    stdout: str = ""
    stderr: str = ""
    dropped_bytes: int = 0
    witness: ProcessTrace | None = None
    absent: tuple[str, ...] = ()
    outcome: LeftBehind | None = None


class CheckStatus(StrEnum):
    """The result of the interface check; only `accepted` and `rejected` are about the answer."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    BROKEN = "broken"  # the repository's own fault at this commit, whatever the arguments
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class RepositoryCall:
    """One call from Python code into the repository.

    Attributes:
        function: the dotted name of its definition (`lichen.models.PropagationNet`).
        arguments: value by parameter.
        given: parameters that the call itself passes.
    """

    function: str
    arguments: Configuration
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionSchema:
    """What a parser says about one option; filled only on request (`Checker.describe`).

    Attributes:
        place: the destination.
        type: the name of the type or of the converting function; empty if there is none.
        choices: the allowed values as text; empty if any value is.
        switch: it takes no value.
        nargs: number of values, in argparse's notation; empty for one.
    """

    place: str
    type: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    help: str = ""
    required: bool = False
    switch: bool = False
    nargs: str = ""


@dataclass(frozen=True)
class Invocation:
    """A program of the repository as a candidate starts it, or the candidate's own Python code.

    Attributes:
        reason: why it is not accepted, or with which reservation; empty if accepted without one.
        message: the message of the parser or the interpreter.
        program: its path in the repository, `/` between folders; empty for Python code.
        how: `file`, `module`, `console-script`, or `code` for Python code.
        cwd: the folder it starts in, relative to the repository's root.
        env: variables that the candidate sets for it.
        parser: the library that parsed the command line; `sys.argv` if the program reads it by hand.
        configuration: value by destination.
        given: destinations that the command line sets; the others are defaults.
        options: option strings by destination; none for a positional.
        inputs: digests of the files and folders that its values name, by that name; only if the command writes files.
        ignored: words that the program accepts and does not use.
        unchecked: what could not be checked, in words: an open schema, a part that depends on stubs.
        calls: the calls of Python code into the repository, in order.
        repairs: changes to Python 2 sources that were needed to read them.
        cut_short: why it is not given the time to do its work; known only of shell texts that are really followed.
        schema: the options, on request.
        seconds: wall time of the check.
    """

    status: CheckStatus
    reason: CheckReason = ""
    message: str = ""
    program: str = ""
    how: str = "file"
    cwd: str = "."
    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    parser: str = ""
    configuration: Configuration = field(default_factory=dict)
    given: tuple[str, ...] = ()
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    calls: tuple[RepositoryCall, ...] = ()
    repairs: tuple[str, ...] = ()
    cut_short: str = ""
    schema: tuple[OptionSchema, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Check:
    """The interface check of one candidate: the whole, and each invocation in order."""

    status: CheckStatus
    reason: CheckReason = ""
    message: str = ""
    invocations: tuple[Invocation, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class TracedProcess:
    """One process image below a candidate, as the kernel showed it: one entry per `execve`.

    Attributes:
        pid: unique within one execution, together with the position in the list.
        program: path of the executable.
        exit_code: 128+N for signal N; None if another image replaced it, or if it still ran at the end.
        tampering: attempts to send reports in its recorder's place.
        invocations: what its recorder reported, in order.
        progress: CPU seconds and bytes written after parsing.
        used: files of the repository whose code it ran.
    """

    pid: int
    parent: int
    program: str
    argv: tuple[str, ...]
    cwd: str
    exit_code: int | None = None
    tampering: tuple[str, ...] = ()
    invocations: tuple[Invocation, ...] = ()
    progress: dict[str, float] = field(default_factory=dict)
    used: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessTrace:
    """The processes that ran below a candidate.

    Attributes:
        faults: what kept the witness from seeing everything.
        excess: that it ran as many processes at once as its sandbox allows; empty if it did not.
    """

    processes: tuple[TracedProcess, ...] = ()
    faults: tuple[str, ...] = ()
    excess: str = ""


class TwinKind(StrEnum):
    """What a twin changes of its original row; docs/explanation/twins.md."""

    VALUE = "value"
    WORDING = "wording"
    RENAME = "rename"
    CONTRADICT = "contradict"


class Policy(StrEnum):
    """The named rules by which an answer passes or fails."""

    STRICT = "strict"
    INTERFACE = "interface"
    PAPER = "paper"


class Stage(StrEnum):
    """The stage that decided a verdict, in the order of the stages."""

    EXTRACTION = "extraction"
    KIND = "kind"
    ARGUMENTS = "arguments"
    INTERFACE = "interface"
    EXECUTION = "execution"
    WITNESS = "witness"
    OUTCOME = "outcome"


@dataclass(frozen=True)
class Verdict:
    """The result under one policy.

    Attributes:
        stage: the stage that decided.
        reason: a `Reason`, or `undecided: REASON`, `broken: REASON`; logs may hold reasons of earlier versions.
        evidence: the evidence in words.
        seconds: wall time of what decided.
    """

    policy: Policy
    passed: bool
    stage: Stage
    reason: VerdictReason
    evidence: str = ""
    seconds: float = 0.0

    @property
    def unscored(self) -> bool:
        """Whether nothing can be said of the answer: the row's reference fails, or the row cannot be run here."""
        return self.reason in (Reason.UNDECIDED_REFERENCE, Reason.NOT_RUN)


@dataclass(frozen=True)
class ArgumentHits:
    """Which required arguments are in the answer.

    Parameter Hit Precision counts them (ML-Bench v1).
    """

    by_name: dict[str, bool] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Share of the required arguments that are in the answer; 1.0 if none is required."""
        return sum(self.by_name.values()) / len(self.by_name) if self.by_name else 1.0

    @property
    def missing(self) -> list[str]:
        """The required arguments that are not in the answer."""
        return [name for name, hit in self.by_name.items() if not hit]
