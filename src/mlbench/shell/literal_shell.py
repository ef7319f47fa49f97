"""Read the commands of a plain shell text without asking bash.

Most answers are plain, and bash takes milliseconds. Any text that is not certainly plain goes to bash. A test compares
both ways.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping

from mlbench.shell.assignments import NAME
from mlbench.shell.commands import TracedCommand
from mlbench.shell.shell_static import SHELLS, STEERING, is_python

_WORD = r"(?:[\w.,:/@%+=-]|'[^'\n]*'|\"[^\"$`\\!\n]*\")+"
_COMMAND = re.compile(
    rf"((?:{NAME}={_WORD}[ \t]+)*)"
    rf"(?:python[\d.]*|torchrun|accelerate|deepspeed|[a-z]\w*-[\w-]+)(?:[ \t]+{_WORD})+",
    re.ASCII,
)
_PLAIN = r"[\w.,:/@%+=-]+"
_FOLDER = re.compile(rf"cd[ \t]+({_PLAIN})", re.ASCII)
_SAID = re.compile(rf"echo(?:[ \t]+{_WORD})*", re.ASCII)
_ASSIGNMENT = re.compile(rf"(export[ \t]+)?({NAME})=({_PLAIN})", re.ASCII)
# variables that bash sets itself or uses as settings
_BY_BASH = re.compile(
    r"(?:_|COLUMNS|DIRSTACK|EPOCH\w+|E?UID|PPID|FUNCNAME|GROUPS|HISTCMD|HOME|HOST\w+|LANG|LC_\w+|LINENO|LINES|MACHTYPE|OLDPWD"
    r"|OPT\w+|OSTYPE|PIPESTATUS|PWD|S?RANDOM|REPLY|SECONDS|SHELL|SHLVL|TERM|TIMEFORMAT|TMOUT|USER|histchars|auto_resume|\w*PATH)$"
)
_VARIABLE = re.compile(rf"\$(?:({NAME})|\{{({NAME})\}})", re.ASCII)


def literal(
    code: str, cwd: str, taken: Collection[str] = (), enters: Callable[[str], bool] = lambda folder: False
) -> tuple[TracedCommand, ...]:
    """Return the commands of a plain text, in order; none if bash is needed.

    A plain text may also have `cd FOLDER`, `echo`, and variables with plain values. It has no other expansion, no
    shell, and no operator but `;`, or `&&` behind a step that cannot fail.

    Args:
        code: the text.
        cwd: the folder in which it starts, absolute in the jail.
        taken: variables that exist already. A text that changes one needs bash.
        enters: whether a folder can be entered.
    """
    if "\r" in code:
        return ()
    found: list[TracedCommand] = []
    variables: dict[str, str] = {}
    exported: set[str] = set()
    for at, step, depends in ((at, *step) for at, line in _lines(code) for step in _steps(line.strip())):
        plain = _expanded(step, variables)
        if plain is None:
            return ()
        if match := _FOLDER.fullmatch(plain):
            cwd = os.path.normpath(os.path.join(cwd, match[1]))
            if match[1].startswith("-") or not enters(cwd):
                return ()
        elif match := _ASSIGNMENT.fullmatch(plain):
            if _is_taken(match[2], taken):
                return ()
            variables[match[2]] = match[3]
            exported |= {match[2]} if match[1] else set()
        elif not _SAID.fullmatch(plain):
            command = _command(plain, cwd, {name: variables[name] for name in exported}, at)
            if command is None or depends:
                return ()
            found.append(command)
    return tuple(found)


def _command(plain: str, cwd: str, exported: Mapping[str, str], at: int) -> TracedCommand | None:
    if not (match := _COMMAND.fullmatch(plain)):
        return None
    words = shlex.split(plain)
    count = len(shlex.split(match[1]))
    env = {**exported, **dict(word.split("=", 1) for word in words[:count])}
    argv = tuple(words[count:])
    if any(STEERING.match(name) for name in env) or any(
        word.endswith(".sh") or word.rpartition("/")[2] in SHELLS for word in argv
    ):
        return None
    if is_python(argv[0]) and argv[1] == "-":
        return None
    return TracedCommand(argv, cwd, env, line=at)


def _is_taken(name: str, taken: Collection[str]) -> bool:
    return name in taken or any(pattern.match(name) for pattern in (STEERING, _BY_BASH))


def _lines(code: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers. A continued line counts as one."""
    at = 1
    for line in re.split(r"(?<!\\)\n", code):
        yield at, line.replace("\\\n", "")
        at += 1 + line.count("\n")


def _steps(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the commands of a line, and whether the next depends on it. A line with quotes is not split."""
    if not line or line.startswith("#"):
        return
    if "'" in line or '"' in line:
        yield line, False
        return
    *parts, last = re.split(r"[ \t]*(&&|;)[ \t]*", line.removesuffix(";"))
    for part, sign in zip(parts[::2], parts[1::2], strict=True):
        yield part, sign == "&&"
    yield last.rstrip(), False


def _expanded(step: str, variables: Mapping[str, str]) -> str | None:
    """Fill in the variables of a step; None if one is unknown or may not be a variable."""
    names = [match[1] or match[2] for match in _VARIABLE.finditer(step)]
    if any(name not in variables for name in names) or (names and ("'" in step or "\\" in step)):
        return None
    return _VARIABLE.sub(lambda match: variables[match[1] or match[2]], step)
