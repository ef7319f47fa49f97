"""The nouns of mlbench, frozen: what the stages hand to one another.

repositories -> recipes -> samples -> prompts -> candidates -> executions -> verdicts -> results
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Setting = Literal["oracle", "readme", "retrieval", "code"]
Kind = Literal["shell", "python"]
Role = Literal["id", "ood_test", "ood_train"]

SHELL_TYPE = "Bash Script"
PYTHON_TYPE = "Python Code"


class UsageError(Exception):
    """The user asked for something that cannot be: one clear line, exit code 2."""


class RunError(Exception):
    """Something went wrong while doing what the user asked for: one clear line, exit code 1."""


@dataclass(frozen=True)
class Sample:
    """One row: the 11 columns that the paper publishes, in their order (ML-Bench, section 2)."""

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
        """The language in which an answer is wanted."""
        return "shell" if self.type == SHELL_TYPE else "python"

    def required(self) -> dict[str, str]:
        """The argument values that an answer must carry, by name; parsed as a literal, never evaluated.

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


@dataclass(frozen=True)
class Candidate:
    """The code that a reply leaves.

    Attributes:
        kind: None if the text parses as neither language; `fault` is then the reason of the language that came nearer.
        source: how it was found in the reply.
        left: each block of the reply that was not taken: its label, its first line, why.
        file: the name under which the reply says to save the code, if it does; `/` between folders.
    """

    code: str
    kind: Kind | None
    source: str
    fault: str = ""
    left: tuple[str, ...] = ()
    file: str = ""


class ExitKind(StrEnum):
    """How an execution ended. Everything but EXITED was ended from outside, by one of the bounds."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory-limit"


@dataclass(frozen=True)
class OutputFile:
    """A file that an execution has made or changed: its path inside, its size in bytes.

    content: None where it was not read; `fault` then says why (a FIFO, a device, too large).
    """

    path: str
    size: int
    content: bytes | None = None
    fault: str = ""


@dataclass(frozen=True)
class LeftBehind:
    """What an execution left behind, beside what it printed.

    Attributes:
        files: new and changed files, those that matter most first.
        removed: files of the repository that are gone.
        altered: files of the repository whose contents are others now.
        faults: why not all of it could be looked at.
    """

    files: tuple[OutputFile, ...] = ()
    removed: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Execution:
    """What happened when a candidate ran. Seconds of wall time, bytes of memory (peak of one process).

    `processor`: seconds of processor time of all that had ended in its sandbox by then, earlier commands included.
    `absent`: of the files that a run is to leave behind, those that are not there; looked for where it was ended.
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
    """What the interface check found. Only `accepted` and `rejected` say something about the answer alone."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    BROKEN = "broken"  # the repository's own fault at this commit, whatever the arguments
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class RepositoryCall:
    """A call that Python code makes into the repository.

    `function` is the dotted name where it is defined (`lichen.models.PropagationNet`), `arguments` maps each
    parameter to its value as JSON (see `runtime/values.py`), `given` names those that the call itself passes.
    """

    function: str
    arguments: dict[str, Any]
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionSchema:
    """What a parser says of one of its options; filled only where it was asked for (`Checker.describe`).

    Attributes:
        place: the destination.
        type: the name of the type, or of the function that converts a word; empty where the parser has none.
        choices: what is allowed, as text; empty where it is free.
        switch: it takes no word.
        nargs: how many words, as argparse says it; empty for one.
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
        reason: a stable code; empty where accepted without reservation.
        message: the parser's or interpreter's own words.
        program: its path in the repository, `/` between folders; empty for Python code.
        how: `file`, `module`, `console-script`, or `code` for Python code.
        cwd: the folder it starts in, from the repository's root.
        env: variables that the candidate sets for it.
        parser: the library that parsed the command line; `sys.argv` where the program reads it by hand.
        configuration: destination -> typed value, as JSON (see `interface_check/runtime/values.py`).
        given: destinations that the command line set; the others are defaults.
        options: the option strings of each destination, for naming them; none for a positional.
        inputs: what the files and folders hold that its values name, as digests, by the name as written; only of a
            command that writes files.
        ignored: words that the program takes and does not use.
        unchecked: what could not be checked, each in words: an open schema, a part that stands on stubs.
        calls: for Python code, its calls into the repository, in order.
        repairs: changes made to Python 2 sources so that they could be read.
        schema: what each option takes, where that was asked for.
        seconds: wall time of the check.
    """

    status: CheckStatus
    reason: str = ""
    message: str = ""
    program: str = ""
    how: str = "file"
    cwd: str = "."
    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    parser: str = ""
    configuration: dict[str, Any] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    calls: tuple[RepositoryCall, ...] = ()
    repairs: tuple[str, ...] = ()
    schema: tuple[OptionSchema, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Check:
    """What the interface check found for one candidate: the whole, and each invocation in order."""

    status: CheckStatus
    reason: str = ""
    message: str = ""
    invocations: tuple[Invocation, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class TracedProcess:
    """A process image that ran below a candidate, as the kernel showed it: one entry per `execve`.

    Attributes:
        pid: unique within one execution together with the position in the list.
        program: path of the executable.
        exit_code: 128+N for signal N; None where it was replaced by another image, or still ran at the end.
        tampering: how somebody has tried to speak in its recorder's place; empty where nobody has.
        invocations: what the recorder inside it reported, in order.
        progress: evidence that it went on after parsing: CPU seconds and bytes written since.
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
    """What really ran below a candidate.

    Attributes:
        faults: what kept the witness from seeing all.
        excess: that it ran as many processes at once as its sandbox lets it; empty if it did not.
    """

    processes: tuple[TracedProcess, ...] = ()
    faults: tuple[str, ...] = ()
    excess: str = ""


class Policy(StrEnum):
    """The named rules by which an answer passes or not."""

    STRICT = "strict"
    INTERFACE = "interface"
    PAPER = "paper"


class Stage(StrEnum):
    """Where a verdict was decided, in the order of the stages."""

    EXTRACTION = "extraction"
    KIND = "kind"
    ARGUMENTS = "arguments"
    INTERFACE = "interface"
    EXECUTION = "execution"
    WITNESS = "witness"
    OUTCOME = "outcome"


class ItemKind(StrEnum):
    """The kind of one item in the comparison with what the reference left behind."""

    FILE = "file"
    FIGURE = "figure"
    REPOSITORY = "repository"  # a file of the repository that an answer must leave unchanged


@dataclass(frozen=True)
class Verdict:
    """Passed or not under one policy; the stage that decided, a stable reason code, the evidence in words."""

    policy: Policy
    passed: bool
    stage: Stage
    reason: str
    evidence: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class ArgumentHits:
    """Which required arguments stand in the answer; Parameter Hit Precision counts them (ML-Bench v1)."""

    by_name: dict[str, bool] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Share of the required arguments that stand in the answer; 1.0 where none is required."""
        return sum(self.by_name.values()) / len(self.by_name) if self.by_name else 1.0

    @property
    def missing(self) -> list[str]:
        return [name for name, hit in self.by_name.items() if not hit]
