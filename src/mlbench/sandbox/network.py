"""Network policies of agents' sandboxes: none, a package index only, or this machine's network.

A sandbox has no network of its own. The package index is reached through a mounted Unix socket; a forwarder inside
listens on a loopback port for pip and uv.
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
    """A network policy."""

    NONE = "none"
    INDEX = "index"
    OPEN = "open"


def known_network(name: str) -> Network:
    """Return the policy of this name.

    Raises:
        UsageError: there is no such policy.
    """
    try:
        return Network(name)
    except ValueError:
        raise UsageError(f"no network {name!r}; there are: {', '.join(Network)}") from None


def shown(network: Network) -> tuple[tuple[str, str], ...]:
    """Return the mounts that a policy needs, as pairs of host path and path inside."""
    return ((str(serve().parent), client_config.MOUNT_POINT),) if network is Network.INDEX else ()


def variables(network: Network) -> dict[str, str]:
    """Return the variables that pip and uv need."""
    return client_config.environment_variables() if network is Network.INDEX else {}


async def opened(box: SandboxEnvironment, network: Network) -> str:
    """Start the forwarder if the policy needs it; return why it does not run, or an empty string."""
    if network is not Network.INDEX:
        return ""
    forward = shlex.join(client_config.forwarder_command(f"{ENVIRONMENT}/bin/python"))
    with anyio.CancelScope(shield=True):
        done = await box.exec(["/bin/bash", "-c", _START.replace("$FORWARD", forward)], timeout=30)
    said = done.stdout.strip()
    if said.startswith("ready"):
        return ""
    return f"the package index cannot be reached from the sandbox: {said or done.stderr.strip()}"
