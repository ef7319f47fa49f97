"""`mlbench eval`: a model's answers, judged."""

from __future__ import annotations

from typing import Annotated

import typer

from mlbench.cli.limits import budget, judge_limits
from mlbench.cli.options import (
    Attempts,
    BudgetOptions,
    Cache,
    GenerationOptions,
    JudgeOptions,
    LogOptions,
    ModelOptions,
    PaperTimeout,
    RowOptions,
    Sandbox,
    Suite,
    Workers,
    at_least,
    expand_options,
    only_resumes,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.prompts.context import Sentences, Variant
from mlbench.records import Policy, UsageError


@expand_options()
def evaluate(
    context: typer.Context,
    suite: Suite = None,
    *,
    asked: ModelOptions,
    setting: Annotated[str, typer.Option(help="What the model is shown: oracle, readme, retrieval, code.")] = "oracle",
    context_tokens: Annotated[
        int | None,
        typer.Option(help="Context window: prompt and reply; default: the endpoint's, else 128,000. Not for oracle."),
    ] = None,
    retrieval: Annotated[Variant, typer.Option(help="Searched: paper, documents, repository, code.")] = "paper",
    tokenizer: Annotated[str, typer.Option(help="estimate, a name of tiktoken, or a tokenizer.json.")] = "estimate",
    sentences: Annotated[Sentences, typer.Option(help="How sentences are split: auto, punkt, rules.")] = "auto",
    agent: Annotated[str | None, typer.Option(help="Who answers: ml_agent, ml_agent-chooses; else the model.")] = None,
    k: Attempts = 1,
    rows: RowOptions,
    generation: GenerationOptions,
    limits: BudgetOptions,
    sandbox: Sandbox = "bubblewrap",
    judging: JudgeOptions,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    cache: Cache = True,
    logs: LogOptions,
) -> None:
    """Evaluate a model on a suite: answers, verdicts, a table and a log."""
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
    )
    at_least(1, context_tokens=context_tokens)
    from mlbench.suites.suite import load_suite

    if logs.resume:
        only_resumes(context, "suite")
        of_suite = None if suite is None else load_suite(suite).name
        show_run(eval_runs.resume(eval_runs.unfinished(logs.log_dir, of_suite), config), Policy.STRICT)
        return
    if suite is None:
        raise UsageError("which suite? `mlbench list suites` shows them")
    if asked.model is None:
        raise UsageError("which model? like --model openai/gpt-4o, or --model mlbench/gold for the reference")
    from mlbench.api import run_eval
    from mlbench.prompts.context import Context

    shown = Context(tokenizer=tokenizer, retrieval=retrieval, sentences=sentences, reply=generation.max_tokens)
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
        context=shown,
        context_tokens=context_tokens,
        config=config,
    )
    show_run(log, Policy.STRICT)
