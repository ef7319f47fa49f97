"""One module for each library that reads command lines, with `MODULES` and `install(module, recorder)`.

`MODULES` holds dotted names of the library's modules. When one of them has been imported, `install` wraps it in place.
`install` is called once per process and must not import anything heavy.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
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
    "jsonargparse_",
    "yacs_",
    "tempfile_",
    "sqlite_",
    "resource_",
    "unsupported",
)


def by_module() -> dict[str, list[Any]]:
    """The parser modules to install, by the dotted name of the library module that they wait for.

    Raises:
        ModuleNotFoundError: a module in `NAMES` is missing.
    """
    table: dict[str, list[Any]] = {}
    for name in NAMES:
        parser = importlib.import_module("." + name, __name__)
        for module in parser.MODULES:
            table.setdefault(module, []).append(parser)
    return table
