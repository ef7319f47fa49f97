"""Run text that a candidate gives to `exec`, watched like its own; a program's text starts that program."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from .ast_rewrite import HOOK, instrumented

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType

LONGEST = 200_000  # characters


def execute(
    hook: Any, frame: FrameType, read: Sequence[str], note: Callable[[dict[str, Any]], None], *args: Any
) -> None:
    """Do what `exec(*args)` does in a frame of the candidate.

    Args:
        hook: the hook for the calls of the text.
        frame: the candidate's frame.
        read: Python files that the candidate has opened to read.
        note: records the program, if the text is one; see `started.py`.
        args: the arguments of `exec`.
    """
    source, *spaces = args
    names = spaces[0] if spaces and spaces[0] is not None else frame.f_globals
    local = spaces[1] if len(spaces) > 1 and spaces[1] is not None else names if spaces else frame.f_locals
    if file := _program(source, read, hook.root) if names.get("__name__") == "__main__" else "":
        note({"text": shlex.join(["python", file, *sys.argv[1:]]), "cwd": os.getcwd(), "env": {}})
        return
    if not isinstance(source, (str, bytes)) or len(source) > LONGEST:
        exec(source, names, local)
        return
    text = source if isinstance(source, str) else source.decode()
    kept = names.get(HOOK)
    names[HOOK] = hook
    try:
        for *_, statement in instrumented(text, hook.file, loops=True):
            exec(statement, names, local)
    finally:
        if kept is None and local is not names:
            del names[HOOK]


def _program(source: str | bytes | CodeType, read: Sequence[str], root: str) -> str:
    """The repository file with this source or code; empty if there is none."""
    for file in dict.fromkeys(map(os.path.abspath, read)):
        if not file.startswith(root):
            continue
        if isinstance(source, (str, bytes)):
            with open(file, "rb") as opened:
                data = opened.read()
            if data.strip() == (source if isinstance(source, bytes) else source.encode()).strip():
                return file
        elif os.path.abspath(source.co_filename) == file:
            return file
    return ""
