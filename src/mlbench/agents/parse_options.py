"""An agent's options by their names, as a command line or a log has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from mlbench.records import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


def from_names(kind: type[Options], agent: str, given: Options | Mapping[str, Any] | None) -> Options:
    """The options of an agent, from an object or from their names.

    Raises:
        UsageError: one is unknown, or cannot be.
    """
    if isinstance(given, kind):
        return given
    assert given is None or isinstance(given, Mapping)
    known = [each.name for each in fields(kind)]
    for name in given or {}:
        if name not in known:
            raise UsageError(f"{agent}: no option {name!r}; there are: {', '.join(known)}")
    return kind(**(given or {}))
