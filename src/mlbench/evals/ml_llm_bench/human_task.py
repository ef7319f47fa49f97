"""The task that judges the answers of a person."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import generate

from mlbench.evals.ml_llm_bench.dataset import inspect_samples
from mlbench.evals.ml_llm_bench.scorer import judge
from mlbench.evals.ml_llm_bench.task import VERSION
from mlbench.evals.task_names import task_name
from mlbench.human.session import HumanSession
from mlbench.human.session_records import PERSON
from mlbench.records import Policy, UsageError
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine


@task(name=task_name("human"))
def human(
    session: str,
    sandbox: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    cache: bool = True,
    policy: Policy | None = None,
    gpus: bool = False,
) -> Task:
    """Judge the answers of a session of `mlbench human`; use with the model of `model_of_person`.

    Args:
        session: the session's folder.
        sandbox: where answers run: `bubblewrap`, `docker`, `k8s` or `local`.
        paper_timeout: the time limit of the published rule, in seconds.
        limits: limits of one answer's sandbox, by name (`Limits`).
        workers: answers judged in parallel; None for the number of CPUs.
        cache: use the verdict cache.
        policy, gpus: see `llm_bench`.

    Raises:
        UsageError: the folder holds no session or no answer, or an argument is not allowed.
        RunError: the suite's checkouts or environments cannot be made.
    """
    taken = HumanSession(Path(session))
    plan, attempts = taken.plan, taken.attempts()
    if not attempts:
        raise UsageError(f"{session}: no row is answered yet; `mlbench human` opens the page")
    runtime = machine(sandbox, plan.suite, bounds(limits), workers, policy, gpus)
    return Task(
        dataset=MemoryDataset(
            inspect_samples(plan.suite, attempts, plan.setting, runtime), name=f"{runtime.suite.name}-{plan.split}"
        ),
        solver=generate(),
        scorer=judge(plan.suite, sandbox, paper_timeout, limits, workers, cache, policy, gpus),
        version=VERSION,
        metadata={
            "suite": runtime.suite.name,
            "suite_version": runtime.suite.version,
            "split": plan.split,
            "setting": plan.setting,
            "repository": plan.repo,
            "person": plan.person,
            "rows_of_session": len(plan.rows),
        },
    )


def model_of_person(person: str) -> str:
    """The name that stands for a person where a log has its model: `mlbench/human` or `mlbench/human/NAME`."""
    return f"mlbench/{PERSON}" + ("" if person == PERSON else f"/{person}")
