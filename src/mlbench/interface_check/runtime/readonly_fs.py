"""Folders and files that a program makes on its way to the parser, where nothing can be written.

A folder is said to be made, and what is written goes nowhere. Where a program then takes offence at what is not there,
the answer says so (`wrote`), and the question is asked again where it can write.
"""

from __future__ import annotations

import builtins
import errno
import os
from typing import Any

NOWHERE = ("/proc/", "/sys/")  # nothing can be written there in any jail


def pretend(recorder: Any) -> None:
    """Let the program of this process go on where it makes folders or opens files to write."""
    make, open_ = os.mkdir, builtins.open
    made: set[str] = set()

    def mkdir(path: Any, *args: Any, **named: Any) -> None:
        try:
            make(path, *args, **named)
        except OSError as error:
            if error.errno != errno.EROFS and not inside(path):
                raise
            recorder.pretended = True
            made.add(os.path.abspath(path))

    def open_or_pretend(file: Any, mode: str = "r", *args: Any, **named: Any) -> Any:
        try:
            return open_(file, mode, *args, **named)
        except OSError as error:
            to_write = not set(mode).isdisjoint("wax+")
            if os.path.abspath(str(file)).startswith(NOWHERE):  # absl gives its process a name
                raise
            if error.errno != errno.EROFS and not (to_write and inside(file)):
                raise
            recorder.pretended = True
            return open_(file, mode, *args, **{**named, "opener": nowhere})  # it keeps its name

    def nowhere(path: str, flags: int) -> int:
        return os.open(os.devnull, os.O_RDWR)

    def inside(path: Any) -> bool:
        return not isinstance(path, int) and os.path.dirname(os.path.abspath(path)) in made

    os.mkdir = mkdir
    builtins.open = open_or_pretend
