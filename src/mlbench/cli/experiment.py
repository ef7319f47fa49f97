"""`mlbench experiment`: evaluate a research agent on the problems of MLAgentBench."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mlbench.cli.limits import budget
from mlbench.cli.options import (
    AgentBudgetOptions,
    Attempts,
    GenerationOptions,
    LogOptions,
    ModelOptions,
    ShardOptions,
    Workers,
    at_least,
    expand_options,
    given,
    only_resumes,
    pairs,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.eval_models import refuse_baseline
from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.evals.mlagentbench.problem import Data


@expand_options(max_samples=2)
def experiment(
    context: typer.Context,
    problems: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of problems (`mlbench list problems`), or folders of problems. "
            "`grade PROBLEM FILE...` grades submission files instead of running an agent; `review LOG...` shows scores "
            "that are too good to be true."
        ),
    ] = None,
    *,
    agent: Annotated[str, typer.Option(help="Name of the agent: see `mlbench list agents`.")] = ("research_agent"),
    asked: ModelOptions,
    helper_model: Annotated[
        str | None, typer.Option(help="Model for actions that ask a model themselves (default: the same model).")
    ] = None,
    profile: Annotated[
        Literal["published"] | None,
        typer.Option(
            help="published: the paper's data, starters and metrics (--data published) and its research agent; every "
            "step is graded."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say for each problem whether its data and logins are there.",
        ),
    ] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Run the research agent without its research log.")] = False,
    agent_option: Annotated[
        list[str] | None,
        typer.Option("--agent-option", help="Option of research_agent or tree_search, as NAME=VALUE; may be repeated."),
    ] = None,
    k: Attempts = 1,
    all_problems: Annotated[
        bool, typer.Option("--all", help="Run every problem that has data of the kind --data.")
    ] = False,
    check: Annotated[
        Path | None, typer.Option(help="Validate the problem in this folder instead of running an agent.")
    ] = None,
    new: Annotated[
        Path | None, typer.Option(help="Write a small sound problem into this new folder, to start from.")
    ] = None,
    check_seeds: Annotated[int, typer.Option(help="Number of data seeds that --check tries.")] = 3,
    data: Annotated[
        Literal["lite", "full", "published"] | None,
        typer.Option(
            help="lite (the default) is small data made on this machine; full is the published data in the same form; "
            "published is data, split, starter, metric and packages as published."
        ),
    ] = None,
    tier: Annotated[
        Literal["easy", "standard", "hard"],
        typer.Option(help="How hard the lite data are; `mlbench list problems` shows which problems have tiers."),
    ] = "standard",
    accept_terms: Annotated[
        bool, typer.Option("--accept-terms", help="Accept the terms of the published data and download them.")
    ] = False,
    data_seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the data, to repeat a run (default: lite data draw a secret one, which the log keeps)."
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            help="With `review LOG`: a suspect attempt whose score counts, as PROBLEM:NUMBER; may be repeated."
        ),
    ] = None,
    reject: Annotated[
        list[str] | None, typer.Option(help="With `review LOG`: a suspect attempt whose score does not count.")
    ] = None,
    grade_steps: Annotated[
        bool, typer.Option(help="Grade the workspace after every step, not only at the end.")
    ] = False,
    part: ShardOptions,
    generation: GenerationOptions,
    limits: AgentBudgetOptions,
    workers: Workers = 1,
    logs: LogOptions,
) -> None:
    """Evaluate a research agent on problems of MLAgentBench.

    Each problem has a starter program and a score. The agent improves the program, and its submission is graded by the
    improvement over the starter.
    """
    at_least(1, step_limit=limits.step_limit, k=k, check_seeds=check_seeds)
    from mlbench import eval_models, eval_runs

    data = _data_of(data, profile)
    config = run_config(logs, asked, generation, budget=budget(limits), prices=limits.model_cost, workers=workers)
    eval_runs.known_display(logs.display)
    if new is not None:
        _new(new)
        return
    if check is not None:
        _check(check, data, accept_terms, data_seed, tier, check_seeds)
        return
    if problems and problems[0] == "grade":
        _grade(problems[1:], data, accept_terms, data_seed, tier)
        return
    if problems and problems[0] == "review":
        from mlbench.cli.experiment_review import review_suspects

        review_suspects([Path(log) for log in problems[1:]], accept or [], reject or [])
        return
    if accept or reject:
        raise UsageError("--accept and --reject belong to a review: mlbench experiment review LOG --accept clrs:1")
    if logs.resume:
        only_resumes(context)
        show_run(
            eval_runs.resume(eval_runs.unfinished(logs.log_dir, None, bench=eval_runs.EXPERIMENTS), config),
            Policy.STRICT,
        )
        return
    from mlbench.evals.mlagentbench.problem import load_problem
    from mlbench.evals.mlagentbench.problem import problems as bundled

    if not problems and not all_problems:
        raise UsageError(f"no problem is given: choose from {', '.join(bundled())}, or take all with --all")
    names = [_name_or_path(name, bundled()) for name in dict.fromkeys(problems or bundled(data))]
    shard = part.chosen()
    if shard and data == "lite" and data_seed is None:
        raise UsageError("shards of one run need the same data: give --data-seed N, the same N for all of them")
    for name in names:
        load_problem(name, data, tier=tier)
    if dry_run:
        from mlbench.cli.experiment_dry_run import show_what_is_missing

        show_what_is_missing([load_problem(name, data) for name in names], accept_terms)
        return
    options = {**pairs(agent_option or [], "--agent-option"), **({"log": False} if no_log else {})}
    if profile and agent.replace("-", "_") == "research_agent":
        options = {**_published_options(), **options}
    if asked.model is not None:
        eval_models.check_key(asked.model, config)
    from mlbench.evals.mlagentbench.registry import asks_model, known

    asking = asks_model(known(agent, options))
    if asked.model is None and asking:
        raise UsageError("no model is given: --model openai/gpt-4o, for example; --agent trivial needs none")
    refuse_baseline(asked.model if asking else None, "--agent trivial needs no model")
    if helper_model is not None:
        from mlbench.run_config import RunConfig

        eval_models.model_of(helper_model, RunConfig())
    from mlbench.doctor import before_first_run

    before_first_run()
    from mlbench.evals.mlagentbench.problem import drawn_seed
    from mlbench.evals.mlagentbench.task import experiment as task
    from mlbench.same_run import run_or_continue

    seed = drawn_seed(data) if data_seed is None else data_seed
    make = partial(
        task,
        names=names,
        agent=agent,
        data=data,
        accept_terms=accept_terms,
        data_seed=seed,
        tier=tier,
        helper=helper_model,
        options=options,
        k=k,
        budget=config.budget.given(),
        workers=workers or 1,
        grade_steps=grade_steps or profile is not None,
        steps_dir=str((logs.log_dir / "steps").resolve()),  # a resumed run works in the task's folder
        shard=shard,
    )
    model = asked.model or "mlbench/nothing"
    if shard:
        log = run_or_continue(make, model, config)
    else:
        made = make(run=eval_runs.new_run_name())
        eval_models.model_of(model, config)  # what is refused is refused in one line, before the seed is shown
        if data_seed is None and data == "lite":  # a run that is stopped midway shows nothing at its end
            said = f"mlbench: data seed {seed}, drawn for this run; repeat it with --data-seed"
            print(said, file=sys.stderr, flush=True)
        log = eval_runs.run(made, model, config)
    show_run(log, Policy.STRICT)


def _data_of(data: Data | None, profile: str | None) -> Data:
    """Return the kind of data: what is asked for, or what the profile needs.

    Raises:
        UsageError: the profile needs another kind.
    """
    if profile is None:
        return data or "lite"
    if data not in (None, "published"):
        raise UsageError(f"--profile published needs --data published, not {data}")
    return "published"


def _published_options() -> dict[str, bool]:
    """Return the options of the research agent as published that are not its defaults."""
    from dataclasses import asdict

    from mlbench.evals.mlagentbench.research_agent import PUBLISHED, ResearchOptions

    usual = asdict(ResearchOptions())
    return {name: value for name, value in asdict(PUBLISHED).items() if value != usual[name]}


def _name_or_path(name: str, bundled: Sequence[str]) -> str:
    """Return a bundled problem's name, or a folder's absolute path (a run may be resumed from another folder)."""
    return name if name in bundled or not Path(name).is_dir() else str(Path(name).resolve())


def _new(folder: Path) -> None:
    """Write a small sound problem into a new folder.

    Raises:
        UsageError: the folder is not new, or its name cannot be a problem's.
    """
    from mlbench.evals.mlagentbench.new_problem import write_problem

    write_problem(folder)
    print(f"{folder} holds a sound problem; edit its files, then: mlbench experiment --check {folder}")


def _grade(words: Sequence[str], data: Data, accept_terms: bool, data_seed: int | None, tier: str) -> None:
    """Grade submission files and print the score, or why there is none.

    Raises:
        SystemExit: the submission is not valid; exit code 1.
        UsageError: a problem or a file is missing.
    """
    import anyio

    from mlbench.evals.mlagentbench.download import fetched
    from mlbench.evals.mlagentbench.grade_files import graded_files
    from mlbench.evals.mlagentbench.problem import load_problem

    if len(words) < 2:
        raise UsageError(
            "grade takes a problem and its submission: mlbench experiment grade house-price submission.csv"
        )
    name, *files = words
    problem = load_problem(name, data, tier=tier, **given(seed=data_seed))
    if data != "lite":
        fetched(problem, accept_terms, print)
    found = anyio.run(graded_files, problem, [Path(file) for file in files])
    if found.score is None:
        print(f"no valid submission: {found.invalid}")
        raise SystemExit(1)
    print(f"{problem.metric.name}: {found.score:.6g} {problem.metric.unit}".rstrip())


def _check(folder: Path, data: Data, accept_terms: bool, data_seed: int | None, tier: str, seeds: int) -> None:
    """Validate a problem and print one line per finding, all faults that can be found at once.

    Raises:
        SystemExit: a finding is bad; exit code 1.
        UsageError: published data are not checked so.
    """
    if data == "published":
        raise UsageError(
            "--check is for --data lite and full; mlbench list problems --published has the published ones"
        )
    import anyio

    from mlbench.evals.mlagentbench.download import fetched
    from mlbench.evals.mlagentbench.problem import load_problem
    from mlbench.evals.mlagentbench.problem_faults import problem_faults
    from mlbench.evals.mlagentbench.validate_problem import checked

    faults = problem_faults(folder) if folder.is_dir() else []
    for fault in faults:
        print(f"BAD  {folder}/{fault.where}: {fault.what}")
    if any(fault.stops for fault in faults):
        raise SystemExit(1)
    problem = load_problem(folder, data, tier=tier, **given(seed=data_seed))
    if data != "lite":
        fetched(problem, accept_terms, print)

    async def look() -> bool:
        good = True
        async for finding in checked(problem, seeds):
            good = good and finding.good
            where = "" if finding.good or not finding.where else f"{folder}/{finding.where}: "
            print(f"{'ok ' if finding.good else 'BAD'}  {where}{finding.what}: {finding.detail}", flush=True)
        return good

    if not anyio.run(look) or faults:
        raise SystemExit(1)
