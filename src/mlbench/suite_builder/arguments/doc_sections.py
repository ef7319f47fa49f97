"""Reads the part of a page that a person reads for a task."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from mlbench.repositories.documents import lines_of, text_of
from mlbench.suite_builder.types import DraftTask

LONGEST_PAGE = 20_000
_RULE = re.compile(r"([=\-~^\"'*+#`:._])\1{2,}[ \t]*")


def section_of(task: DraftTask, repository: Path) -> str:
    """The page's text from the heading above the task's code to the next heading.

    Args:
        task: the task.
        repository: its checkout.
    """
    lines = lines_of_page(repository, task.block.page, (1, LONGEST_PAGE)).splitlines()
    first, last = task.block.lines
    fences = accumulate(line.lstrip().startswith("```") for line in lines)  # a comment in code is no heading
    heads = [
        at
        for at, (line, open_) in enumerate(zip(lines, fences, strict=True), 1)
        if re.match(r"#{1,6} ", line) and open_ % 2 == 0
    ]
    if task.block.page.endswith(".rst"):  # a title with a line under it
        below = pairwise(lines)
        heads = [at for at, (line, rule) in enumerate(below, 1) if _RULE.fullmatch(rule) and _is_title(line, rule)]
    start = max((at for at in heads if at <= first), default=1)
    end = min((at for at in heads if at > last), default=len(lines) + 1)
    return "\n".join(lines[start - 1 : end - 1])


def _is_title(line: str, rule: str) -> bool:
    """Whether a line of reST is the title above a rule: not blank, not indented, no rule itself, and not longer."""
    return (
        bool(line.strip()) and not line[0].isspace() and not _RULE.fullmatch(line) and len(line.rstrip()) <= len(rule)
    )


@lru_cache(maxsize=512)
def lines_of_page(repository: Path, page: str, lines: tuple[int, int]) -> str:
    """The text of some lines of a page; empty if it cannot be read."""
    file = repository / page
    try:
        if not file.resolve().is_relative_to(repository.resolve()):
            return ""
        return "".join(lines_of(text_of(file))[lines[0] - 1 : lines[1]])
    except (OSError, ValueError):
        return ""
