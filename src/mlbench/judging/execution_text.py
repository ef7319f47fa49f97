"""How an execution ended, as a reason and as lines of evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mlbench.reasons import Reason
from mlbench.records import Execution, ExitKind

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
EVIDENCE_LINES = 12


def exited_well(execution: Execution) -> bool:
    """Whether it exited by itself with code 0."""
    return execution.ending is ExitKind.EXITED and execution.exit_code == 0


def ended_reason(execution: Execution) -> Reason:
    """The reason for how an execution ended."""
    if execution.ending is not ExitKind.EXITED:
        return Reason(execution.ending.value)
    return Reason.EXIT_0 if execution.exit_code == 0 else Reason.EXIT_CODE


def describe(execution: Execution) -> str:
    """How an execution ended and its last lines, safe to show in a terminal or a page."""
    how = {
        ExitKind.EXITED: f"exit {execution.exit_code}",
        ExitKind.TIMEOUT: "ended at the time limit",
        ExitKind.MEMORY: "killed at the memory limit",
    }[execution.ending]
    figures = f"{how}, {execution.seconds:.2f} s, {execution.peak_memory / 2**20:.0f} MiB"
    return "\n".join([figures, *(last_lines(execution.stderr) or last_lines(execution.stdout))])


def last_lines(text: str, count: int = EVIDENCE_LINES) -> list[str]:
    """The last lines of an output without control characters, each cut to 300 characters."""
    clean = _ESCAPES.sub("", text[-20_000:])
    clean = "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in clean.replace("\r", "\n"))
    return [line[:300] for line in clean.splitlines() if line.strip()][-count:]


def joined(lines: Iterable[str]) -> str:
    """Join the lines that are not empty."""
    return "\n".join(line for line in lines if line)
