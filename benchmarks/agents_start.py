"""An agent's sandbox, from nothing to its first finished command: in bubblewrap, and in docker where an engine answers.

Both are started as Inspect starts them for a sample of the agent bench, in turns, with the repository in place. Must
hold: the median in docker is at least 30 times that in bubblewrap.
"""

from __future__ import annotations

import sys
import time
from statistics import median

import anyio
from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentSpec
from inspect_ai.util._sandbox.registry import registry_find_sandboxenv

from benchmarks.record import Figure, record
from mlbench.records import RunError, UsageError
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory, ready
from mlbench.sandbox.limits import Limits, bounds
from mlbench.sandbox.network import Network
from mlbench.sandbox.runtime import SandboxSpec
from mlbench.scoring.runtime import machine

ROUNDS = 20
WARM_UP = 2
NAME = "agents_start"
TIMES = 30.0


def place_in(provider: str) -> SandboxSpec:
    """Where an agent works on the first of the bundled repositories."""
    home = machine("bubblewrap", "pocket", bounds({}), None)
    return AgentSandboxFactory(home, provider, Network.NONE, Limits()).place(next(iter(home.checkouts)))


async def seconds_of(place: SandboxSpec, spec: SandboxEnvironmentSpec) -> float:
    """Start the sandbox, put the repository into it, run `true`; end it, which does not count."""
    kind = registry_find_sandboxenv(spec.type)
    began = time.perf_counter()
    environments: dict[str, SandboxEnvironment] = await kind.sample_init(NAME, spec.config, {})
    box = environments["default"]
    if place.setup:
        done = await box.exec(["/bin/sh", "-c", place.setup])
        assert done.success, done.stderr
    done = await box.exec(["ls", "README.md"])
    took = time.perf_counter() - began
    assert done.success, done.stderr
    await kind.sample_cleanup(NAME, spec.config, environments, False)
    return took


async def measure(providers: list[str]) -> dict[str, list[float]]:
    """Seconds of every start, by provider."""
    found: dict[str, list[float]] = {provider: [] for provider in providers}
    places = {provider: place_in(provider) for provider in providers}
    for place in places.values():
        assert place.sandbox is not None
        await registry_find_sandboxenv(place.sandbox.type).task_init(NAME, place.sandbox.config)
    for number in range(WARM_UP + ROUNDS):
        for provider, place in places.items():
            assert place.sandbox is not None
            took = await seconds_of(place, place.sandbox)
            if number >= WARM_UP:
                found[provider].append(took)
    launcher_pool.stop_all()
    return found


def main() -> bool:
    providers = ["bubblewrap"]
    try:
        ready("docker")
        providers.append("docker")
    except (UsageError, RunError) as error:
        print(f"without docker: {error}", file=sys.stderr)
    found = anyio.run(measure, providers)
    jail = median(found["bubblewrap"])
    figures = [Figure("bubblewrap, start to first finished command, median", jail * 1000, None, "ms")]
    if "docker" in found:
        container = median(found["docker"])
        figures += [
            Figure("docker, the same, median", container * 1000, None, "ms"),
            Figure("docker / bubblewrap", container / jail, TIMES, "", at_most=False),
        ]
    return record(NAME, figures)


if __name__ == "__main__":
    sys.exit(not main())
