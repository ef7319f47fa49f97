"""The limits of a sandbox, and the interface that enforces them: a control group or a watcher thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.records import UsageError

MIB = 1024 * 1024
Bounds = TypeVar("Bounds", bound=BaseModel)


class Limits(BaseModel):
    """Limits of one sandbox.

    Attributes:
        seconds: wall time of one execution.
        memory: bytes of memory of all processes together.
        written: bytes of all files that are written.
        processes: number of processes.
        open_files: number of open files of one process.
        output: bytes kept of each output stream.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    seconds: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    memory: int = Field(default=2048 * MIB, gt=0)
    written: int = Field(default=256 * MIB, gt=0)
    processes: int = Field(default=256, gt=0)
    open_files: int = Field(default=1024, gt=0)
    output: int = Field(default=MIB, gt=0)


def bounds(given: Mapping[str, float] | None) -> Limits:
    """Return limits, with defaults for those that are not given.

    Raises:
        UsageError: a limit is unknown, not a number, or not above zero.
    """
    return checked_bounds(Limits, given or {})


def checked_bounds(kind: type[Bounds], given: Mapping[str, Any]) -> Bounds:
    """Build a record of limits from their names and values.

    Raises:
        UsageError: a limit is unknown, not a number, or not above zero.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"limit {first['loc'][0]}: {first['input']}: {first['msg']}") from error


class Enforcer(Protocol):
    """Enforces the memory and process limits of one sandbox."""

    def join(self, pid: int) -> None:
        """Apply the limits to a process and all its future descendants.

        Raises:
            OSError: the kernel refuses.
        """
        ...

    def watch(self, pid: int, clear: Callable[[], None]) -> None:
        """Watch the sandbox below this process; `clear` ends everything in it, or raises OSError."""
        ...

    def unwatch(self) -> None:
        """Stop watching. `clear` is not called after this returns."""
        ...

    def adapt(self, limits: Limits) -> bool:
        """Change the limits for the next sandbox; return False if that is not possible."""
        ...

    def memory_kills(self) -> int:
        """Return how many processes were killed because of the memory limit."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...
