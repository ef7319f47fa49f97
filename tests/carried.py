"""What tests of agents share."""

from __future__ import annotations

from mlbench.repositories.environments import environment
from mlbench.samples.suites import load_suite
from mlbench.sandbox.bubblewrap import BubblewrapSandbox

_INSTALLED = "cd /opt/env/lib/python*/site-packages && mkdir {}"


async def pretend_installed(box: BubblewrapSandbox) -> None:
    """Have the suite's packages carried over: of what is installed only the names count."""
    place = environment(load_suite("pocket").requirements)
    names = [folder.name for folder in place.glob("lib/python*/site-packages/*.dist-info")]
    await box.run(["bash", "-c", _INSTALLED.format(" ".join(names))])
