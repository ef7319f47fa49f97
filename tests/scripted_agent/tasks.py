"""What is asked for, read from the words that an agent passes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlbench.records import Kind

_INSTRUCTION = re.compile(r"<instruction>\s*(.*?)\s*</instruction>", re.DOTALL)
_PREFIX = re.compile(
    r"These lines have to stand at the beginning of run\.sh, after a `cd` to `([^`]*)`:\n(.*?)\n\n|\Z", re.S
)
_PYTHON = re.compile(r"^Python code is wanted|Write the Python code that does this", re.M)


@dataclass(frozen=True)
class Task:
    """The instruction, the kind of answer, and what has to stand before it.

    Attributes:
        prefix: lines that have to stand at the beginning, and `prefix_folder` where.
    """

    instruction: str
    kind: Kind = "shell"
    repository: str = ""
    prefix: str = ""
    prefix_folder: str = ""


def task_of(text: str) -> Task:
    """The task in a text; all of it is the instruction where nothing is marked as such."""
    found = _INSTRUCTION.findall(text)
    prefix = _PREFIX.search(text)
    repository = re.search(r"repository (?:is called )?([\w.-]+?)(?:\.\s| is in)", text)
    return Task(
        instruction=found[-1] if found else text.strip(),
        kind="python" if _PYTHON.search(text) else "shell",
        repository=repository[1] if repository else "",
        prefix=prefix[2] or "" if prefix else "",
        prefix_folder=prefix[1] or "" if prefix else "",
    )
