"""The bounds of a sandbox, and what holds its processes to them: a control group, else a watcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.records import UsageError

MIB = 1024 * 1024
Bounds = TypeVar("Bounds", bound=BaseModel)


class Limits(BaseModel):
    """Bounds of one sandbox: bytes, counts and seconds. `seconds` is wall time of one candidate's execution."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    seconds: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    memory: int = Field(default=2048 * MIB, gt=0)
    written: int = Field(default=256 * MIB, gt=0)
    processes: int = Field(default=256, gt=0)
    open_files: int = Field(default=1024, gt=0)
    output: int = Field(default=MIB, gt=0)


def bounds(given: Mapping[str, float] | None) -> Limits:
    """The bounds with some of them given by name.

    Raises:
        UsageError: a bound is unknown, not a number, or not above zero.
    """
    return checked_bounds(Limits, given or {})


def checked_bounds(kind: type[Bounds], given: Mapping[str, Any]) -> Bounds:
    """Bounds of some kind from their names.

    Raises:
        UsageError: a bound is unknown, not a number, or not above zero.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"limit {first['loc'][0]}: {first['input']}: {first['msg']}") from error


class Enforcer(Protocol):
    """Holds the processes of one sandbox to its memory and process bounds."""

    def join(self, pid: int) -> None:
        """This process, and all that it will start, is held to the bounds.

        Raises:
            OSError: the kernel refuses.
        """
        ...

    def watch(self, pid: int, clear: Callable[[], None]) -> None:
        """A sandbox runs below this process from now on; `clear` ends what runs in it, or raises OSError."""
        ...

    def unwatch(self) -> None:
        """None does any more. Once this returns, `clear` is not called."""
        ...

    def adapt(self, limits: Limits) -> bool:
        """Take on other bounds, for the next sandbox; False where that cannot be."""
        ...

    def memory_kills(self) -> int:
        """How often a process was killed for the sandbox's memory so far."""
        ...

    def close(self) -> None:
        """It is not needed any more; leave nothing behind."""
        ...
