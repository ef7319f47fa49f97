"""mlbench: can this model, or this agent, use a real machine-learning repository?

Importing this package does nothing and is cheap; the rooms below it are imported when they are needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlbench.invocations.batch import check as check
    from mlbench.invocations.check import Checker as Checker
    from mlbench.invocations.check import Subject as Subject
    from mlbench.invocations.server import Place as Place

__all__ = ["Checker", "Place", "Subject", "__version__", "check"]

__version__ = "0.1.0"

_HOMES = {"check": "batch", "Checker": "check", "Subject": "check", "Place": "server"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"mlbench.invocations.{_HOMES[name]}"), name)
