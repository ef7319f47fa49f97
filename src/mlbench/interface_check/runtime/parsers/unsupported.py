"""Parser libraries without a wrapper. A program that uses one cannot be followed."""

from __future__ import annotations

import functools
from typing import Any

from .shared import is_stub

_ENTRANCES = {
    "tyro": ("cli",),
    "argh": ("ArghParser", "dispatch", "dispatch_command", "dispatch_commands"),
    "plac": ("call",),
    "pytorch_lightning.cli": ("LightningCLI",),
    "pytorch_lightning.utilities.cli": ("LightningCLI",),
    "lightning.pytorch.cli": ("LightningCLI",),
    "fairseq": ("options.parse_args_and_arch",),
    "fairseq.options": ("parse_args_and_arch",),
}
MODULES = tuple(_ENTRANCES)


def install(module: Any, recorder: Any) -> None:
    if not is_stub(module):
        return
    for name in _ENTRANCES[module.__name__]:
        holder = functools.reduce(getattr, name.split(".")[:-1], module)
        setattr(holder, name.rpartition(".")[2], _entrance(f"{module.__name__}.{name}", recorder))


def _entrance(name: str, recorder: Any) -> type:
    class Entrance:
        def __init__(self, *args: Any, **named: Any) -> None:
            recorder.undecided("cannot-follow", f"{name} reads the command line, and that library is not here")

    return Entrance
