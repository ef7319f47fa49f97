"""Sandboxes of agents: the repository, an environment to install into, a network policy, and tools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import anyio
import uv
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.records import RunError, UsageError
from mlbench.repositories.environments import bare_environment, console_scripts
from mlbench.repositories.pip_by_uv import UV
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
"""Requirements of an environment with only pip."""

IMAGE = "mlbench-agents:1"
_OF_AGENTS = "/opt/agents"


@dataclass(frozen=True)
class AgentSandboxFactory:
    """Makes the sandboxes of a run.

    Attributes:
        machine: knows the repositories and environments of the suite.
        tools: an external agent's name and the folder of its environment, mounted at `/opt/agents/NAME`.
    """

    machine: Runtime
    provider: str
    network: Network
    limits: Limits
    tools: tuple[tuple[str, str], ...] = ()

    def place(self, repository: str) -> SandboxSpec:
        """Return the sandbox in which an agent works on this repository."""
        setup = self.machine.setups.get(repository)
        folder = setup.checkout if setup else self.machine.checkouts[repository]
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
            environment=str(setup.environment if setup else bare_environment()),
            tools=str(scripts) if scripts else None,
            shown=(*(setup.shown if setup else ()), *self.shown()),
            home=str(setup.home) if setup and setup.home else None,
            installable=True,
            online=self.network is Network.OPEN,
            env=tuple(self.variables(repository).items()),
            limits=self.limits,
        )
        return SandboxSpec(SandboxEnvironmentSpec("bubblewrap", config))

    def shown(self) -> tuple[tuple[str, str], ...]:
        """Return what is mounted besides the repository, as pairs of host path and path inside."""
        tools = [(folder, f"{_OF_AGENTS}/{name}") for name, folder in self.tools]
        installer = [(uv.find_uv_bin(), UV)] if self.provider == "bubblewrap" and self.network is Network.INDEX else []
        return (*shown(self.network), *tools, *installer)

    def variables(self, repository: str) -> dict[str, str]:
        """Return the environment variables of every command.

        Python may store bytecode, because packages are installed without it. Folders of bytecode are not carried over.
        """
        return {"PYTHONDONTWRITEBYTECODE": "", **self.machine.python_path(repository), **variables(self.network)}


def known_provider(name: str) -> str:
    """Return the name of a sandbox provider for agents.

    Raises:
        UsageError: agents cannot work in a sandbox of this name.
    """
    if name not in PROVIDERS:
        raise UsageError(f"agents cannot work in the sandbox {name!r}; choose from {', '.join(PROVIDERS)}")
    return name


def image_of_agents() -> str:
    """Return the name of the image in which agents work; build the image if needed.

    Raises:
        UsageError, RunError: Docker or the image is not available; says what to do.
    """
    image = _image()
    prepare(image)
    return image.name


def ready(provider: str) -> None:
    """Check before a run that agents can work here and that their submissions can be judged.

    Raises:
        UsageError, RunError: this machine lacks something; says what to install.
    """
    if provider != "docker":
        return  # Inspect asks that provider before it starts
    image_of_agents()
    cgroup.sweep()
    with ThreadPoolExecutor(1) as thread:  # an event loop may be running in this thread
        reason = thread.submit(anyio.run, why_not).result()
    if reason:
        raise RunError(f"submissions of agents are judged in bubblewrap: {reason.removesuffix(f'; {WAY_OUT}')}")


def _image() -> DockerImage:
    return image_for(IMAGE, NOTHING, installable=True)
