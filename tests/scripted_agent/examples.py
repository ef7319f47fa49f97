"""The examples in documents: commands and Python code, with the words around them and the folder that they run in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt

from mlbench.records import Kind
from tests.scripted_agent.words import rarities, stems

_SETS = re.compile(r"\s*(?:export\s+)?\w+=\S*\s*$")
_INSTALLS = re.compile(r"\s*(?:sudo |!)?(?:pip3?|conda|apt(?:-get)?|git clone|python3? -m pip)\b")
_PROGRAM = re.compile(
    r"(?:python3?(?: -u)?\s+|bash\s+|sh\s+|\./)([\w./-]+\.(?:py|sh))|(?<![\w/.-])([a-z][\w-]*-[\w-]+)"
)
_USAGE = re.compile(r"\.sh\s+\[?[A-Z]{3,}\]?\s+\[?[A-Z]{3,}")
_TESTS = re.compile(r"unittest|pytest|create_vocab")


@dataclass(frozen=True)
class Where:
    """The document that an example stands in, its line there (from 0), and the headings above it."""

    document: str
    line: int
    heading: str


@dataclass(frozen=True)
class Example:
    """An example in a document.

    Attributes:
        code: one command with what is set before it, or a block of Python.
        program: the path of what it starts, from the root; a bare name for a console script; empty for Python code.
        cwd: the folder that it runs in, from the root.
        words: the text beside it.
    """

    kind: Kind
    code: str
    where: Where
    program: str = ""
    cwd: str = "."
    setup: tuple[str, ...] = ()
    words: str = field(default="", repr=False)


def examples(documents: Mapping[str, str], files: Sequence[str]) -> list[Example]:
    """All examples in the documents, in their order."""
    found: list[Example] = []
    for path, text in documents.items():
        lines = text.split("\n")
        heading: list[str] = []
        tokens = MarkdownIt("commonmark").parse(text)
        for position, token in enumerate(tokens):
            if token.type == "inline" and tokens[position - 1].type == "heading_open":
                level = int(tokens[position - 1].tag[1])
                heading = [*heading[: level - 1], token.content]
            if token.type not in ("fence", "code_block") or not token.map:
                continue
            code = token.content.strip("\n")
            where = Where(path, token.map[0], " ".join(heading))
            around = _around(lines, token.map[0], token.map[1])
            if re.search(r"^(?:from|import) \w", code, re.M):
                found.append(Example("python", code, cwd=_python_cwd(code, path, files), words=around, where=where))
            else:
                found += _commands(code, path, files, around, where)
    return found


def _around(lines: list[str], start: int, end: int) -> str:
    """The text of the section that the block stands in: between the headings before and behind it."""
    first = next((n for n in range(start - 1, -1, -1) if lines[n].startswith("#")), 0)
    last = next((n for n in range(end, len(lines)) if lines[n].startswith("#")), len(lines))
    return "\n".join(lines[first:start] + lines[end:last])


def _commands(code: str, path: str, files: Sequence[str], around: str, where: Where) -> list[Example]:
    found: list[Example] = []
    cwd, setup = posixpath.dirname(path) or ".", list[str]()
    for line in re.sub(r"\\\n\s*", " ", code).split("\n"):
        line = re.sub(r"^\s*\$ ", "", line).split("  #")[0].strip()
        if not line or line.startswith("#") or _INSTALLS.match(line) or _TESTS.search(line):
            continue
        if _SETS.match(line):
            setup.append(line.strip())
            continue
        if moved := re.match(r"cd (\S+)(?:\s*&&\s*(.*))?$", line):
            cwd = posixpath.normpath(posixpath.join(cwd, moved[1]))
            line = moved[2] or ""
        line = line.replace('"$@"', "").strip()
        started = _PROGRAM.search(line)
        if not started:
            continue
        place = _placed(started[1], cwd, files) if started[1] else (started[2], ".")
        if place is None or (started[2] and not line.startswith(started[2])):
            continue
        found.append(
            Example("shell", line, program=place[0], cwd=place[1], setup=tuple(setup), words=around, where=where)
        )
    return found


def _placed(program: str, cwd: str, files: Sequence[str]) -> tuple[str, str] | None:
    """The program's path and the folder it starts in: the document's, the root, or the one where it stands."""
    for folder in (cwd, "."):
        path = posixpath.normpath(posixpath.join(folder, program))
        if path in files:
            return path, folder
    for path in files:
        if path.endswith("/" + program):
            return path, path[: -len(program) - 1]
    return None


def _python_cwd(code: str, path: str, files: Sequence[str]) -> str:
    """The folder from which the code's imports are found: the document's if a module stands there, else the root."""
    folder = posixpath.dirname(path) or "."
    modules = re.findall(r"^\s*(?:from|import) (\w+)", code, re.M)
    for place in (folder, ".", *dict.fromkeys(posixpath.dirname(f) or "." for f in files)):
        names = [posixpath.normpath(posixpath.join(place, name)) for name in modules]
        if any(f"{name}.py" in files or f"{name}/__init__.py" in files for name in names):
            return place
    return "."


def ranked(found: Sequence[Example], instruction: str) -> list[Example]:
    """The examples by how much of what is special to them stands in the instruction; the best first."""
    bags = [
        (
            set(stems(each.code)),
            set(stems(each.where.heading + " " + posixpath.basename(each.program))),
            set(stems(each.words)),
        )
        for each in found
    ]
    rarity = rarities(code | head | words for code, head, words in bags)
    wanted = set(stems(instruction))
    scores = {}
    for position, (code, head, words) in enumerate(bags):
        shared = sum(rarity[w] * 2 for w in head & wanted) + sum(rarity[w] for w in (code - head) & wanted)
        scores[position] = shared + sum(rarity[w] * 0.6 for w in (words - code - head) & wanted)
        scores[position] -= 5 * bool(_USAGE.search(found[position].code))
    return [found[n] for n in sorted(scores, key=lambda n: (-scores[n], -len(found[n].code)))]
