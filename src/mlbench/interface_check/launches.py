"""The records of what a shell text starts: programs of the repository, other commands, and faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mlbench.sandbox.jail import WORKSPACE
from mlbench.shell.commands import TracedCommand
from mlbench.shell.shell_static import ShellFault


@dataclass(frozen=True)
class Launch:
    """A program of the repository that the text starts.

    Attributes:
        run: `console-script` if the repository declares it; `none` if nothing could start (see `fault`).
        target: the interpreter's target: the path or module as written, `module:function`, or the code.
        program: its path in the repository; empty for code and for foreign programs.
        cwd: absolute, in the jail.
        env: variables that the text sets for it.
        options: of the interpreter.
        injected: words that a launcher puts before `argv`, as some versions do (`--local_rank=0`).
        own: the text wrote this program itself.
        is_input_assumed: a script of the repository goes on to it only if files are there that a checkout lacks.
        later: files that the text changed after this start, absolute in the jail.
        cut_short: why it is not given the time to do its work; empty if it is.
        fault: why it cannot start, or is not reliable.
        command: the command as bash would have started it.
    """

    run: Literal["file", "module", "code", "console-script", "none"]
    target: str
    command: TracedCommand
    program: str = ""
    argv: tuple[str, ...] = ()
    cwd: str = WORKSPACE
    env: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    own: bool = False
    is_input_assumed: bool = False
    later: tuple[str, ...] = ()
    cut_short: str = ""
    fault: ShellFault | None = None

    @property
    def is_code(self) -> bool:
        """Whether it is the text's own Python code, in the text or in a file that it wrote."""
        return self.run == "code" or (self.run == "file" and self.own)


@dataclass(frozen=True)
class Starts:
    """The programs that a text starts.

    Attributes:
        others: commands that are not the repository's, including tools.
        faults: faults of the text and errors of bash; `cannot-follow` if `starts` is not reliable.
        alone: the text writes files or may do harm. Ask again in a writable jail of its own.
        written: files that the text wrote, as absolute paths in the jail, at most 10,000.
    """

    starts: tuple[Launch, ...] = ()
    others: tuple[TracedCommand, ...] = ()
    faults: tuple[ShellFault, ...] = ()
    alone: bool = False
    written: tuple[str, ...] = ()
