"""One module per library that reads command lines, each with MODULES and `install(module, recorder)`.

`MODULES` are dotted names. As soon as a module of that name has been imported, `install` wraps it in place; it is
called once per process and must not import anything heavy.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # `typing` costs every interpreter that is watched some milliseconds
if TYPE_CHECKING:
    from typing import Any

NAMES = (
    "argparse_",
    "optparse_",
    "sys_argv",
    "absl_flags",
    "tf_flags",
    "click_",
    "typer_",
    "fire_",
    "docopt_",
    "dataclasses_",
    "omegaconf_",
    "hydra_",
    "yacs_",
    "unsupported",
)


def by_module() -> dict[str, list[Any]]:
    """Dotted name -> the parser modules to install once it is imported."""
    table: dict[str, list[Any]] = {}
    for name in NAMES:
        try:
            parser = importlib.import_module("." + name, __name__)
        except ModuleNotFoundError as error:
            if error.name != __name__ + "." + name:
                raise
            continue
        for module in parser.MODULES:
            table.setdefault(module, []).append(parser)
    return table
