"""Example commands and calls of one program or function in the documentation, without prose."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from mlbench.judging.call_sites import CallSite

_FENCE = re.compile(r"\s*(```+|~~~+)")
_LONGEST_CALL = 2000
_THE_REST = re.compile(
    r"\b(?:everything else|anything else|all else|(?:other|remaining) (?:options|settings|values))\b"
)


def leaves_the_rest(instruction: str) -> bool:
    """Whether an instruction covers all that it does not name: "leave everything else alone"."""
    return _THE_REST.search(instruction.lower()) is not None


def examples_of(call: CallSite, text: str, files: Collection[str]) -> str:
    """The documented commands of a call's program, or the documented calls of its function.

    Prose and tables do not count: "if you prefer gaps, `--mask block`" is an offer, not part of an example.

    Args:
        call: the program or function.
        text: the documentation.
        files: the repository's files; a command that names another program of it does not count.
    """
    code = "\n".join(_code(text))
    if not call.is_program:
        return "\n".join(_calls(call.name.rpartition(".")[2], code))
    commands = re.sub(r"\\\n\s*", " ", code).splitlines()
    return "\n".join(line for line in commands if not _of_another(call, line, files))


def _code(text: str) -> Iterator[str]:
    """The lines of fenced or indented blocks."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif fence or line.startswith(("    ", "\t")):
            yield line


def _of_another(call: CallSite, command: str, files: Collection[str]) -> bool:
    """Whether a command names another Python file of the repository than the call's."""
    named = set()
    for word in command.replace("=", " ").split():
        for folder in (call.cwd, posixpath.dirname(call.name), "."):
            path = posixpath.normpath(posixpath.join(folder, word.strip("'\"`")))
            if path.endswith(".py") and path in files:
                named.add(path)
    return bool(named) and call.name not in named


def _calls(name: str, code: str) -> Iterator[str]:
    """Each call of a name, up to its closing parenthesis."""
    for match in re.finditer(rf"\b{re.escape(name)}\(", code):
        depth = 0
        for end, sign in enumerate(code[match.start() : match.start() + _LONGEST_CALL], match.start()):
            depth += (sign in "([{") - (sign in ")]}")
            if sign in ")]}" and depth == 0:
                yield " ".join(code[match.end() : end].split())
                break
