"""What tests of agents share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mlbench.agents.work import Work
from mlbench.repositories.environments import environment
from mlbench.samples.suites import load_suite
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.workshop import Workshop
from mlbench.sandbox.workspace import clock

_INSTALLED = "cd /opt/env/lib/python*/site-packages && mkdir {}"


async def pretend_installed(box: BubblewrapSandbox) -> None:
    """Have the suite's packages carried over: of what is installed only the names count."""
    place = environment(load_suite("pocket").requirements)
    names = [folder.name for folder in place.glob("lib/python*/site-packages/*.dist-info")]
    await box.run(["bash", "-c", _INSTALLED.format(" ".join(names))])


@asynccontextmanager
async def at_work(workshop: Workshop, repository: str) -> AsyncIterator[tuple[BubblewrapSandbox, Work]]:
    """The sandbox of an agent that has installed the suite's packages, and the record of its work, which starts now."""
    config = workshop.place(repository).sandbox
    assert config is not None and isinstance(config.config, BubblewrapConfig)
    box = BubblewrapSandbox(config.config)
    try:
        await pretend_installed(box)
        yield box, Work(since=await clock(box), outcome="ended")
    finally:
        await box.close()
