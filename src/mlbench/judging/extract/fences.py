"""Read one fenced block: its end and its content."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlbench.judging.extract.blocks import LABELS, label_of
from mlbench.shell.languages import LONGEST, language_of, looks_like_shell

WRAPPERS = ("markdown", "md", "mdx")
"""Labels of blocks that hold Markdown with the answer inside."""
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_TRIES = 6


@dataclass(frozen=True)
class Fence:
    """A fenced block: its text, label, file name and end, and whether the reply ends before it."""

    code: str
    label: str
    file: str
    end: int
    cut: bool = False


def fence_at(text: str, start: int, ticks: str) -> Fence | None:
    """The block whose fence opens at `start`; None if the fence opens nothing."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    info = text[start + len(ticks) : line_end]
    if ticks in info:
        return _one_line(info[: info.index(ticks)], start + len(ticks), len(ticks))
    if ticks[0] == "`" and "`" in info:
        return None
    label, file = label_of(info)
    code, end, cut = _content(text, line_end + 1, ticks, label)
    depth = text[line_start:start].count(">") if _QUOTE.match(text, line_start, start) else 0
    if depth:
        code = re.sub(rf"^[ \t]*(?:>[ \t]?){{1,{depth}}}", "", code, flags=re.M)
    if not code.strip() and looks_like_shell(info.strip()) and " " in info.strip():
        return Fence(info.strip(), "", "", end, cut)  # the command stands where the label should
    return Fence(code, label, file, end, cut)


def _one_line(content: str, start: int, width: int) -> Fence | None:
    word, _, rest = content.strip().partition(" ")
    end = start + len(content) + width
    is_command = looks_like_shell(content.strip()) and not looks_like_shell(rest.strip())
    if word.lower() in LABELS and rest.strip() and not is_command:
        return Fence(rest.strip(), word.lower(), "", end)
    return Fence(content.strip(), "", "", end) if " " in content.strip() else None


def _content(text: str, start: int, ticks: str, label: str) -> tuple[str, int, bool]:
    """The text up to the closing fence, the position after it, and whether it closes.

    A bare fence closes. If a reply forgets it, or glues it to the code, the text that parses decides.
    """
    sign, width = re.escape(ticks[0]), len(ticks)
    mark = re.compile(rf"^(?P<lead>[ \t>]*|.*?[^{sign}\n])(?P<run>{sign}{{{width},}})(?P<rest>[^{sign}\n]*)$", re.M)
    closers: list[tuple[str, int, int]] = []  # how, where the code ends, where the block ends
    depth = 0
    for found in mark.finditer(text, min(start, len(text))):
        bare = not found["lead"].strip(" \t>") and not found["rest"].strip()
        opens = not found["lead"].strip(" \t>") and bool(found["rest"].strip())
        if label in WRAPPERS and len(found["run"]) == width:
            depth += opens - bare
            if depth >= 0:
                continue
        if bare:
            closers.append(("bare", found.start(), found.end()))
        elif opens:
            closers.append(("opens", found.start(), found.start()))
        else:
            closers.append(("glued", found.start("run"), found.end("run")))
        if bare and (len(closers) == 1 or label in WRAPPERS):
            break
        if len(closers) >= _TRIES:
            break
    if not closers:
        return re.sub(r"\n[ \t]*[`~]{1,2}\s*\Z", "\n", text[start:]), len(text), True
    kind = LABELS.get(label)
    if closers[0][0] != "bare" and closers[0][1] - start <= LONGEST and label not in WRAPPERS:
        for _, code_end, block_end in closers:
            if language_of(text[start:code_end], kind).kind:
                return text[start:code_end], block_end, False
    _, code_end, block_end = next((each for each in closers if each[0] == "bare"), closers[0])
    return text[start:code_end], block_end, False
