"""Build wheels of packages that an index has only as sources, in a jail, because this runs their code."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import anyio.to_thread

from mlbench.atomic_write import write_file
from mlbench.repositories.agent_env import Pin, Rebuilt, rebuilt
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.environments import bare_environment, this_python
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.network import Network, opened, shown, variables

_SECONDS = 300.0
_BUILD = (
    'printf "%s\\n" "$1" > /tmp/wanted.txt'
    " && pip wheel --quiet --no-deps --wheel-dir /tmp/wheels -r /tmp/wanted.txt && ls /tmp/wheels"
)
_WHEEL = re.compile(r"[\w.!+-]{1,200}\.whl")


async def environment_of(pins: Sequence[Pin]) -> Rebuilt:
    """Build an environment of these packages. Packages without wheels are first built in a jail, once per Python.

    An agent in Docker may have a newer Python than the judge. A package that does not support the judge's Python is
    installed in its newest earlier version that does.

    Raises:
        RunError: the index cannot be reached, or this machine cannot build the environment.
        SandboxUnavailableError: the sandbox failed.
    """
    made = await anyio.to_thread.run_sync(rebuilt, pins)
    wheels = [wheel for pin in made.left_out if (wheel := await _wheel(pin))]
    made = await anyio.to_thread.run_sync(rebuilt, pins, wheels) if wheels else made
    return await anyio.to_thread.run_sync(rebuilt, pins, wheels, made.left_out) if made.left_out else made


def locked_wheel(requirement: str) -> Path | None:
    """Return the wheel of a requirement with its hashes, built in a jail if needed; None if it cannot be built.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    name, _, version = requirement.split(maxsplit=1)[0].partition("==")
    key = hashlib.sha256(requirement.encode()).hexdigest()[:12]
    return anyio.run(functools.partial(_wheel, Pin(name, version), requirement, f"-{key}"))


async def _wheel(pin: Pin, requirement: str = "", key: str = "") -> Path | None:
    """Return the wheel of a package, built if needed; None if it cannot be built.

    Args:
        pin: the package.
        requirement: its line in a lock; empty for a package without a known hash.
        key: distinguishes the wheel of a lock in the cache.
    """
    folder = cache_folder("wheels", f"{pin.name}-{pin.version}{key}-{this_python()}")
    if there := sorted(folder.iterdir()):
        return there[0] if there[0].suffix == ".whl" else None
    config = BubblewrapConfig(
        repository=str(cache_folder("empty")),
        environment=str(bare_environment()),
        shown=shown(Network.INDEX),
        installable=True,
        env=tuple({**variables(Network.INDEX), "PIP_ONLY_BINARY": "", "UV_NO_BUILD": ""}.items()),
        limits=Limits(seconds=_SECONDS, written=1024 * MIB),
    )
    box = BubblewrapSandbox(config)
    try:
        if await opened(box, Network.INDEX):
            return None
        built = await box.run(["/bin/bash", "-c", _BUILD, "build", requirement or str(pin)], seconds=_SECONDS)
        name = built.stdout.strip()
        if built.exit_code or not _WHEEL.fullmatch(name):
            (folder / "cannot-be-built").touch()
            return None
        data = await box.read_file(f"/tmp/wheels/{name}", text=False)
    finally:
        await box.close()
    return write_file(folder / name, data)
