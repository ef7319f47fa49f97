"""Settings of the kernel that forbid user namespaces, and what to type against each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

# a setting of the kernel, the value that forbids user namespaces, what to type
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
    """What to do about a start that failed: the kernel's setting that forbids it, where one does.

    Args:
        problem: what `Jail.start` raised.
        setting: the value of a kernel setting by its name; None where the kernel has none.
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
