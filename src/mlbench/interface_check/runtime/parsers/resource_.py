"""resource: a program that asks for more than this machine's limit goes on without it, as a limit is the machine's."""

from __future__ import annotations

import functools
import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

MODULES = ("resource",)


def install(module: Any, recorder: Any) -> None:
    set_limit = module.setrlimit

    @functools.wraps(set_limit)
    def setrlimit(kind: Any, limits: Any) -> None:
        if recorder.mode != "stop" or not sys._getframe(1).f_code.co_filename.startswith(recorder.root):
            set_limit(kind, limits)
            return
        try:
            set_limit(kind, limits)
        except (ValueError, OSError):
            recorder.note("it asks for a limit that this machine does not allow")

    module.setrlimit = setrlimit
