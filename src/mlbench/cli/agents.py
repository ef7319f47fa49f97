"""`mlbench agent`: evaluate an agent on a suite; `mlbench agents`: list and install agents."""

from __future__ import annotations

from functools import partial
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
    ShardOptions,
    Suite,
    Workers,
    at_least,
    expand_options,
    only_resumes,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.eval_models import refuse_baseline
from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.sandbox.limits import Limits

agents = typer.Typer(no_args_is_help=False, help="List the agents, and install those of other projects.")


@expand_options(split="quarter", step_limit=50, time_limit=1800.0)
def agent(
    context: typer.Context,
    suite: Suite = None,
    *,
    agent: Annotated[str, typer.Option(help="Name of the agent: see `mlbench list agents`.")] = "codeact",
    asked: ModelOptions,
    k: Attempts = 1,
    rows: RowOptions,
    part: ShardOptions,
    generation: GenerationOptions,
    limits: AgentBudgetOptions,
    sandbox: Annotated[
        str, typer.Option(help="Sandbox in which the agent works: bubblewrap or docker.")
    ] = "bubblewrap",
    network: Annotated[
        str, typer.Option(help="Network of the agent: none, index (a package index only) or open.")
    ] = "index",
    policy: Annotated[
        Policy | None,
        typer.Option(
            help="Rule that decides which run.sh passes: interface checks the programs that it starts, and runs"
            " nothing; strict runs it (default: strict, or interface for a suite of real repositories)."
        ),
    ] = None,
    run_limit: Annotated[float, typer.Option(help="Maximum seconds of wall time for which run.sh runs.")] = 120.0,
    memory_limit: Annotated[float, typer.Option(help="Maximum memory of one sandbox, in MiB.")] = 2048,
    disk_limit: Annotated[float, typer.Option(help="Maximum size of all files written in one sandbox, in MiB.")] = 2048,
    workers: Workers = None,
    logs: LogOptions,
) -> None:
    """Evaluate an agent on a suite, and judge its submissions.

    The agent solves each row in a fresh sandbox that holds the repository. It leaves a script, `run.sh`, which is run
    and judged like a model's answer.
    """
    from mlbench import eval_models, eval_runs
    from mlbench.doctor import before_first_run
    from mlbench.run_config import limits_of, mib
    from mlbench.same_run import run_anew, run_or_continue
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
        raise UsageError("no suite is given: `mlbench list suites` shows their names")
    suite = full_name(suite)
    at_least(1, k=k)
    from mlbench.suites.selection import select

    shard = part.chosen()
    selected = select(load_suite(suite), rows.split, repo=rows.repo, limit=rows.limit, shard=shard)
    if asked.model is not None:
        eval_models.check_key(asked.model, config)
    from mlbench.agents.registry import entry

    chosen = entry(agent)
    if asked.model is None and chosen.model:
        raise UsageError("no model is given: --model openai/gpt-4o, for example; --agent gold needs none")
    refuse_baseline(asked.model if chosen.model else None, "--agent gold needs no model")
    before_first_run()  # submissions are judged in bubblewrap, wherever agents work
    from mlbench.evals.ml_agent_bench.baselines import refuse_unsolvable
    from mlbench.evals.ml_agent_bench.task import agent_bench, trial_runtime

    if chosen.model and asked.model is not None:  # the other agents measure just this
        eval_models.model_of(asked.model, config)  # is asked in a second; the references take a minute
        runtime = trial_runtime(suite, _set(config.limits), workers, policy, rows.repo)
        refuse_unsolvable(runtime, selected)
    make = partial(
        agent_bench,
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
        policy=policy,
        shard=shard,
    )
    start = run_or_continue if shard else run_anew
    show_run(start(make, asked.model or NO_MODEL, config), policy or Policy.STRICT)


def _set(limits: Limits | None) -> dict[str, float]:
    """Return the limits that were given; the task has its own defaults for the others."""
    return limits.model_dump(exclude_unset=True) if limits else {}


NO_MODEL = "mlbench/nothing"
"""Model in the log of an agent that asks no model."""


def default_samples() -> int:
    """Return how many agents work in parallel: four per CPU, at least eight, because they mostly wait for models."""
    import os

    return max(8, 4 * len(os.sched_getaffinity(0)))


@agents.callback(invoke_without_command=True)
def agents_list(
    context: typer.Context,
    sandbox: Annotated[
        str, typer.Option(help="Sandbox in which the agents are to work: bubblewrap or docker.")
    ] = "bubblewrap",
) -> None:
    """List the agents and whether they are installed; or install agents of other projects."""
    if context.invoked_subcommand is None:
        list_agents(sandbox)


@agents.command()
def install(
    names: Annotated[list[str], typer.Argument(help="Names of agents; each takes some hundred MB.")],
    image: Annotated[
        str | None, typer.Option(help="Docker image in which the agents are to work (default: bubblewrap).")
    ] = None,
) -> None:
    """Install agents of other projects.

    Each gets a folder of its own, with the packages of PyPI or npm that its lock names.
    """
    from mlbench.agents.agent_envs import agent_environment
    from mlbench.agents.registry import entry

    chosen = [entry(name) for name in names]
    for each in chosen:
        if not each.foreign:
            raise UsageError(f"{each.name} is part of mlbench and needs no installation")
    for each in chosen:
        print(f"{each.name}: {agent_environment(each.name, image)}")
