"""`mlbench agent`: agents at work, judged by what they leave; `mlbench agents`: which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.limits import budget
from mlbench.cli.list import list_agents
from mlbench.cli.options import (
    AgentBudgetOptions,
    Attempts,
    GenerationOptions,
    LogOptions,
    ModelOptions,
    RowOptions,
    Suite,
    Workers,
    expand_options,
    only_resumes,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.sandbox.limits import Limits

agents = typer.Typer(no_args_is_help=False, help="List the agents, and install those of other projects.")


@expand_options(split="quarter", step_limit=50, time_limit=1800.0)
def agent(
    context: typer.Context,
    suite: Suite = None,
    *,
    agent: Annotated[str, typer.Option(help="The agent: `mlbench list agents` shows them.")] = "codeact",
    asked: ModelOptions,
    k: Attempts = 1,
    rows: RowOptions,
    generation: GenerationOptions,
    limits: AgentBudgetOptions,
    sandbox: Annotated[str, typer.Option(help="Where agents work: bubblewrap or docker.")] = "bubblewrap",
    network: Annotated[str, typer.Option(help="What they reach: none, index (of packages) or open.")] = "index",
    run_limit: Annotated[float, typer.Option(help="Seconds of wall time of `run.sh` when it is judged.")] = 120.0,
    memory_limit: Annotated[float, typer.Option(help="MiB of memory of one sandbox, all its processes.")] = 2048,
    disk_limit: Annotated[float, typer.Option(help="MiB that may be written in one sandbox.")] = 2048,
    workers: Workers = None,
    logs: LogOptions,
) -> None:
    """Let an agent work on each row of a suite in a fresh sandbox, and judge its submission."""
    from mlbench import eval_runs
    from mlbench.doctor import before_first_run
    from mlbench.run_config import limits_of, mib
    from mlbench.suites.suite import full_name, load_suite

    eval_runs.known_display(logs.display)
    config = run_config(
        logs,
        asked,
        generation,
        budget=budget(limits),
        prices=limits.model_cost,
        limits=limits_of({"seconds": run_limit}),
        sandbox_limits=limits_of({"memory": mib(memory_limit) or 0, "written": mib(disk_limit) or 0}),
        workers=workers,
        max_samples=logs.max_samples or default_samples(),
    )
    if logs.resume:
        only_resumes(context, "suite")
        of_suite = None if suite is None else load_suite(suite).name
        show_run(
            eval_runs.resume(eval_runs.unfinished(logs.log_dir, of_suite, bench=eval_runs.AGENTS), config),
            Policy.STRICT,
        )
        return
    if suite is None:
        raise UsageError("which suite? `mlbench list suites` shows them")
    suite = full_name(suite)
    if k < 1:
        raise UsageError(f"-k {k}: at least 1 attempt a row is needed")
    from mlbench.suites.selection import select

    select(load_suite(suite), rows.split, repo=rows.repo, limit=rows.limit)
    if asked.model is not None:
        eval_runs.check_key(asked.model, config)
    from mlbench.agents.registry import entry

    chosen = entry(agent)
    if asked.model is None and chosen.model:
        raise UsageError("which model? like --model openai/gpt-4o; --agent gold needs none")
    before_first_run()  # submissions are judged in bubblewrap, wherever agents work
    from mlbench.evals.ml_agent_bench.task import agent_bench

    task = agent_bench(
        suite=suite,
        agent=chosen.name,
        split=rows.split,
        repo=rows.repo,
        limit=rows.limit,
        k=k,
        sandbox=sandbox,
        network=network,
        budget=config.budget.given(),
        sandbox_limits=_set(config.sandbox_limits),
        limits=_set(config.limits),
        workers=workers,
        run=eval_runs.new_run_name(),
    )
    show_run(eval_runs.run(task, asked.model or NO_MODEL, config), Policy.STRICT)


def _set(limits: Limits | None) -> dict[str, float]:
    """The bounds that were given; the task has defaults of its own for the others."""
    return limits.model_dump(exclude_unset=True) if limits else {}


NO_MODEL = "mlbench/nothing"
"""What stands in the log for agents that ask no model."""


def default_samples() -> int:
    """Agents wait for models most of the time: four at once for each processor, and eight at least."""
    import os

    return max(8, 4 * len(os.sched_getaffinity(0)))


@agents.callback(invoke_without_command=True)
def agents_list(
    context: typer.Context,
    sandbox: Annotated[str, typer.Option(help="Where they are to work: bubblewrap or docker.")] = "bubblewrap",
) -> None:
    """List the agents, and whether they are installed; or install one."""
    if context.invoked_subcommand is None:
        list_agents(sandbox)


@agents.command()
def install(
    names: Annotated[list[str], typer.Argument(help="Foreign agents; their packages take hundreds of MB.")],
    image: Annotated[str | None, typer.Option(help="For docker: the image in which they are to work.")] = None,
) -> None:
    """Build the environments of foreign agents, from their locked requirements."""
    from mlbench.agents.agent_envs import agent_environment
    from mlbench.agents.registry import entry

    chosen = [entry(name) for name in names]
    for each in chosen:
        if not each.foreign:
            raise UsageError(f"{each.name} is part of mlbench: there is nothing to install")
    for each in chosen:
        print(f"{each.name}: {agent_environment(each.name, image)}")
