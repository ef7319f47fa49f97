"""Whether this machine can run the bubblewrap sandbox, found by running one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from inspect_ai.util import SandboxUnavailableError

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits

WAY_OUT = "or use --sandbox docker"
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


async def why_not() -> str | None:
    """One line that says why the bubblewrap sandbox cannot run here and what to do; None where it can."""
    if sys.platform != "linux":
        return f"the bubblewrap sandbox needs Linux, this is {sys.platform}: use --sandbox docker"
    try:
        jail = await Jail.start(Mounts(cache_folder("empty")), Limits())
        await jail.close()
    except (SandboxUnavailableError, OSError) as error:
        return f"{explain(str(error))}; {WAY_OUT}"
    return None


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
