"""Whether a text ends a program, or ends itself, before the program can have done its work."""

from __future__ import annotations

import re

from mlbench.shell.commands import TracedCommand
from mlbench.shell.languages import parse_shell
from mlbench.shell.shell_static import scan, walk, words

LEAST_SECONDS = 10.0
"""The published rule lets a program run at least this long before it takes it for a pass."""
_TIMEOUT = re.compile(r"(?:^|[\s;&|(/])timeout\s+(?:-\S+\s+(?:(?:\w+\s+)(?=[\d.]+\w?\s))?)*([\d.]+)([smhd]?)(?=\s)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_ENDING = words("kill pkill killall")


def cut_short(command: TracedCommand, code: str) -> str:
    """Why a command is not given the time to do its work; empty if it is.

    Args:
        command: as bash would have started it.
        code: the text that starts it.
    """
    for text in (command.source, f"{' '.join(command.argv)} "):
        for number, unit in _TIMEOUT.findall(text):
            if number.replace(".", "", 1).isdigit() and 0 < float(number) * _UNITS[unit] < LEAST_SECONDS:
                return f"it is ended after {number}{unit or ' s'}"
    # bash does not always give the line of a command in a group that runs in the background
    if not (command.background or (not command.source and any(mark.background for mark in scan(code).marks))):
        return ""
    names = {
        (node.text or b"").decode(errors="replace")
        for node in walk(parse_shell(code).root_node)
        if node.type == "command_name"
    }
    if ending := sorted(names & _ENDING):
        return f"it runs in the background, and `{ending[0]}` may end it"
    return "" if "wait" in names else "it runs in the background, and nothing waits for it"
