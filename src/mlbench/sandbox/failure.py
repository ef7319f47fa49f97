"""Decides one thing: did the command fail, or the sandbox?

A command's failure is an answer (a score of zero); a sandbox's failure is nobody's answer: it is raised, and
Inspect retries the sample. The evidence is what the agent inside reported, never what a command printed.

Known misses: a command that is killed because the whole machine runs out of memory looks like one that killed itself
with SIGKILL; a kernel that refuses an overlay only for some file systems is noticed when the sandbox starts, not before.
"""

from __future__ import annotations

from enum import Enum


class Failed(Enum):
    NOTHING = "nothing"
    COMMAND = "command"
    SANDBOX = "sandbox"


def who_failed(exit_code: int | None, *, timed_out: bool, memory_killed: bool, closed_by_us: bool) -> Failed:
    """Who is to blame for how a command ended.

    Args:
        exit_code: what the agent reported; None where it reported nothing because it is gone.
        timed_out: the command reached its wall time and was ended for that.
        memory_killed: a process of the sandbox was killed for the sandbox's memory bound in the meantime.
        closed_by_us: the sandbox was closed while the command ran (a cancelled sample).
    """
    if exit_code == 0 and not timed_out:
        return Failed.NOTHING
    if exit_code is not None or timed_out or memory_killed:
        return Failed.COMMAND
    return Failed.NOTHING if closed_by_us else Failed.SANDBOX


_START_HINTS = (
    ("unshare: unshare failed", "this machine does not allow user namespaces"),
    ("setting up uid map", "this machine does not allow user namespaces"),
    ("No permissions to create new namespace", "this machine does not allow user namespaces"),
    ("Creating new namespace failed", "this machine does not allow user namespaces"),
    ("userxattr", "this kernel cannot mount an overlay in a user namespace (Linux 5.11 or newer can)"),
    ("overlay", "this kernel cannot mount an overlay in a user namespace (Linux 5.11 or newer can)"),
    ("Unknown option --disable-userns", "bubblewrap is too old (0.8 or newer is needed)"),
    ("cannot protect itself", "this Python cannot call prctl"),
)


def why_not_started(stderr: str) -> str:
    """What kept a sandbox from starting, in words, from what its start-up printed."""
    for sign, meaning in _START_HINTS:
        if sign in stderr:
            return meaning
    lines = stderr.strip().splitlines()
    return lines[-1][:200] if lines else "it ended without a word"
