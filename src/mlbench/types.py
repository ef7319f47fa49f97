"""The nouns of mlbench, frozen: what the stages hand to one another.

repositories -> recipes -> samples -> prompts -> candidates -> executions -> verdicts -> results
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Setting = Literal["oracle", "readme"]
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

    kind is None where the text parses as neither language; `fault` is then the reason of the
    language that came nearer. `source` says how it was found in the reply.
    """

    code: str
    kind: Kind | None
    source: str
    fault: str = ""


class Ending(StrEnum):
    """How an execution ended. Everything but EXITED was ended from outside, by one of the bounds."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory-limit"


@dataclass(frozen=True)
class Execution:
    """What happened when a candidate ran. Seconds of wall time, bytes of memory (peak of one process)."""

    ending: Ending
    exit_code: int
    seconds: float
    peak_memory: int = 0
    stdout: str = ""
    stderr: str = ""
    dropped_bytes: int = 0


class Policy(StrEnum):
    """The named rules by which an answer passes or not."""

    PAPER = "paper"
    STRICT = "strict"


class Stage(StrEnum):
    """Where a verdict was decided, in the order of the stages."""

    EXTRACTION = "extraction"
    KIND = "kind"
    ARGUMENTS = "arguments"
    EXECUTION = "execution"


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
class Hits:
    """Which required arguments stand in the answer; Parameter Hit Precision counts them (ML-Bench v1)."""

    by_name: dict[str, bool] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Share of the required arguments that stand in the answer; 1.0 where none is required."""
        return sum(self.by_name.values()) / len(self.by_name) if self.by_name else 1.0

    @property
    def missing(self) -> list[str]:
        return [name for name, hit in self.by_name.items() if not hit]
