"""The task of MLAgentBench: improve a starter; the final work is graded (ADR 9)."""

from __future__ import annotations

import math
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageUser, GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import SandboxEnvironmentSpec, store_as

from mlbench.agents.agent_run import working
from mlbench.evals.mlagentbench.data import Prepared, place_of, prepared
from mlbench.evals.mlagentbench.download import fetched, obtainable, sums
from mlbench.evals.mlagentbench.grading import grader
from mlbench.evals.mlagentbench.problem import (
    Data,
    ResearchProblem,
    Tier,
    data_name,
    drawn_seed,
    load_problem,
    problems,
)
from mlbench.evals.mlagentbench.reference_runs import ROOM, mounts
from mlbench.evals.mlagentbench.registry import PROBLEM, brought, check_helper, experimenter, known
from mlbench.evals.mlagentbench.research_agent import EarlierSteps
from mlbench.evals.mlagentbench.scorer import judge_experiment
from mlbench.evals.mlagentbench.snapshots import Progress, Steps
from mlbench.evals.task_names import task_name
from mlbench.replies import cache_policy
from mlbench.repositories.cache import cache_folder
from mlbench.run_config import DATA_SEED_OF_RUN, DIGESTS, agent_budget, limits_of
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.limits import Limits
from mlbench.suites.shards import Shard, shard_metadata

VERSION = "3"


@task(name=task_name("experiment"))
def experiment(
    names: Sequence[str] | str | None = None,
    agent: str = "research_agent",
    data: Data = "lite",
    data_seed: int | None = None,
    tier: str = Tier.STANDARD.value,
    accept_terms: bool = False,
    helper: str | None = None,
    options: dict[str, object] | None = None,
    k: int = 1,
    budget: dict[str, float] | None = None,
    sandbox_limits: dict[str, float] | None = None,
    workers: int = 1,
    grade_steps: bool = False,
    steps_dir: str | None = None,
    run: str | None = None,
    shard: str | None = None,
) -> Task:
    """Have an agent improve the starters of some problems, and grade what it leaves.

    Args:
        names: bundled problems or folders of problems; by default all bundled ones.
        agent: one of `agent_names.OWN`, or an agent of the agent benchmark with its own tools.
        data: `lite` (small data) or `full` (the published data, which are downloaded if needed).
        data_seed: of the small data, and of the held-back part of the published ones. By default a run on small data
            draws a secret one, because it reveals the labels, and keeps it in its log.
        tier: how hard the small data are: `easy`, `standard` or `hard`. Only some problems have other tiers.
        accept_terms: whether you accept the terms of the published data.
        helper: the model that some actions ask; by default the evaluated one.
        options: options of the research agent or the tree search, by name.
        k: runs of each problem (8 as published).
        budget: what one run may use: steps, tokens, cost (US dollars), seconds; by default the problem's own budget.
        sandbox_limits: limits of the sandbox (`Limits`).
        workers: submissions graded in parallel; those that measure speed are graded one by one.
        grade_steps: whether every snapshot is graded.
        steps_dir: folder in which the steps of every run are kept.
        run: name of the run; a resumed run finds its steps and replies under it.
        shard: use only this part of the problems, such as `3/8`.
    """
    agent = known(agent, options or {})
    check_helper(agent, helper)
    wanted = [names] if isinstance(names, str) else names or problems(data)
    wanted = Shard.parse(shard).part_of(wanted) if shard else wanted
    seed = drawn_seed(data) if data_seed is None else data_seed
    chosen = [load_problem(name, data, seed, tier) for name in wanted]
    if data != "lite":
        for problem in chosen:  # before any download: a missing login ends the run before it costs anything
            obtainable(problem, accept_terms)
        for problem in chosen:
            fetched(problem, accept_terms, lambda line: print(line, file=sys.stderr))
    space = limits_of(sandbox_limits, **ROOM[data])
    own = {"steps": max(each.bounds.steps for each in chosen), "seconds": max(each.bounds.seconds for each in chosen)}
    may = agent_budget(budget, **own)
    if agent == "research_agent" and (after := (options or {}).get("after")):
        earlier = EarlierSteps.read(str(after))
        for problem in chosen:
            earlier.check_data(place_of(problem).workspace.parent.name)
    flags = {"steps": may.steps, "seconds": may.seconds, **(options or {})}
    made = experimenter(agent, helper, flags, run)
    # these two count their own steps; the research agent's summaries and retrievals are calls of the model as well
    outer = may.model_copy(update={"steps": 4 * may.steps}) if agent in ("research_agent", "tree_search") else may
    samples = [_sample(problem, place_of(problem), space, brought(agent)) for problem in chosen]
    folder = Path(steps_dir) if steps_dir else cache_folder("steps")
    return Task(
        dataset=MemoryDataset(samples, name="experiments"),
        solver=chain(
            keep_steps(str(folder.resolve()), run or f"run-{secrets.token_hex(6)}"),
            working(made, "none", outer.model_dump()),
        ),
        scorer=judge_experiment(grade_steps, workers),
        epochs=Epochs(k, "mean"),
        config=GenerateConfig(cache=cache_policy(run)),
        working_limit=math.ceil(may.seconds),
        version=VERSION,
        metadata={
            "experiment": True,
            "suite": "experiments",
            "suite_version": "1",
            "agent": agent,
            "helper": helper,
            "options": options or {},
            "data": data_name(data, seed, Tier(tier)),
            "tier": tier,
            DATA_SEED_OF_RUN: seed,
            "published_sums": {each.name: sums(each) for each in chosen} if data != "lite" else {},
            "problems": [problem.name for problem in chosen],
            DIGESTS: {problem.name: f"{place_of(problem).workspace.parent.name}-{grader()[:16]}" for problem in chosen},
            "budget": may.model_dump(),
            "run": run,
            **shard_metadata(shard),
        },
    )


def _sample(
    problem: ResearchProblem, data: Prepared, limits: Limits, tools: tuple[tuple[str, str], ...]
) -> InspectSample:
    seen = mounts(problem, data)
    config = BubblewrapConfig(
        repository=str(seen.repository),
        environment=str(seen.environment),
        shown=(*((str(path), place) for path, place in seen.shown), *tools),
        installable=bool(tools),  # the proxy of a foreign agent's model writes into /var/tmp
        limits=limits,
    )
    return InspectSample(
        id=problem.name,
        input=[ChatMessageUser(content=problem.text.strip(), metadata={PROBLEM: problem.origin})],
        metadata={
            "problem": problem.name,
            "origin": problem.origin,
            "title": problem.title,
            "domain": problem.domain,
            "metric": problem.metric.model_dump(),
            "published": problem.published,
            "lite": problem.described,
        },
        sandbox=SandboxEnvironmentSpec("bubblewrap", config),
    )


@solver
def keep_steps(folder: str, run: str) -> Solver:
    """Prepare the sample's data if needed, and choose the folder of its steps."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = Path(folder, run, f"{state.sample_id}-{state.epoch}")
        data = await prepared(load_problem(**state.metadata["origin"]))
        Steps(place).begin()
        progress = store_as(Progress)
        progress.folder, progress.data = str(place), data.workspace.parent.name
        return state

    return solve
