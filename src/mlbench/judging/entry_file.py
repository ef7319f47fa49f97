"""The agent's own Python file that a `run.sh` starts, for rows that ask for Python code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from mlbench.shell.languages import parse_shell

_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_PLAIN = re.compile(r"[\w./+=@%-]+")
_FLAGS = re.compile(r"-[uBOEsqv]+")


@dataclass(frozen=True)
class Started:
    """A Python file that a script starts.

    Attributes:
        path: the file, relative to the folder in which the script runs.
        at: byte position of its name in the script.
    """

    path: str
    at: int


def started_file(script: str) -> Started | None:
    """The last Python file that a script starts by name; None if there is none.

    Literal `cd` commands count. A file that is named by a variable is not found.
    """
    folder, found = ".", None
    for words in _commands(parse_shell(script).root_node):
        texts = [(word.text or b"").decode(errors="replace").strip("'\"") for word in words]
        if texts[0] == "cd" and len(texts) > 1:
            folder = posixpath.normpath(posixpath.join(folder, texts[1]))
        elif _PYTHON.fullmatch(posixpath.basename(texts[0])):
            rest = next((index for index in range(1, len(texts)) if not _FLAGS.fullmatch(texts[index])), 0)
            if rest and texts[rest].endswith(".py") and _PLAIN.fullmatch(texts[rest]):
                path = posixpath.normpath(posixpath.join(folder, texts[rest]))
                found = Started(path, words[rest].start_byte)
    return found


def through(script: str, started: Started, launcher: str) -> str:
    """The script with a launcher before the file: `python FILE` becomes `python LAUNCHER FILE`.

    Args:
        script: the script's text.
        started: the file, from `started_file`.
        launcher: the launcher's path.
    """
    text = script.encode(errors="replace")
    return (text[: started.at] + launcher.encode() + b" " + text[started.at :]).decode(errors="replace")


def _commands(root: tree_sitter.Node) -> Iterator[list[tree_sitter.Node]]:
    """The words of each command, in textual order.

    Commands in functions and substitutions count too.
    """
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "command":
            words = [child for child in node.children if child.type != "variable_assignment"]
            if words:
                yield words
        todo += reversed(node.children)
