"""What tests of agents share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mlbench.agents.agent_run import AgentRun
from mlbench.repositories.environments import environment
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.submission import clock
from mlbench.suites.suite import load_suite

_INSTALLED = "cd /opt/env/lib/python*/site-packages && mkdir {}"


async def pretend_installed(box: BubblewrapSandbox) -> None:
    """Have the suite's packages carried over: of what is installed only the names count."""
    place = environment(load_suite("pocket").requirements)
    names = [folder.name for folder in place.glob("lib/python*/site-packages/*.dist-info")]
    await box.run(["bash", "-c", _INSTALLED.format(" ".join(names))])


@asynccontextmanager
async def at_work(workshop: AgentSandboxFactory, repository: str) -> AsyncIterator[tuple[BubblewrapSandbox, AgentRun]]:
    """The sandbox of an agent that has installed the suite's packages, and the record of its work, which starts now."""
    config = workshop.place(repository).sandbox
    assert config is not None and isinstance(config.config, BubblewrapConfig)
    box = BubblewrapSandbox(config.config)
    try:
        await pretend_installed(box)
        yield box, AgentRun(since=await clock(box), outcome="ended")
    finally:
        await box.close()
