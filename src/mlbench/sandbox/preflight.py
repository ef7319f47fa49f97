"""Check whether this machine can run the bubblewrap sandbox, by running one."""

from __future__ import annotations

import sys

from inspect_ai.util import SandboxUnavailableError

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.kernel import explain
from mlbench.sandbox.limits import Limits

__all__ = ["WAY_OUT", "explain", "why_not"]

WAY_OUT = "or use --sandbox docker"


async def why_not() -> str | None:
    """Return one line that says why the bubblewrap sandbox cannot run here and what to do; None if it can."""
    if sys.platform != "linux":
        return f"the bubblewrap sandbox needs Linux, this is {sys.platform}: use --sandbox docker"
    try:
        jail = await Jail.start(Mounts(cache_folder("empty")), Limits())
        await jail.close()
    except (SandboxUnavailableError, OSError) as error:
        return f"{explain(str(error))}; {WAY_OUT}"
    return None
