"""Make an agent's options from their names, as a command line or a log has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from mlbench.records import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


def from_names(kind: type[Options], agent: str, given: Options | Mapping[str, Any] | None) -> Options:
    """Return the options of an agent.

    Args:
        kind: the dataclass of the options.
        agent: the agent's name, for errors.
        given: the options as an object, or their values by name; None for the defaults.

    Raises:
        UsageError: a name is unknown, or a value is not allowed.
    """
    if isinstance(given, kind):
        return given
    assert given is None or isinstance(given, Mapping)
    known = [option.name for option in fields(kind)]
    for name in given or {}:
        if name not in known:
            raise UsageError(f"{agent}: no option {name!r}; there are: {', '.join(known)}")
    return kind(**(given or {}))


def check_numbers(options: DataclassInstance, agent: str, least: Mapping[str, float]) -> None:
    """Refuse options that are no numbers or too small. Whole numbers are expected but where the type has a fraction.

    Args:
        options: of an agent.
        agent: its name, for errors.
        least: the smallest allowed value of each option; one whose default is None may be None.

    Raises:
        UsageError: a value is not allowed.
    """
    for option in fields(options):
        if option.name not in least:
            continue
        value, name = getattr(options, option.name), option.name
        if value is None and option.default is None:
            continue
        kinds = (int, float) if "float" in str(option.type) else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise UsageError(f"{agent}: {name}={value!r}: expected a number")
        if not value >= least[name]:
            raise UsageError(f"{agent}: {name}={value}: at least {least[name]} is needed")
