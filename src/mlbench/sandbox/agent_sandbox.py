"""Where an agent works: the repository, a bare environment to install into, the network that is allowed, its tools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import anyio
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.records import RunError, UsageError
from mlbench.repositories.environments import bare_environment, console_scripts
from mlbench.sandbox import cgroup
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.containers import SETUP, Container
from mlbench.sandbox.docker.images import DockerImage, image_for, prepare
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.network import Network, shown, variables
from mlbench.sandbox.preflight import WAY_OUT, why_not
from mlbench.sandbox.runtime import Runtime, SandboxSpec

PROVIDERS = ("bubblewrap", "docker")
NOTHING = Path(__file__).parent / "docker" / "nothing.txt"
"""The requirements of an environment that is to be bare."""

IMAGE = "mlbench-agents:1"
_OF_AGENTS = "/opt/agents"


@dataclass(frozen=True)
class AgentSandboxFactory:
    """How the sandboxes of a run are made.

    Attributes:
        machine: whose repositories they show.
        tools: for a foreign agent its name and the folder of its environment, shown at `/opt/agents/NAME`.
    """

    machine: Runtime
    provider: str
    network: Network
    limits: Limits
    tools: tuple[tuple[str, str], ...] = ()

    def place(self, repository: str) -> SandboxSpec:
        """The sandbox in which an agent works on this repository."""
        folder = self.machine.checkouts[repository]
        scripts = console_scripts(folder)
        if self.provider == "docker":
            container = Container(
                image=_image(),
                repository=folder,
                limits=self.limits,
                tools=scripts,
                shown=self.shown(),
                env=self.variables(repository),
                online=self.network is Network.OPEN,
            )
            return SandboxSpec(container.spec(), {}, SETUP)
        config = BubblewrapConfig(
            repository=str(folder),
            environment=str(bare_environment()),
            tools=str(scripts) if scripts else None,
            shown=self.shown(),
            installable=True,
            online=self.network is Network.OPEN,
            env=tuple(self.variables(repository).items()),
            limits=self.limits,
        )
        return SandboxSpec(SandboxEnvironmentSpec("bubblewrap", config))

    def shown(self) -> tuple[tuple[str, str], ...]:
        """What is mounted beside the repository: paths of the host, places inside."""
        return (*shown(self.network), *((folder, f"{_OF_AGENTS}/{name}") for name, folder in self.tools))

    def variables(self, repository: str) -> dict[str, str]:
        """Variables for every command."""
        return {**self.machine.python_path(repository), **variables(self.network)}


def known_provider(name: str) -> str:
    """The provider of this name.

    Raises:
        UsageError: agents do not work there.
    """
    if name not in PROVIDERS:
        raise UsageError(f"agents do not work in the sandbox {name!r}; there are: {', '.join(PROVIDERS)}")
    return name


def image_of_agents() -> str:
    """The name of the image in which agents work, which is there afterwards.

    Raises:
        UsageError, RunError: docker cannot be used here, or the image cannot be had; says what mends it.
    """
    image = _image()
    prepare(image)
    return image.name


def ready(provider: str) -> None:
    """Whatever keeps agents from working, or from being judged, is said before a run, not after an hour of retries.

    Raises:
        UsageError, RunError: this machine lacks something; says what mends it.
    """
    if provider != "docker":
        return  # Inspect asks that provider before it starts
    image_of_agents()
    cgroup.sweep()
    with ThreadPoolExecutor(1) as thread:  # a loop may be running in this one
        reason = thread.submit(anyio.run, why_not).result()
    if reason:
        raise RunError(f"what agents leave is judged in bubblewrap: {reason.removesuffix(f'; {WAY_OUT}')}")


def _image() -> DockerImage:
    return image_for(IMAGE, NOTHING, installable=True)
