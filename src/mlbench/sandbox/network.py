"""What an agent's sandbox reaches: nothing, a package index, or what this machine reaches.

A sandbox has no network of its own. The index stands behind a Unix socket that is mounted into it; a forwarder inside
listens where pip looks.
"""

from __future__ import annotations

import shlex
from enum import StrEnum

import anyio
from inspect_ai.util import SandboxEnvironment

from mlbench.package_index import client_config
from mlbench.package_index.process_server import serve
from mlbench.records import UsageError
from mlbench.sandbox.mounts import ENVIRONMENT

_START = """
$FORWARD >/tmp/.index 2>&1 </dev/null &
for _ in $(seq 100); do grep -q . /tmp/.index && break; sleep 0.05; done
cat /tmp/.index
"""


class Network(StrEnum):
    """What a sandbox reaches."""

    NONE = "none"
    INDEX = "index"
    OPEN = "open"


def known_network(name: str) -> Network:
    """The policy of this name.

    Raises:
        UsageError: there is none.
    """
    try:
        return Network(name)
    except ValueError:
        raise UsageError(f"no network {name!r}; there are: {', '.join(Network)}") from None


def shown(network: Network) -> tuple[tuple[str, str], ...]:
    """What has to be mounted for it: paths of the host, places inside."""
    return ((str(serve().parent), client_config.MOUNT_POINT),) if network is Network.INDEX else ()


def variables(network: Network) -> dict[str, str]:
    """What pip and uv have to be told."""
    return client_config.environment_variables() if network is Network.INDEX else {}


async def opened(box: SandboxEnvironment, network: Network) -> str:
    """Start the forwarder. Why it does not run, in a line; empty where it does, or is not wanted."""
    if network is not Network.INDEX:
        return ""
    forward = shlex.join(client_config.forwarder_command(f"{ENVIRONMENT}/bin/python"))
    with anyio.CancelScope(shield=True):
        done = await box.exec(["/bin/bash", "-c", _START.replace("$FORWARD", forward)], timeout=30)
    said = done.stdout.strip()
    if said.startswith("ready"):
        return ""
    return f"the package index cannot be reached from the sandbox: {said or done.stderr.strip()}"
