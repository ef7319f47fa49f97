"""The task that judges workspaces which agents left in another harness."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mlbench.agents.agent_run import AgentRun
from mlbench.evals.ml_agent_bench.scorer import AgentScorer, agent_runtime
from mlbench.evals.ml_agent_bench.task import RUN_SECONDS, VERSION
from mlbench.evals.ml_llm_bench.dataset import row_metadata
from mlbench.evals.task_names import task_name
from mlbench.prompts.agent_prompt import agent_task
from mlbench.prompts.messages import ROW
from mlbench.reasons import AgentOutcome
from mlbench.records import Policy
from mlbench.run_config import limits_of
from mlbench.sandbox.limits import MIB, bounds
from mlbench.sandbox.submission_folder import FolderSandbox, SubmissionFolder
from mlbench.suites.shards import Shard, shard_metadata
from mlbench.suites.suite import load_suite

_FOLDER = "submission"
"""Key of a sample's metadata: the folder that is judged."""


@solver
def left_already() -> Solver:
    """Return a solver that does nothing: the agents have worked elsewhere."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]}, name="judge")
def judge_folder(
    suite: str,
    agent: str,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    repositories: Sequence[str] | None = None,
    policy: str | None = None,
) -> Scorer:
    """Judge the folder of each sample as `judge_agent` judges a sandbox.

    Args:
        suite: the suite of the samples.
        agent: the agent's name, for the record.
        limits: bounds of the trial, by name.
        workers: parallel trials (default: number of CPUs).
        repositories: those whose rows are judged; None for all.
        policy: see `agent_runtime`.
    """
    headline = Policy(policy) if policy else None
    runtime = agent_runtime(suite, bounds(limits), workers, headline, tuple(repositories or ()))
    core = AgentScorer(runtime)

    async def score(state: TaskState, target: Target) -> Score:
        sample = runtime.suite.row(state.metadata["row"]).sample
        repository = state.metadata["repository"]
        folder = SubmissionFolder.of(Path(state.metadata[_FOLDER]))
        submission = await anyio.to_thread.run_sync(
            folder.submission, runtime.checkouts[repository], runtime.suite.requirements
        )
        work = AgentRun(outcome=AgentOutcome.ENDED)
        box = FolderSandbox(folder.workspace)
        record = await core.judged(sample, repository, box, submission, work, agent)
        return Score(**record.parts())

    return score


@task(name=task_name("submissions"))
def submissions(
    folders: Sequence[str],
    rows: Sequence[int],
    suite: str = "pocket",
    agent: str = "elsewhere",
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    run: str | None = None,
    policy: str | None = None,
    shard: str | None = None,
) -> Task:
    """Judge folders that agents left; use with the model `mlbench/nothing`.

    Args:
        folders: workspaces, or folders with `workspace/` and `packages.txt`.
        rows: the row of each folder.
        suite: the suite of the rows.
        agent: the agent's name, for the log.
        limits: limits of the sandbox in which `run.sh` is judged.
        workers: submissions judged in parallel; None for the number of CPUs.
        run: the name of the run, for the log.
        policy: see `agent_runtime`.
        shard: judge only this part of the rows, such as `3/8`.

    Raises:
        UsageError: a folder or a row does not exist, or an argument is not allowed.
        RunError: the suite's environments are not available.
    """
    trial = limits_of(limits, seconds=RUN_SECONDS, written=1024 * MIB)
    loaded = load_suite(suite)
    if shard:
        own = set(Shard.parse(shard).part_of(rows))
        pairs = [(folder, id) for folder, id in zip(folders, rows, strict=True) if id in own]
        folders, rows = [folder for folder, _ in pairs], [id for _, id in pairs]
    names = sorted({loaded.repository_of(loaded.row(id).github_id).name for id in rows})
    runtime = agent_runtime(suite, trial, workers, Policy(policy) if policy else None, tuple(names))
    samples = []
    for at, (folder, id) in enumerate(zip(folders, rows, strict=True)):
        SubmissionFolder.of(Path(folder))
        listed = runtime.suite.row(id)
        repository = runtime.suite.repository_of(listed.github_id)
        number = list(rows[: at + 1]).count(id)
        text = agent_task(listed.sample, repository.name, "open", trial.seconds)
        about = row_metadata(listed.sample, repository, listed, number)
        samples.append(
            InspectSample(
                id=f"{id}#{number}",
                input=[ChatMessageUser(content=text, metadata={ROW: {"suite": suite, "id": id, "reply": None}})],
                target=listed.sample.output,
                metadata={**about, _FOLDER: folder},
            )
        )
    return Task(
        dataset=MemoryDataset(samples, name=f"{runtime.suite.name}-submissions"),
        solver=left_already(),
        scorer=judge_folder(suite, agent, trial.model_dump(), workers, names, policy),
        version=VERSION,
        metadata={
            **runtime.suite.log_metadata,
            "split": "submissions",
            "setting": f"agent {agent}",
            "agent": agent,
            "budget": {},
            "run": run,
            **shard_metadata(shard),
        },
    )
