"""The task that judges answers made elsewhere."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import generate

from mlbench.evals.ml_llm_bench.dataset import inspect_samples
from mlbench.evals.ml_llm_bench.scorer import judge
from mlbench.evals.ml_llm_bench.task import VERSION
from mlbench.evals.task_names import task_name
from mlbench.prompts.context import Context
from mlbench.records import Policy
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine
from mlbench.suites.outputs import read_outputs
from mlbench.suites.selection import shard_of
from mlbench.suites.shards import shard_metadata


@task(name=task_name("verify"))
def verify(
    outputs: str,
    suite: str = "pocket",
    sandbox: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    cache: bool = True,
    policy: Policy | None = None,
    gpus: bool = False,
    execute: bool = True,
    run: str | None = None,
    shard: str | None = None,
) -> Task:
    """Judge the answers of a JSON Lines file; use with the model `mlbench/replay`.

    If the file says what made its answers (`AnsweredBy`), the log has its split and setting, and results its model.

    Args:
        outputs: the path of the file.
        suite: the suite of the answered rows.
        sandbox: where answers run: `bubblewrap`, `docker`, `k8s` or `local`.
        paper_timeout: the time limit of the published rule, in seconds.
        limits: limits of one answer's sandbox, by name (`Limits`).
        workers: answers judged in parallel; None for the number of CPUs.
        cache: use the verdict cache.
        policy, gpus: see `llm_bench`.
        execute: False judges by `interface` alone and runs nothing.
        run: the name of the run, for the log.
        shard: judge only the answers to this part of the rows, such as `3/8`.

    Raises:
        UsageError: the file cannot be read, or an argument is not allowed.
        RunError: the suite's checkouts or environments cannot be made.
    """
    runtime = machine(sandbox, suite, bounds(limits), workers, policy, gpus, execute)
    given = read_outputs(Path(outputs), runtime.suite)
    maker = given.answered_by
    context = Context(maker.context_tokens, reply=maker.reply_tokens) if maker else None
    attempts = shard_of(given.attempts, shard)
    samples = inspect_samples(suite, attempts, maker.setting if maker else "oracle", runtime, context)
    return Task(
        dataset=MemoryDataset(samples, name=Path(outputs).name),
        solver=generate(),
        scorer=judge(suite, sandbox, paper_timeout, limits, workers, cache, policy, gpus, execute),
        version=VERSION,
        metadata={
            **runtime.suite.log_metadata,
            "split": maker.split if maker else "outputs",
            "setting": maker.setting if maker else "given",
            "outputs": outputs,
            "run": run,
            **shard_metadata(shard, Path(outputs)),
            **({"answered_by": maker.model_dump()} if maker else {}),
        },
    )
