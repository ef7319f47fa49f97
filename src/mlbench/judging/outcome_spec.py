"""What a recipe declares of its outcome: the files that its reference writes and the figures that it prints."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

NUMBER = "<number>"
"""What stands for a number in a pattern, as a group."""
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

    path: a glob, from the sample's folder.
    named: the instruction names the place, so they must stand there; else anywhere will do.
    volatile: JSON keys, CSV columns or array names that are not compared (seconds, paths).
    rtol, atol: how far numbers may be off, relative to the reference's and absolute.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: Glob
    named: bool = False
    volatile: tuple[str, ...] = ()
    rtol: float = Field(default=1e-4, ge=0, lt=1)
    atol: float = Field(default=1e-8, ge=0)


class Relation(BaseModel):
    """Of a reference that prints no more than a shape: the variables of its free input, if any, and of its result."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    result: str
    input: str = ""


class OutcomeSpec(BaseModel):
    """What doing the task leaves behind.

    files: what is written.
    prints: regular expressions over what the reference prints (`^` and `$` match at lines, `<number>` is a number);
        each group of each match is a figure or words that an answer has to print, too, in whatever words and order.
    relation: for a free input, what holds between it and the result; such a reference prints shapes.
    progress: a regular expression that matches once for each piece of work that is printed as it is done; needed where
        a reference may still run at the time limit.
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
        """Whether what is left does not hang on the input, so that only a relation can tell."""
        return self.relation is not None
