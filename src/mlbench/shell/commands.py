"""A command of a shell text with every word resolved."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TracedCommand:
    """A command as bash would have started it.

    Attributes:
        cwd: absolute, in the jail.
        env: variables that the text exports or sets for it, beyond those of the jail.
        kind: `command` (only recorded), `tool` (really run: cat, mkdir ...), `shell` (traced; its commands come next),
            `end` (that shell ended), `missing` and `denied` (a path that cannot be run).
        exit_code: of a tool or of a shell that ended; otherwise 0, because programs are assumed to succeed.
        text: the first line of the file that is run by its path, or what `python` reads from its standard input.
        depth: shells around it.
        line: of the outermost text.
        captured: its output becomes part of a word (command substitution).
        guarded: its exit code is tested or ignored (`if`, `while`, `||`, `!`).
        background: the text does not wait for it.
        unresolved: variables without a value that reach its words.
        source: the command of the outermost text that it comes from, as written there.
        at: its start, in seconds since the epoch; 0 if the jail is not writable.
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
