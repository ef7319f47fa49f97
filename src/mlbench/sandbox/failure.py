"""Decide whether a command failed or its sandbox.

A command's failure is an answer and scores zero. A sandbox's failure is raised, and Inspect retries the sample. The
evidence is what the init process inside reported, never what a command printed.

Known misses:
- A command that is killed because the machine runs out of memory looks like one that killed itself with SIGKILL.
- A kernel that refuses an overlay only for some file systems is noticed only when the sandbox starts.
- Up to Linux 6.5 a tmpfs has no user attributes. Removing and recreating a folder of the repository fails with EIO.
"""

from __future__ import annotations

import re
from enum import Enum


class Failed(Enum):
    NOTHING = "nothing"
    COMMAND = "command"
    SANDBOX = "sandbox"


def who_failed(exit_code: int | None, *, timed_out: bool, memory_killed: bool) -> Failed:
    """Return whether the command or the sandbox is to blame for how a command ended.

    Args:
        exit_code: exit code that the init process reported; None if it ended without a report.
        timed_out: whether the command was ended because of its time limit.
        memory_killed: whether a process was killed meanwhile because of the sandbox's memory limit.
    """
    if exit_code == 0 and not timed_out:
        return Failed.NOTHING
    if exit_code is not None or timed_out or memory_killed:
        return Failed.COMMAND
    return Failed.SANDBOX


_NO_NAMESPACES = "this machine does not allow user namespaces"
_NO_OVERLAY = "this kernel cannot mount an overlay in a user namespace (Linux 5.12 or newer can)"
_HIDDEN_PROC = "this container hides parts of /proc (docker run --security-opt systempaths=unconfined)"
_START_HINTS = (
    (r"unshare failed|writing \w+ failed|setting up uid map", _NO_NAMESPACES),
    (r"No permissions to create new namespace|Creating new namespace failed", _NO_NAMESPACES),
    (r"mounting the (/|tmpfs) failed: (Operation not permitted|Permission denied)", _NO_NAMESPACES),
    (r"mounting the overlay failed: (?!No such file|Not a directory)|making /dev read-only failed", _NO_OVERLAY),
    (r"mounting the overlay failed", "the repository's folder is gone"),
    (r"Can't mount proc", _HIDDEN_PROC),
    (r"Unknown option", "bubblewrap is too old (0.8 or newer is needed)"),
    (r"PR_SET_SECCOMP|system call filter", "this kernel cannot filter system calls (CONFIG_SECCOMP_FILTER)"),
    (r"cannot protect itself|No module named", "its Python cannot run the agent"),
)


def why_not_started(stderr: str) -> str:
    """Return why a sandbox did not start, from the output of its start-up."""
    lines = stderr.strip().splitlines()
    if not lines:
        return "it ended without a word"
    said = lines[-1][:200]
    meanings = (meaning for sign, meaning in _START_HINTS if re.search(sign, stderr))
    return next((f"{meaning} ({said})" for meaning in meanings), said)
