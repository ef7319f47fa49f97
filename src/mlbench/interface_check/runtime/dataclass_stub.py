"""Classes that a decorator of a missing library turns into dataclasses: flax's, chex's, attrs'."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

_DECORATOR = re.compile(r"(?:^|\.)(?:dataclass|define|frozen|mutable|attrs|attr\.s)(?:\(\))?$")


def makes_dataclasses(name: str) -> bool:
    """Whether a stub with this name, as a decorator, makes dataclasses."""
    return _DECORATOR.search(name) is not None


def as_dataclass(made: type) -> type:
    """Return the class with a constructor that takes its fields; any arguments if the fields cannot be read."""
    if "__init__" in vars(made):
        return made
    if "__annotations__" in vars(made):
        import dataclasses  # only here: watched interpreters start without it

        try:
            return dataclasses.dataclass(made)
        except (TypeError, ValueError):  # a default that only the library can read
            pass

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            object.__setattr__(self, name, value)

    setattr(made, "__init__", __init__)  # noqa: B010  mypy refuses the assignment
    return made
