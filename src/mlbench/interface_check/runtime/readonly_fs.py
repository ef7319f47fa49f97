"""Pretend to create folders and files for a program that runs in a read-only jail.

Creating a folder succeeds without effect, and written data are discarded. If the program later fails because the file
is missing, the answer has `wrote`, and the host asks again in a writable jail.
"""

from __future__ import annotations

import builtins
import errno
import os
from typing import Any

NOWHERE = ("/proc/", "/sys/")  # not writable in any jail


def pretend(recorder: Any) -> None:
    """Let this process's program continue when it creates folders or opens files to write."""
    make, open_ = os.mkdir, builtins.open

    def mkdir(path: Any, *args: Any, **named: Any) -> None:
        try:
            make(path, *args, **named)
        except OSError as error:
            if error.errno != errno.EROFS and not inside(path):
                raise
            recorder.pretended = True
            recorder.made.add(os.path.abspath(path))

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
            return open_(file, mode, *args, **{**named, "opener": nowhere})  # keeps the file's name

    def nowhere(path: str, flags: int) -> int:
        return os.open(os.devnull, os.O_RDWR)

    def inside(path: Any) -> bool:
        return not isinstance(path, int) and os.path.dirname(os.path.abspath(path)) in recorder.made

    os.mkdir = mkdir
    builtins.open = open_or_pretend
