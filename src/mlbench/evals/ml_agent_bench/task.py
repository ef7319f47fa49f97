"""ML-Agent-Bench: an agent sets up a repository and leaves `run.sh` (ML-Bench, section 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig

from mlbench.agents.agent_envs import agent_environment, why_not
from mlbench.agents.agent_run import working
from mlbench.agents.registry import AgentEntry, entry
from mlbench.evals.ml_agent_bench.dataset import agent_samples
from mlbench.evals.ml_agent_bench.scorer import agent_runtime, judge_agent
from mlbench.evals.task_names import task_name
from mlbench.package_index.aggregate import unreachable
from mlbench.records import Policy, RunError, UsageError
from mlbench.replies import cache_policy
from mlbench.run_config import agent_budget, limits_of
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory, image_of_agents, known_provider, ready
from mlbench.sandbox.limits import MIB
from mlbench.sandbox.network import Network, known_network
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suites.selection import select
from mlbench.suites.shards import shard_metadata

VERSION = "4"
RUN_SECONDS = 120.0
"""The time limit of `run.sh` in seconds, as published."""


def _agent_folder(chosen: AgentEntry, provider: str) -> tuple[tuple[str, str], ...]:
    """Return the name and the folder of an external agent's environment; empty for other agents.

    Raises:
        UsageError: the agent is not installed, or cannot run with this Python.
    """
    if not chosen.foreign:
        return ()
    image = image_of_agents() if provider == "docker" else None
    if reason := why_not(chosen.name, image):
        raise UsageError(reason)
    return ((chosen.name, str(agent_environment(chosen.name, image))),)


def trial_runtime(
    suite: str,
    limits: Mapping[str, float] | None = None,
    workers: int | None = None,
    policy: Policy | None = None,
    repo: str | None = None,
) -> SuiteRuntime:
    """Prepare this machine to judge a run; the arguments are those of `agent_bench`.

    Args:
        suite: the name of the suite.
        limits: limits of the sandbox in which `run.sh` is judged.
        workers: submissions judged in parallel.
        policy: see `agent_runtime`.
        repo: the one repository whose rows are judged; None for all.

    Raises:
        UsageError, RunError: as `agent_runtime`.
    """
    trial = limits_of(limits, seconds=RUN_SECONDS, written=1024 * MIB)
    return agent_runtime(suite, trial, workers, policy, (repo,) if repo else ())


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
    budget: dict[str, float] | None = None,
    sandbox_limits: dict[str, float] | None = None,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    run: str | None = None,
    policy: Policy | None = None,
    shard: str | None = None,
) -> Task:
    """Run an agent on each row of a split, each in a fresh sandbox, and judge the submissions.

    Args:
        suite: the name of the suite.
        agent: a name of `agents/registry.py`.
        split: the name of the split.
        repo: use only the rows of this repository.
        limit: use only so many rows, spread over the split.
        k: attempts per row.
        sandbox: where agents work: `bubblewrap` or `docker`. Submissions are judged in bubblewrap.
        network: what the agent's sandbox can reach: `none`, `index` or `open`.
        budget: what one sample may use: steps, tokens, cost (US dollars), seconds (`AgentBudget`).
        sandbox_limits: limits of the agent's sandbox: memory, written (bytes), processes (`Limits`).
        limits: limits of the sandbox in which `run.sh` is judged; `seconds` is 120 as published.
        workers: submissions judged in parallel; None for the number of CPUs.
        run: the name of the run, under which replies are cached: a resumed run requests none of them again.
        policy: `interface` checks `run.sh` and runs nothing; see `agent_runtime` for the others.
        shard: use only this part of the rows, such as `3/8`.

    Raises:
        UsageError: an argument is not allowed, or the agent cannot run here.
        RunError: the package index or the suite's environments are not available.
    """
    chosen = entry(agent)
    allowed = agent_budget(budget)
    policy = Policy(policy) if policy else None
    runtime = trial_runtime(suite, limits, workers, policy, repo)
    reachable = known_network(network)
    provider = known_provider(sandbox)
    if chosen.name == "human" and provider != "docker":
        raise UsageError("a person logs in to a container: use --sandbox docker with --agent human")
    if reachable is Network.INDEX and (problem := unreachable()):
        raise RunError(problem)
    ready(provider)
    tools = _agent_folder(chosen, provider)
    space = limits_of(sandbox_limits, memory=2048 * MIB, written=2048 * MIB, processes=512)
    workshop = AgentSandboxFactory(runtime, provider, reachable, space, tools)
    rows = select(runtime.suite, split, repo=repo, limit=limit, shard=shard)
    return Task(
        dataset=MemoryDataset(agent_samples(suite, rows, workshop, runtime.limits.seconds), name=f"{suite}-{split}"),
        solver=working(chosen.make(suite), reachable.value, allowed.model_dump()),
        scorer=judge_agent(suite, chosen.name, runtime.limits.model_dump(), workers, policy, repo),
        epochs=Epochs(k, "mean"),
        config=GenerateConfig(cache=cache_policy(run)),
        working_limit=math.ceil(allowed.seconds),
        version=VERSION,
        metadata={
            **runtime.suite.log_metadata,
            "split": split,
            "setting": f"agent {chosen.name}",
            "agent": chosen.name,
            "sandbox": provider,
            "network": reachable.value,
            "budget": allowed.model_dump(),
            "repository": repo,
            "run": run,
            **shard_metadata(shard),
        },
    )
