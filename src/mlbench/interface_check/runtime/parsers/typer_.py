"""typer: wraps click's methods, in the copy of click that newer versions bundle, or in click itself."""

from __future__ import annotations

from typing import Any

from . import click_

MODULES = ("typer",)


def install(module: Any, recorder: Any) -> None:
    from typer import core

    carried = getattr(core, "_click", None)
    if carried is None or not hasattr(carried, "exceptions"):
        return  # an older version, which uses click itself
    if hasattr(carried, "types"):
        click_.assume_inputs(carried.types, recorder)
    ends = (module.Exit, module.Abort)
    click_.wrap(carried.Command, core.TyperGroup, carried.exceptions, ends, "typer", recorder)
