"""Finds the command of a code that starts its program, with the words that the program gets of it."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from mlbench.records import Invocation
from mlbench.shell.languages import parse_shell
from mlbench.suites.recipes import BELOW_HOME

_MOVING = re.compile(r"[$`*?~]|\\[^\n]|[<>]\(")  # characters that bash expands
_SHORTEST = 4  # letters of a word that is looked for within others
LOOPS = ("for_statement", "while_statement", "function_definition", "c_style_for_statement")


@dataclass(frozen=True)
class SpannedCommand:
    """The command that starts the program: its start, and where a word can be added."""

    start: int
    end: int
    words: tuple[tree_sitter.Node, ...]


def command_of(code: str, invocation: Invocation) -> SpannedCommand | None:
    """The command whose last words the program got; None if there is none, or it runs in a loop.

    A launcher may have put one word before them (`--local-rank=0`).
    """
    found = _command(code, invocation, invocation.argv)
    if found is None and invocation.argv[:1] and invocation.argv[0].startswith("--local"):
        found = _command(code, invocation, invocation.argv[1:])
    return found or _script_command(code, invocation)


def _script_command(code: str, invocation: Invocation) -> SpannedCommand | None:
    """The code's only command, if it starts a shell script that hands words on: `bash dist_train.sh CONFIG 8 --amp`.

    Which of its words arrive where, and which the script keeps for itself, only the check can tell.
    """
    if invocation.program.endswith(".sh"):
        return None
    nodes = list(_commands(parse_shell(code).root_node))
    if len(nodes) != 1:
        return None
    name = nodes[0].child_by_field_name("name")
    words = [child for child in nodes[0].children_by_field_name("argument") if child.is_named]
    at = next((at for at, word in enumerate([name, *words]) if word and (literal(word) or "").endswith(".sh")), None)
    given = [literal(word) or "" for word in words[at:]] if at is not None else []
    if at is None or not (not given or any(_reaches(word, invocation.argv) for word in given)):
        return None
    return SpannedCommand(nodes[0].start_byte, nodes[0].end_byte, tuple(words[at:]))


def _reaches(word: str, argv: Sequence[str]) -> bool:
    """Whether a program gets a word of a script, or a word made of it: `$1/train.txt`."""
    return word in argv or (len(word) >= _SHORTEST and any(word in each for each in argv))


def _command(code: str, invocation: Invocation, wanted: Sequence[str]) -> SpannedCommand | None:
    found = None
    for node in _commands(parse_shell(code).root_node):
        arguments = [child for child in node.children_by_field_name("argument") if child.is_named]
        tail = _tail(arguments, wanted)
        if tail is None:
            continue
        head = (node.text or b"").decode(errors="replace")
        if not wanted and invocation.program.rpartition("/")[2].removesuffix(".py") not in head:
            continue
        found = SpannedCommand(node.start_byte, (arguments or [node])[-1].end_byte, tuple(tail))
    return found


def _tail(arguments: Sequence[tree_sitter.Node], wanted: Sequence[str]) -> Sequence[tree_sitter.Node] | None:
    """The last words of a command that stand for all that the program got; None if there are none.

    A word with a pattern, `photos/*.jpg`, may stand for several files.
    """
    left = len(wanted)
    at = len(arguments)
    while left and at:
        at -= 1
        said = literal(arguments[at])
        if said is not None and not is_word(said, wanted[left - 1]):
            return None
        left -= 1
        text = (arguments[at].text or b"").decode(errors="replace")
        pattern = re.compile(fnmatch.translate(text)) if said is None and "*" in text else None
        while pattern is not None and left and pattern.match(wanted[left - 1]):
            left -= 1
    return None if left else arguments[at:]


def _commands(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type == "command":
            yield node
        elif node.type not in LOOPS:
            todo += reversed(node.children)


def literal(word: tree_sitter.Node) -> str | None:
    """The text of this word for bash, as written if it is below the home folder; None if it depends on the run."""
    text = (word.text or b"").decode(errors="replace")
    if BELOW_HOME.fullmatch(text):
        return text
    outside = re.sub(r"'[^']*'", "", text)
    if _MOVING.search(outside) or ("{" in outside and "," in outside):
        return None
    try:
        read = shlex.split(text)
    except ValueError:
        return None
    return read[0] if len(read) == 1 else None


def is_word(said: str, found: str) -> bool:
    """Whether bash makes this word of what is written; it puts the home folder before `~/data`."""
    return found == said or (BELOW_HOME.fullmatch(said) is not None and found.endswith(said.removeprefix("~")))
