"""mlbench: can this model, or this agent, use a real machine-learning repository?

Importing this package is cheap: each public name is loaded from its module when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlbench.api import evaluate as evaluate
    from mlbench.api import report as report
    from mlbench.api import verify as verify
    from mlbench.interface_check.api import check as check
    from mlbench.interface_check.check_server import CheckEnv as CheckEnv
    from mlbench.interface_check.checker import Checker as Checker
    from mlbench.interface_check.checker import CheckTarget as CheckTarget
    from mlbench.run_config import RunConfig as RunConfig

__all__ = ["CheckEnv", "CheckTarget", "Checker", "RunConfig", "__version__", "check", "evaluate", "report", "verify"]

__version__ = "0.1.0"

_HOMES = {
    "check": "interface_check.api",
    "Checker": "interface_check.checker",
    "CheckTarget": "interface_check.checker",
    "CheckEnv": "interface_check.check_server",
    "RunConfig": "run_config",
    "evaluate": "api",
    "verify": "api",
    "report": "api",
}
"""The module of each public name, which is imported when the name is first used."""


_RENAMED = {"Subject": "CheckTarget", "Place": "CheckEnv"}
"""The new name of each earlier public name (until 1.0)."""


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        raise AttributeError(f"{__name__}.{name} is now {__name__}.{_RENAMED[name]}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"mlbench.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
