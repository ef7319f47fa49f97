"""The bounds of a sandbox, and what holds its processes to them: a control group, else a watcher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

MIB = 1024 * 1024


class Limits(BaseModel):
    """Bounds of one sandbox: bytes, counts and seconds. `seconds` is wall time of one candidate's execution."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    seconds: float = Field(default=60.0, gt=0)
    memory: int = Field(default=2048 * MIB, gt=0)
    written: int = Field(default=256 * MIB, gt=0)
    processes: int = Field(default=256, gt=0)
    open_files: int = Field(default=1024, gt=0)
    output: int = Field(default=MIB, gt=0)


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
