"""`mlbench eval`: evaluate a model on a suite."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mlbench.cli.limits import budget, judge_limits
from mlbench.cli.options import (
    Attempts,
    BudgetOptions,
    Cache,
    Executed,
    GenerationOptions,
    Gpus,
    JudgeOptions,
    LogOptions,
    ModelOptions,
    PaperTimeout,
    RayAddress,
    RowOptions,
    Sandbox,
    ShardOptions,
    Suite,
    Workers,
    at_least,
    expand_options,
    only_resumes,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.prompts.context import Variant
from mlbench.records import Policy, UsageError

_TIME_LIMIT = "mlbench: note: --time-limit limits the working time of one sample; --run-limit limits one answer's run"
"""Said until 1.0: the option had the meaning of `--run-limit`."""


@expand_options()
def evaluate(
    context: typer.Context,
    suite: Suite = None,
    *,
    asked: ModelOptions,
    setting: Annotated[
        str, typer.Option(help="What the prompt holds besides the instruction: see `mlbench list settings`.")
    ] = "oracle",
    context_tokens: Annotated[
        int | None,
        typer.Option(
            help="Context window in tokens, prompt and reply together (default: the endpoint's, or 128,000);"
            " not used by the setting oracle."
        ),
    ] = None,
    retrieval: Annotated[Variant, typer.Option(help="Files that the setting retrieval searches.")] = "paper",
    tokenizer: Annotated[
        str, typer.Option(help="Token counter: estimate, a tiktoken encoding, or the path of a tokenizer.json.")
    ] = "estimate",
    agent: Annotated[
        str | None, typer.Option(help="Agent that answers instead of one model call: ml_agent or ml_agent-chooses.")
    ] = None,
    k: Attempts = 1,
    rows: RowOptions,
    part: ShardOptions,
    ray: RayAddress = None,
    generation: GenerationOptions,
    limits: BudgetOptions,
    sandbox: Sandbox = "bubblewrap",
    policy: Executed = None,
    gpus: Gpus = False,
    judging: JudgeOptions,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    cache: Cache = True,
    logs: LogOptions,
) -> None:
    """Evaluate a model on a suite, and judge its answers.

    Each row of a suite asks for a command or for code that uses a repository. The verdicts are written to a log, and a
    table shows the share of right answers. `mlbench report` shows every answer.
    """
    from mlbench import eval_runs

    eval_runs.known_display(logs.display)
    config = run_config(
        logs,
        asked,
        generation,
        limits=judge_limits(judging),
        budget=budget(limits),
        prices=limits.model_cost,
        workers=workers,
        cache=cache,
        gpus=gpus,
    )
    at_least(1, context_tokens=context_tokens)
    if limits.time_limit is not None and agent is None:
        print(_TIME_LIMIT, file=sys.stderr)
    from mlbench.suites.suite import load_suite

    if logs.resume:
        only_resumes(context, "suite", "ray")
        of_suite = None if suite is None else load_suite(suite).name
        begun = eval_runs.unfinished(logs.log_dir, of_suite)
        from mlbench.cluster.live_judge import run_on_ray

        with run_on_ray(ray, eval_runs.task_arguments(begun) if ray else {}, config) as own:
            show_run(eval_runs.resume(begun, own), policy or Policy.STRICT)
        return
    if suite is None:
        raise UsageError("no suite is given: `mlbench list suites` shows their names")
    if asked.model is None:
        raise UsageError(
            "no model is given: --model openai/gpt-4o, for example, or --model mlbench/gold (the reference)"
        )
    from mlbench.api import run_eval
    from mlbench.prompts.context import Context

    shown = Context(tokenizer=tokenizer, retrieval=retrieval, reply=generation.max_tokens)
    log = run_eval(
        suite,
        asked.model,
        setting=setting,
        split=rows.split,
        repo=rows.repo,
        limit=rows.limit,
        k=k,
        agent=agent,
        sandbox=sandbox,
        paper_timeout=paper_timeout,
        policy=policy,
        context=shown,
        context_tokens=context_tokens,
        config=config,
        shard=part.chosen(),
        ray=ray,
    )
    show_run(log, policy or Policy.STRICT)
