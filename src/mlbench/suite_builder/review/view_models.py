"""The JSON models of the review page: the list of tasks, and one task with its details."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mlbench.suite_builder.review.findings import Remark
from mlbench.suite_builder.review.rows import ReviewRow
from mlbench.suites.recipes import Recipe, Words
from mlbench.suites.rows import TEST_TEMPLATES

State = Literal["open", "accepted", "rejected", "broken"]


@dataclass(frozen=True)
class EntryView:
    """A task in the list.

    Attributes:
        failing: how many of its shown rows failed the quality check.
        excluded: how many rows a person rejected.
    """

    repository: str
    task: str
    state: State
    type: str
    failing: int
    excluded: int


@dataclass(frozen=True)
class Overview:
    """The whole suite.

    Attributes:
        note: a remark on the whole suite; usually empty.
        decided: how many decisions can be undone.
    """

    suite: str
    entries: tuple[EntryView, ...]
    note: str
    decided: int


@dataclass(frozen=True)
class Value:
    said: str
    words: Words


@dataclass(frozen=True)
class ArgumentView:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Template:
    text: str
    part: Literal["test", "training"]


@dataclass(frozen=True)
class SegmentView:
    """The documentation segment; `fault` says why there is no text, or that it changed."""

    file: str
    first: int
    last: int
    text: str
    fault: str = ""


@dataclass(frozen=True)
class Body:
    """The content of a readable recipe."""

    type: str
    path: str
    program: str
    note: str
    segment: SegmentView
    reference: str
    prefix: str
    example: str
    arguments: tuple[ArgumentView, ...]
    exclude: tuple[Mapping[str, Words], ...]
    instructions: tuple[Template, ...]
    rows: tuple[ReviewRow, ...]


@dataclass(frozen=True)
class RecipeView:
    """One task.

    Attributes:
        version: the version of the file as shown; a request to store names it.
        text: the recipe file, which editing changes.
        fault: why it cannot be read; `body` is then None.
        faults: what is wrong with it as far as can be seen without its program.
    """

    repository: str
    task: str
    state: State
    why: str
    version: str
    text: str
    fault: str = ""
    body: Body | None = None
    faults: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


def state_of(recipe: Recipe) -> State:
    """Whether the recipe is accepted, rejected or open."""
    if recipe.rejected:
        return "rejected"
    return recipe.reviewed or "open"


def body_of(recipe: Recipe, segment: SegmentView, rows: tuple[ReviewRow, ...]) -> Body:
    """The content of a recipe for the page.

    Args:
        recipe: the recipe.
        segment: its documentation.
        rows: some of its rows.
    """
    standing = [row for row in rows if not row.rejected]
    return Body(
        type=recipe.type,
        path=recipe.path,
        program=recipe.program,
        note=recipe.note,
        segment=segment,
        reference=recipe.reference,
        prefix=recipe.prefix_code,
        example=standing[0].reference if standing else "",
        arguments=tuple(
            ArgumentView(name, tuple(Value(said, words) for said, words in values.items()))
            for name, values in recipe.arguments.items()
        ),
        exclude=recipe.exclude,
        instructions=tuple(
            Template(text, "test" if number < TEST_TEMPLATES else "training")
            for number, text in enumerate(recipe.instructions)
        ),
        rows=rows,
    )
