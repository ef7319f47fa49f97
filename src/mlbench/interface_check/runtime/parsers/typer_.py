"""typer: wraps click's methods, in the copy of click that newer versions bundle, or in click itself."""

from __future__ import annotations

from typing import Any

from . import click_

MODULES = ("typer",)
_FORMER = ("Any", "Callable", "Dict", "List", "Optional", "Tuple", "Type", "Union")
"""Names of `typing` that the modules of older versions also had; programs import them from there."""


def install(module: Any, recorder: Any) -> None:
    import typing

    from typer import core, models

    for name in _FORMER:
        if not hasattr(models, name):
            setattr(models, name, getattr(typing, name))
    carried = getattr(core, "_click", None)
    if carried is None or not hasattr(carried, "exceptions"):
        return  # an older version, which uses click itself
    if hasattr(carried, "types"):
        click_.assume_inputs(carried.types, recorder)
    ends = (module.Exit, module.Abort)
    click_.wrap(carried.Command, core.TyperGroup, carried.exceptions, ends, "typer", recorder)
