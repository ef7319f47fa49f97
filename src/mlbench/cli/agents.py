"""`mlbench agent`: agents at work, judged by what they leave; `mlbench agents`: which there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import Display, LogDir, ModelArguments, Workers, at_least, given, only_goes_on, run_options
from mlbench.cli.showing import show_run
from mlbench.types import Policy, UsageError

MIB = 1024 * 1024

agents = typer.Typer(no_args_is_help=False, help="The agents: which there are, and how the foreign ones are installed.")


def agent(
    context: typer.Context,
    suite: Annotated[str | None, typer.Argument(help="A bundled suite, or the folder of one.")] = None,
    agent: Annotated[str, typer.Option(help="Who works: `mlbench agents` lists them.")] = "codeact",
    model: Annotated[str | None, typer.Option(help="PROVIDER/NAME as in Inspect.")] = None,
    split: Annotated[str, typer.Option(help="full, quarter, id_train or ood_train.")] = "quarter",
    limit: Annotated[int | None, typer.Option(help="Only so many rows, spread over the split.")] = None,
    repo: Annotated[str | None, typer.Option(help="Only this repository.")] = None,
    k: Annotated[int, typer.Option("-k", help="Attempts a row.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run that did not finish.")] = False,
    sandbox: Annotated[str, typer.Option(help="Where agents work: bubblewrap or docker.")] = "bubblewrap",
    network: Annotated[str, typer.Option(help="What they reach: none, index (of packages) or open.")] = "index",
    step_limit: Annotated[int, typer.Option(help="Model calls of one sample; one more ends it.")] = 50,
    token_limit: Annotated[int | None, typer.Option(help="Tokens of one sample.")] = None,
    cost_limit: Annotated[float | None, typer.Option(help="Dollars of one sample.")] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds of one sample, without waiting for a turn.")] = 1800.0,
    run_limit: Annotated[float, typer.Option(help="Seconds of `run.sh` when it is judged.")] = 120.0,
    memory_limit: Annotated[float, typer.Option(help="MiB of memory of one sandbox.")] = 2048,
    disk_limit: Annotated[float, typer.Option(help="MiB that may be written in one sandbox.")] = 2048,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint.")] = None,
    model_arg: ModelArguments = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of one reply.")] = None,
    seed: Annotated[int | None, typer.Option(help="For the providers that take one.")] = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests to the model at the same time.")] = None,
    max_retries: Annotated[int, typer.Option(help="Tries of one request when the endpoint fails.")] = 7,
    model_cost: Annotated[Path | None, typer.Option(help="Prices of models, as Inspect reads them.")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Samples under way at the same time.")] = None,
    workers: Workers = None,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Have an agent work on a suite's rows, each in a fresh sandbox; judge what it leaves."""
    from mlbench import runs
    from mlbench.agents.roster import entry
    from mlbench.samples.suites import full_name, load_suite

    at_least(1, max_samples=max_samples, max_connections=max_connections, max_tokens=max_tokens, step_limit=step_limit)
    at_least(0, max_retries=max_retries)
    options = run_options(
        log_dir,
        display,
        base_url,
        model_arg,
        max_samples or default_samples(),
        model_cost,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        max_connections=max_connections,
        max_retries=max_retries,
    )
    if resume:
        only_goes_on(context, "suite")
        of_suite = None if suite is None else load_suite(suite).name
        show_run(runs.resume(runs.unfinished(log_dir, of_suite, bench=runs.AGENTS), options), Policy.STRICT)
        return
    if suite is None:
        raise UsageError("which suite? `mlbench suites` lists them")
    chosen = entry(agent)
    if model is None and chosen.model:
        raise UsageError("which model? like --model openai/gpt-4o; --agent gold needs none")
    if k < 1:
        raise UsageError(f"-k {k}: at least 1 attempt a row is needed")
    from mlbench.tasks.agent_bench import agent_bench

    task = agent_bench(
        suite=full_name(suite),
        agent=chosen.name,
        split=split,
        repo=repo,
        limit=limit,
        k=k,
        sandbox=sandbox,
        network=network,
        work=given(steps=step_limit, tokens=token_limit, cost=cost_limit, seconds=time_limit),
        room={"memory": int(memory_limit * MIB), "written": int(disk_limit * MIB)},
        limits={"seconds": run_limit},
        workers=workers,
        run=runs.new_run_name(),
    )
    show_run(runs.run(task, model or NO_MODEL, options), Policy.STRICT)


NO_MODEL = "mlbench/nothing"
"""What stands in the log for agents that ask no model."""


def default_samples() -> int:
    """Agents wait for models most of the time: four at once for each processor, and eight at least."""
    import os

    return max(8, 4 * len(os.sched_getaffinity(0)))


@agents.callback(invoke_without_command=True)
def list_agents(
    context: typer.Context,
    sandbox: Annotated[str, typer.Option(help="Where they are to work: bubblewrap or docker.")] = "bubblewrap",
) -> None:
    """Show the agents, and whether they are ready."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console
    from rich.table import Table

    from mlbench.agents.installed import why_not
    from mlbench.agents.roster import ROSTER
    from mlbench.sandbox.workshop import image_of_agents, known_provider

    image = image_of_agents() if known_provider(sandbox) == "docker" else None
    table = Table("agent", "what it is", "", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for entry in ROSTER.values():
        problem = why_not(entry.name, image) if entry.foreign else None
        table.add_row(entry.name, entry.about, problem.removeprefix(f"the agent {entry.name} ") if problem else "ready")
    Console().print(table)


@agents.command()
def install(
    names: Annotated[list[str], typer.Argument(help="Foreign agents; their packages take hundreds of MB.")],
    image: Annotated[str | None, typer.Option(help="For docker: the image in which they are to work.")] = None,
) -> None:
    """Build the environments of foreign agents, from their locked requirements."""
    from mlbench.agents.installed import agent_environment
    from mlbench.agents.roster import entry

    chosen = [entry(name) for name in names]
    for each in chosen:
        if not each.foreign:
            raise UsageError(f"{each.name} is part of mlbench: there is nothing to install")
    for each in chosen:
        print(f"{each.name}: {agent_environment(each.name, image)}")
