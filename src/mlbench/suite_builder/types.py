"""What the steps of the builder hand to one another (the paper's figure 4), frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mlbench.records import Check, Kind
from mlbench.repositories.documents import Format

Step = Literal["readmes", "tasks", "arguments", "combinations", "instructions", "references", "quality"]


@dataclass(frozen=True)
class BuildDecision:
    """What a step made of one subject, and why: a line of the step's file.

    Attributes:
        subject: what was decided on: `README.md`, `README.md:12-15`, `train-arma`, `train-arma.learning_rate`, a row.
        reason: a stable code; empty where it is kept without a word.
        why: one sentence for a reader.
    """

    step: Step
    subject: str
    kept: bool
    reason: str = ""
    why: str = ""


@dataclass(frozen=True)
class DocPage:
    """A document of the repository, as `repositories.documents.text_of` reads it."""

    path: str
    format: Format
    text: str


@dataclass(frozen=True)
class CodeBlock:
    """A piece of code in a page with the prose that speaks of it.

    Attributes:
        lines: of the code itself, first and last, from 1.
        segment: lines of the code with its prose: what a person would need to read.
        headings: from the page's title down to the section.
        prose: what is said of it, as plain text.
        language: what its fence or directive says, or what it parses as; empty where neither.
        code: without prompts (`$`, `>>>`) and without what was printed.
    """

    page: str
    lines: tuple[int, int]
    segment: tuple[int, int]
    headings: tuple[str, ...]
    prose: str
    language: Kind | Literal[""]
    code: str


@dataclass(frozen=True)
class DraftTask:
    """One command, or one piece of Python, that the repository accepts.

    Attributes:
        name: unique in the repository: `train-arma`.
        path: the folder it runs in, from the repository's root: `.` or `./examples/arma`.
        code: the command alone (a `cd` before it went into `path`), or the Python.
        program: path of the program in the repository; for Python the file of the function that matters.
        check: what the interface check says of `code` in `path`; accepted.
    """

    name: str
    block: CodeBlock
    kind: Kind
    path: str
    code: str
    program: str
    check: Check


@dataclass(frozen=True)
class DraftArgument:
    """One setting of a task that people vary.

    Attributes:
        name: for prose and for the `arguments` column: `learning_rate`.
        place: the destination in the program's configuration, or `function.parameter`.
        said: what it is called in an instruction: `learning rate`.
        option: how the command line names it (`--lr`); empty for a positional and in Python.
        values: by the words in which it is said, the words of the wanted value; none for a switch left out. Each was
            accepted by the interface check, and each arrives at `place`.
        choices: what the program allows, as text; empty where it is free.
        default: what the program takes where nothing is given.
        help: what the program or the documentation says of it.
        spans: bytes of the code that hold its value; none where the code does not give it and the reference adds it.
    """

    name: str
    place: str
    said: str
    option: str
    values: dict[str, tuple[str, ...]]
    choices: tuple[str, ...] = ()
    default: Any = None
    help: str = ""
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class RecipeDraft:
    """A task with its arguments and the template of its reference (Jinja, as in a recipe).

    Attributes:
        exclude: combinations that the program refuses or that make no sense, as in a recipe.
    """

    task: DraftTask
    arguments: tuple[DraftArgument, ...]
    reference: str
    exclude: tuple[dict[str, tuple[str, ...]], ...] = ()
