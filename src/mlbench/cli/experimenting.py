"""`mlbench experiment`: agents that improve a starter, graded by how much better their work is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mlbench.cli.options import Display, LogDir, ModelArguments, at_least, given, only_goes_on, pairs, run_options
from mlbench.cli.showing import show_run
from mlbench.types import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.experiments.problem import Data


def experiment(
    context: typer.Context,
    problems: Annotated[list[str] | None, typer.Argument(help="Problems, or folders of problems.")] = None,
    agent: Annotated[str, typer.Option(help="research_agent, react, trivial, or one of `mlbench agents`.")] = (
        "research_agent"
    ),
    model: Annotated[str | None, typer.Option(help="PROVIDER/NAME as in Inspect.")] = None,
    helper_model: Annotated[str | None, typer.Option(help="For the composed actions; else the same model.")] = None,
    no_log: Annotated[bool, typer.Option("--no-log", help="The research agent keeps no research log.")] = False,
    flag: Annotated[list[str] | None, typer.Option("--flag", help="NAME=VALUE for the research agent.")] = None,
    k: Annotated[int, typer.Option("-k", help="Runs of each problem; 8 as published.")] = 1,
    all_problems: Annotated[bool, typer.Option("--all", help="All of which there are such data.")] = False,
    check: Annotated[Path | None, typer.Option(help="Say whether the problem of this folder is sound.")] = None,
    seeds: Annotated[int, typer.Option(help="For --check.")] = 3,
    data: Annotated[Literal["lite", "full"], typer.Option(help="Small data, or the published ones.")] = "lite",
    accept_terms: Annotated[
        bool, typer.Option("--accept-terms", help="Published data may be fetched: you accept the terms of each.")
    ] = False,
    data_seed: Annotated[
        int | None, typer.Option(help="Other data than the known ones; a long number, as a short one can be guessed.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run that did not finish.")] = False,
    step_limit: Annotated[int | None, typer.Option(help="Model calls of one run; one more ends it.")] = None,
    token_limit: Annotated[int | None, typer.Option(help="Tokens of one run.")] = None,
    cost_limit: Annotated[float | None, typer.Option(help="Dollars of one run.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds of one run, without waiting for a turn.")] = None,
    grade_steps: Annotated[bool, typer.Option(help="Grade the workspace after every step.")] = False,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint.")] = None,
    model_arg: ModelArguments = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests to the model at the same time.")] = None,
    max_retries: Annotated[int, typer.Option(help="Tries of one request when the endpoint fails.")] = 7,
    model_cost: Annotated[Path | None, typer.Option(help="Prices of models, as Inspect reads them.")] = None,
    max_samples: Annotated[int, typer.Option(help="Runs under way at the same time.")] = 2,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Have an agent improve the starter of research problems; grade what it leaves."""
    at_least(1, max_samples=max_samples, max_connections=max_connections, step_limit=step_limit, k=k, seeds=seeds)
    at_least(0, max_retries=max_retries)
    if check is not None:
        _check(check, data, accept_terms, data_seed, seeds)
        return
    from mlbench import runs

    options = run_options(
        log_dir,
        display,
        base_url,
        model_arg,
        max_samples,
        model_cost,
        temperature=temperature,
        max_connections=max_connections,
        max_retries=max_retries,
    )
    if resume:
        only_goes_on(context)
        show_run(runs.resume(runs.unfinished(log_dir, None, bench=runs.EXPERIMENTS), options), Policy.STRICT)
        return
    from mlbench.experiments.problem import problems as bundled

    if not problems and not all_problems:
        raise UsageError(f"which problem? there are: {', '.join(bundled())}; --all takes all of them")
    from mlbench.agents.experimenters import asks_model, known

    flags = {**pairs(flag or [], "--flag"), **({"log": False} if no_log else {})}
    if model is None and asks_model(known(agent, flags)):
        raise UsageError("which model? like --model openai/gpt-4o; --agent trivial needs none")
    if helper_model is not None:
        runs.model_of(helper_model, runs.Options())
    from mlbench.tasks.experiment import experiment as task

    made = task(
        names=[_place(name, bundled()) for name in dict.fromkeys(problems or bundled(data))],
        agent=agent,
        data=data,
        accept_terms=accept_terms,
        **given(data_seed=data_seed),
        helper=helper_model,
        options=flags,
        k=k,
        work=given(steps=step_limit, tokens=token_limit, cost=cost_limit, seconds=time_limit),
        grade_steps=grade_steps,
        steps_dir=str(log_dir / "steps"),
        run=runs.new_run_name(),
    )
    show_run(runs.run(made, model or "mlbench/nothing", options), Policy.STRICT)


def _place(name: str, bundled: Sequence[str]) -> str:
    """A folder by its whole path, as a run may be resumed from elsewhere; a bundled problem by its name."""
    return name if name in bundled or not Path(name).is_dir() else str(Path(name).resolve())


def _check(folder: Path, data: Data, accept_terms: bool, data_seed: int | None, seeds: int) -> None:
    """One line for each thing that was looked at; exit code 1 where one is not as it must be."""
    import anyio

    from mlbench.experiments.checks import checked
    from mlbench.experiments.problem import load_problem
    from mlbench.experiments.published import fetched

    problem = load_problem(folder, data, **given(seed=data_seed))
    if data == "full":
        fetched(problem, accept_terms, print)

    async def look() -> bool:
        good = True
        async for finding in checked(problem, seeds):
            good = good and finding.good
            print(f"{'ok ' if finding.good else 'BAD'}  {finding.what}: {finding.said}", flush=True)
        return good

    if not anyio.run(look):
        raise SystemExit(1)
