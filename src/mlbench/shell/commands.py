"""A command of a shell text with every word resolved."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TracedCommand:
    """A command as bash would have started it.

    Attributes:
        cwd: absolute, in the jail.
        env: variables that the text exports or sets for it, beyond those of the jail.
        kind: `command` (only written down), `tool` (really run: cat, mkdir ...), `shell` (followed; what it runs comes
            next), `end` (that shell ended), `missing` and `denied` (a path at which there is nothing to run).
        exit_code: of a tool or of a shell that ended; 0 otherwise: programs are taken to succeed.
        text: the first line of the file that is run by its path, or what `python` reads from its standard input.
        depth: shells around it.
        line: of the outermost text.
        captured: its output becomes part of a word (command substitution).
        guarded: what runs next depends on its exit code, or its exit code is thrown away (`if`, `while`, `||`, `!`).
        background: the text does not wait for it.
        unresolved: variables without a value that reach its words.
        source: the command of the outermost text that it comes from, as written there.
        at: when it started, in seconds of the epoch; 0 where nothing can be written.
    """

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str] = field(default_factory=dict)
    kind: str = "command"
    exit_code: int = 0
    text: str = ""
    depth: int = 0
    line: int = 0
    captured: bool = False
    guarded: bool = False
    background: bool = False
    unresolved: tuple[str, ...] = ()
    source: str = field(default="", compare=False)
    at: float = field(default=0.0, compare=False)
