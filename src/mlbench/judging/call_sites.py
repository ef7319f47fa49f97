"""Call sites: the started programs and the called functions of the repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mlbench.judging.values import flattened
from mlbench.records import Configuration, Invocation, RepositoryCall

PROGRAM, ENVIRONMENT = "program", "environment "
"""Destinations that are no options: the program itself, and the prefix of environment variables."""
CALL = "the call of an object"
_CALLS = ("__call__", "forward")  # a module of torch has a `__call__` that calls `forward`
_MOST_PLAIN = 16  # a longer list is data


@dataclass(frozen=True)
class CallSite:
    """One started program, or one call of a function.

    Attributes:
        name: the program's path, or the function's dotted name.
        values: value by destination or parameter, flattened.
        given: destinations that are set explicitly.
        options: option strings by destination.
        inputs: digests of the files and folders that its values name; see `Invocation`.
    """

    name: str
    values: Configuration
    given: frozenset[str] = frozenset()
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cwd: str = "."
    is_program: bool = False
    inputs: dict[str, str] = field(default_factory=dict)


def call_sites(invocations: Iterable[Invocation]) -> list[CallSite]:
    """The programs and calls of some invocations, in order."""
    done = []
    for invocation in invocations:
        if invocation.how == "code":
            done += [_called(call, invocation.cwd) for call in invocation.calls]
        else:
            variables = {ENVIRONMENT + name: value for name, value in invocation.env.items()}
            values = {**flattened(invocation.configuration), **variables}
            given = frozenset(
                name for name in values if name.partition(".")[0] in invocation.given or name in variables
            )
            given |= frozenset(name for name in values if name in invocation.given)
            rest = invocation.options, invocation.cwd, True, invocation.inputs
            done.append(CallSite(invocation.program, values, given, *rest))
    return done


def _called(call: RepositoryCall, cwd: str) -> CallSite:
    values = flattened(call.arguments)
    given = frozenset(name for name in values if name.partition(".")[0] in call.given)
    function = call.function.removesuffix(".__init__")  # a subclass in the answer calls it on the base class
    if function.rpartition(".")[2] in _CALLS:
        return _of_object(values, given, cwd)
    return CallSite(function, values, given, {}, cwd)


def _of_object(values: Mapping[str, Any], given: frozenset[str], cwd: str) -> CallSite:
    """A call of an object through `__call__` or `forward`; its arrays are compared by position."""
    plain = {name: value for name, value in values.items() if is_plain(value)}
    opaque = [each for value in values.values() if not is_plain(value) for each in _each(value)]
    found = {f"input {position}": value for position, value in enumerate(opaque, 1)}
    return CallSite(CALL, {**plain, **found}, given & plain.keys() | found.keys(), {}, cwd)


def _each(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) and not all(is_plain(each) for each in value) else [value]


def is_plain(value: Any) -> bool:
    """Whether a value is complete in itself: no array, no object, no long list of data."""
    if isinstance(value, dict):
        return value.get("!") in ("path", "enum", "float", "file")
    if isinstance(value, list):
        return len(value) <= _MOST_PLAIN and all(is_plain(each) for each in value)
    return True
