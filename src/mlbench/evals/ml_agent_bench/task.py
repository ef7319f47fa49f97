"""ML-Agent-Bench: an agent, a repository, an empty environment; judged by its `run.sh` (ML-Bench, section 4)."""

from __future__ import annotations

import math
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset

from mlbench.agents.agent_envs import agent_environment, why_not
from mlbench.agents.agent_run import working
from mlbench.agents.registry import entry
from mlbench.evals.ml_agent_bench.scorer import judge_agent
from mlbench.evals.ml_llm_bench.dataset import agent_samples
from mlbench.evals.task_names import task_name
from mlbench.package_index.aggregate import unreachable
from mlbench.records import RunError, UsageError
from mlbench.run_config import agent_budget, limits_of
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory, image_of_agents, known_provider, ready
from mlbench.sandbox.limits import MIB
from mlbench.sandbox.network import Network, known_network
from mlbench.scoring.runtime import machine
from mlbench.suites.selection import select

VERSION = "2"
RUN_SECONDS = 120.0
"""How long `run.sh` may take, as published."""


@task(name=task_name("agent_bench"))
def agent_bench(
    suite: str = "pocket",
    agent: str = "codeact",
    split: str = "quarter",
    repo: str | None = None,
    limit: int | None = None,
    k: int = 1,
    sandbox: str = "bubblewrap",
    network: str = "index",
    budget: dict[str, Any] | None = None,
    sandbox_limits: dict[str, float] | None = None,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    run: str | None = None,
) -> Task:
    """Have an agent do every row of a split, each in a fresh sandbox, and judge what it leaves.

    Args:
        agent: a name of `agents/registry.py`.
        sandbox: where agents work: `bubblewrap` or `docker`. They are judged in bubblewrap.
        network: what their sandboxes reach: `none`, `index` or `open`.
        budget: what one sample may use: steps, tokens, cost (US dollars), seconds (`AgentBudget`).
        sandbox_limits: bounds of an agent's sandbox: memory, written (bytes), processes (`Limits`).
        limits: bounds of the sandbox in which `run.sh` is judged; `seconds` is 120 as published.
        workers: submissions judged in parallel; None for the number of CPUs.
        run: the run's own name; it stands in the log.
    """
    chosen = entry(agent)
    may = agent_budget(budget)
    trial = limits_of(limits, seconds=RUN_SECONDS, written=1024 * MIB)
    place = machine("bubblewrap", suite, trial, workers)
    allowed = known_network(network)
    provider = known_provider(sandbox)
    if chosen.name == "human" and provider != "docker":
        raise UsageError("a person logs in to a container: use --sandbox docker with --agent human")
    if allowed is Network.INDEX and (problem := unreachable()):
        raise RunError(problem)
    ready(provider)
    tools: tuple[tuple[str, str], ...] = ()
    if chosen.foreign:
        image = image_of_agents() if provider == "docker" else None
        if reason := why_not(chosen.name, image):
            raise UsageError(reason)
        tools = ((chosen.name, str(agent_environment(chosen.name, image))),)
    space = limits_of(sandbox_limits, memory=2048 * MIB, written=2048 * MIB, processes=512)
    workshop = AgentSandboxFactory(place, provider, allowed, space, tools)
    rows = select(place.suite, split, repo=repo, limit=limit)
    return Task(
        dataset=MemoryDataset(agent_samples(suite, rows, workshop, trial.seconds), name=f"{suite}-{split}"),
        solver=working(chosen.make(suite), allowed.value, may.model_dump()),
        scorer=judge_agent(suite, chosen.name, trial.model_dump(), workers),
        epochs=Epochs(k, "mean"),
        working_limit=math.ceil(may.seconds),
        version=VERSION,
        metadata={
            "suite": place.suite.name,
            "suite_version": place.suite.version,
            "split": split,
            "setting": f"agent {chosen.name}",
            "agent": chosen.name,
            "sandbox": provider,
            "network": allowed.value,
            "budget": may.model_dump(),
            "repository": repo,
            "run": run,
        },
    )
