"""The outcome that a recipe declares: the files and the figures that its reference leaves."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

NUMBER = "<number>"
"""Placeholder for a number in a pattern; it is a group."""
_A_NUMBER = r"([-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|nan|inf))"


def expression(pattern: str) -> str:
    """The regular expression of a pattern."""
    return pattern.replace(NUMBER, _A_NUMBER)


def _pattern(text: str) -> str:
    try:
        compiled = re.compile(expression(text))
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    if not compiled.groups:
        raise ValueError(f"{text!r} has no group: what stands in its groups is compared")
    return text


def _glob(text: str) -> str:
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError(f"{text!r} leads out of the repository")
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]
Glob = Annotated[str, AfterValidator(_glob)]


class FileSpec(BaseModel):
    """Files that the reference writes.

    Attributes:
        path: a glob, relative to the sample's folder.
        named: the instruction names the path, so the files must be there; else any path will do.
        volatile: JSON keys, CSV columns or array names that are not compared (seconds, paths).
        rtol, atol: relative and absolute tolerance of numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: Glob
    named: bool = False
    volatile: tuple[str, ...] = ()
    rtol: float = Field(default=1e-4, ge=0, lt=1)
    atol: float = Field(default=1e-8, ge=0)


class Relation(BaseModel):
    """The variables of the free input and of the result, for a reference that prints shapes.

    Attributes:
        result: the variable of the result.
        input: the variable of the free input; empty if there is none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    result: str
    input: str = ""


class OutcomeSpec(BaseModel):
    """The outcome of a correct run.

    Attributes:
        files: written files.
        prints: regular expressions over the reference's output (`^` and `$` match at lines, `<number>` is a number).
            An answer must print each group of each match, in any words and order.
        relation: for a free input, how the result follows from it; such a reference prints shapes.
        progress: a regular expression that matches once per printed unit of work; required if a reference may still run
            at the time limit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    files: tuple[FileSpec, ...] = ()
    prints: tuple[Pattern, ...] = ()
    relation: Relation | None = None
    progress: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> OutcomeSpec:
        if not self.files and not self.prints:
            raise ValueError("declares neither files nor prints")
        return self

    @property
    def weak(self) -> bool:
        """Whether the outcome does not depend on the input, so that only the relation can tell."""
        return self.relation is not None
