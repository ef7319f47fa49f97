"""Decides one thing: did the command fail, or the sandbox?

A command's failure is an answer (a score of zero); a sandbox's failure is nobody's answer: it is raised, and
Inspect retries the sample. The evidence is what the agent inside reported, never what a command printed.

Known misses: a command that is killed because the whole machine runs out of memory looks like one that killed itself
with SIGKILL; a kernel that refuses an overlay only for some file systems is noticed when the sandbox starts, not
before; up to Linux 6.5 a tmpfs has no user attributes, so to remove a folder of the repository and make it anew fails
with EIO.
"""

from __future__ import annotations

import re
from enum import Enum


class Failed(Enum):
    NOTHING = "nothing"
    COMMAND = "command"
    SANDBOX = "sandbox"


def who_failed(exit_code: int | None, *, timed_out: bool, memory_killed: bool) -> Failed:
    """Who is to blame for how a command ended.

    Args:
        exit_code: what the agent reported; None where it reported nothing because it is gone.
        timed_out: the command reached its wall time and was ended for that.
        memory_killed: a process of the sandbox was killed for the sandbox's memory bound in the meantime.
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
    """What kept a sandbox from starting, in words, from what its start-up printed."""
    lines = stderr.strip().splitlines()
    if not lines:
        return "it ended without a word"
    said = lines[-1][:200]
    meanings = (meaning for sign, meaning in _START_HINTS if re.search(sign, stderr))
    return next((f"{meaning} ({said})" for meaning in meanings), said)
