"""Kernel settings that forbid user namespaces, and the command that changes each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

# kernel setting, the value that forbids user namespaces, the command that changes it
_SETTINGS = (
    ("user.max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=15000"),
    ("kernel.unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    (
        "kernel.apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def explain(problem: str, setting: Callable[[str], str | None] | None = None) -> str:
    """Return a failed start's message, with the kernel setting that forbids it and what to do, if there is one.

    Args:
        problem: message that `Jail.start` raised.
        setting: function from the name of a kernel setting to its value, or None if there is no such setting.
    """
    if "user namespaces" in problem:
        for name, forbids, remedy in _SETTINGS:
            if (setting or _setting)(name) == forbids:
                return f"{problem}: {name} is {forbids}, type `{remedy}`"
    return " ".join(problem.split())


def _setting(name: str) -> str | None:
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return None
