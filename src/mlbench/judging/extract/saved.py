"""Files that a reply asks to save, and the command that starts them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mlbench.judging.extract.blocks import ReplyBlock, file_in

_SAVES = r"sav(?:e|ed|ing)|creat(?:e|ed|ing)|writ(?:e|ten|ing)|put|stor(?:e|ed)|copy|paste|make|new file"
_STRONG = re.compile(rf"\b(?:{_SAVES})\b", re.IGNORECASE)
_WEAK = re.compile(
    rf"\b(?:{_SAVES}|nam(?:e|ed)|call(?:ed)?|contents?|contains|containing|where|script|file)\b", re.IGNORECASE
)
_EDITS = re.compile(
    r"\b(?:modif\w+|edit\w*|chang\w+|open|in|inside|add|append|from|see|has|run|running|use)\b", re.IGNORECASE
)
_FIRST_COMMENT = re.compile(
    r"\A\s*#(?!!)\s*(?:file(?:name)?\s*:\s*)?([\w./-]*\w\.(?:py|sh))\s*(?:\n|\Z)", re.IGNORECASE
)

_WRITTEN = re.compile(r"\A\s*%%writefile[ \t]+(?:-a[ \t]+)?([\w./-]{1,200})[ \t]*\n")


def names_of(blocks: Sequence[ReplyBlock]) -> dict[int, str]:
    """The file name that the reply gives each block, by the block's position."""
    names: dict[int, str] = {}
    for at, block in enumerate(blocks):
        if cell := _WRITTEN.match(block.code):
            names[at] = cell[1]
            continue
        comment = _FIRST_COMMENT.match(block.code)
        if block.file or comment:
            names[at] = block.file or (comment[1] if comment else "")
            continue
        name = said_name(block.before)
        if not name:
            continue
        is_for_before = at > 0 and (at - 1) not in names and _starts(block.code, name)
        names[at - 1 if is_for_before else at] = name
    return names


def said_name(before: str) -> str:
    """The file name in the sentence before a block, if it asks to save or is only the name."""
    lines = [line for line in before[-600:].split("\n") if line.strip()]
    if not lines:
        return ""
    line = re.sub(r"[*#>`\"']+", " ", lines[-1])
    name = file_in(line)
    if not name:
        return ""
    rest = line.replace(name, " ")
    if not re.search(r"\w", re.sub(r"^\s*(?:\d+[.)]|file(?:name)?)", "", rest, flags=re.IGNORECASE)):
        return name
    clause = rest if len(rest) < 200 else rest[-200:]
    saves = (_WEAK if name.endswith((".py", ".sh", ".bash")) else _STRONG).search(clause)
    edits = _EDITS.search(clause[: saves.start()] if saves else clause)
    return name if saves and not edits else ""


def _starts(code: str, name: str) -> bool:
    return (
        re.search(rf"(?<![\w.-]){re.escape(name.rpartition('/')[2])}(?![\w.-])", code) is not None and len(code) < 500
    )


def same_file(started: str, name: str) -> bool:
    """Whether `./run.py` or `scripts/run.py` may be the saved `run.py`."""
    return started.rpartition("/")[2] == name.rpartition("/")[2]


def mentions(code: str, name: str) -> bool:
    """Whether code names a file, or imports it as a module."""
    base = name.rpartition("/")[2]
    module = re.escape(base.removesuffix(".py"))
    imported = rf"|\b(?:from|import)[ \t]+{module}\b" if base.endswith(".py") else ""
    return re.search(rf"(?<![\w.-]){re.escape(base)}(?![\w.-]){imported}", code) is not None


def composed(files: Mapping[str, str], commands: str) -> str:
    """A script that writes files, then runs commands."""
    parts = []
    for name, code in files.items():
        end = "EOF"
        while re.search(rf"^{end}$", code, re.M):
            end += "_"
        folder = name.rpartition("/")[0]
        parts += [f"mkdir -p {folder}"] if folder and folder != "." else []
        parts.append(f"cat > {name} <<'{end}'\n{code.strip(chr(10))}\n{end}")
    return "\n".join([*parts, commands])
