"""Frozen records that the builder's steps hand on (the paper's figure 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from mlbench.records import Check, Kind
from mlbench.repositories.documents import Format

_DEPRECATED = re.compile(r"\b(?:deprecated|obsolete|no longer (?:supported|maintained))\b", re.I)

Step = Literal["readmes", "tasks", "arguments", "combinations", "instructions", "references", "quality"]


@dataclass(frozen=True)
class BuildDecision:
    """A step's decision on one subject: a line of the step's file.

    Attributes:
        subject: what it is about: `README.md`, `README.md:12-15`, `train-arma`, `train-arma.learning_rate`, a row.
        reason: a stable code; may be empty if the subject is kept.
        why: one sentence for a reader.
        code: of a piece of documentation, what stands there.
        kind: the language of that code, if a task can be made of it.
        like: the subject that stands for this one, if `reason` says that one is enough.
    """

    step: Step
    subject: str
    kept: bool
    reason: str = ""
    why: str = ""
    code: str = ""
    kind: Kind | Literal[""] = ""
    like: str = ""

    @property
    def varies_not(self) -> bool:
        """Whether a command makes no task because nothing in it can vary."""
        return self.reason in ("too-few-arguments", "too-few-values")


@dataclass(frozen=True)
class DocPage:
    """A document of the repository, as `repositories.documents.text_of` reads it."""

    path: str
    format: Format
    text: str


@dataclass(frozen=True)
class CodeBlock:
    """A piece of code in a page, with the prose about it.

    Attributes:
        lines: first and last line of the code, from 1.
        segment: lines of the code with its prose: what a person would need to read.
        headings: from the page's title down to the section.
        prose: the text about it, without markup.
        language: what its fence or directive names, or what it parses as; may be empty.
        code: without prompts (`$`, `>>>`) and printed output.
        beside: in Python, the other examples of its section.
        setup: in Python, the headings of another section whose code it needs; empty if it needs none.
        is_heading_shared: whether the page has another heading with the text of the nearest one.
        cut: in Python, the code with which its section goes on, and which cannot be run; empty if there is none.
        lead: the paragraph that ends directly above it; empty if that is also about other code.
    """

    page: str
    lines: tuple[int, int]
    segment: tuple[int, int]
    headings: tuple[str, ...]
    prose: str
    language: Kind | Literal[""]
    code: str
    beside: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    is_heading_shared: bool = False
    cut: str = ""
    lead: str = ""

    @property
    def is_deprecated(self) -> bool:
        """Whether a heading below the page's title says that its section is out of date."""
        return _DEPRECATED.search(" ".join(self.headings[1:])) is not None


@dataclass(frozen=True)
class DraftTask:
    """One command or piece of Python that the repository accepts.

    Attributes:
        name: unique in the repository: `train-arma`.
        path: the folder it runs in, from the repository's root: `.` or `./examples/arma`.
        code: the command alone (a `cd` before it is part of `path`), or the Python.
        program: the program's path in the repository; for Python, the file of the most important function.
        check: the interface check of `code` in `path`; accepted.
        filled: how many placeholders of the page have a value that we chose.
        attested: how many have the value of another command of the program.
        family: the other commands of its form in its section, or else on its page; each with its own code.
        programs: of commands in which nothing varies, each with what it does; see `fixed_commands`.
    """

    name: str
    block: CodeBlock
    kind: Kind
    path: str
    code: str
    program: str
    check: Check
    filled: int = 0
    attested: int = 0
    family: tuple[CodeBlock, ...] = ()
    programs: tuple[tuple[str, DraftTask], ...] = ()


@dataclass(frozen=True)
class DraftArgument:
    """One setting of a task that people vary.

    Attributes:
        name: for prose and for the `arguments` column: `learning_rate`.
        place: the destination in the program's configuration, or `function.parameter`.
        said: its name in an instruction: `learning rate`.
        option: its option on the command line (`--lr`); empty for a positional and in Python.
        values: by the way a value is said, the words of the value; none for an absent switch. The interface check
            accepted each value and found it at `place`.
        choices: the values that the program allows, as text; empty for any.
        default: the program's default.
        help: the program's or documentation's description.
        spans: bytes of the code that hold its value; none if the code does not give it and the reference adds it.
        owner: in Python, the class or function that it belongs to, if the code calls several.
        bound: whether it may depend on other settings, so that no two such ones leave the example's values together.
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
    owner: str = ""
    bound: bool = False


@dataclass(frozen=True)
class RecipeDraft:
    """A task with its arguments and the template of its reference (Jinja, as in a recipe).

    Attributes:
        exclude: combinations that the program refuses or that make no sense, as in a recipe.
        fixed: the settings of the command that no argument changes, each with its one value; an empty `said` means
            that there are no words for it. In Python they are not listed.
        together: what the commands of a section set side by side, as in a recipe.
        followers: the settings of `together` that are no arguments.
    """

    task: DraftTask
    arguments: tuple[DraftArgument, ...]
    reference: str
    exclude: tuple[dict[str, tuple[str, ...]], ...] = ()
    fixed: tuple[DraftArgument, ...] = ()
    about: str = ""
    section: str = ""
    together: tuple[dict[str, tuple[str, ...]], ...] = ()
    followers: tuple[DraftArgument, ...] = ()
