"""`mlbench eval`: a model's answers, judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import (
    Display,
    LogDir,
    Memory,
    ModelArguments,
    Output,
    PaperTimeout,
    Processes,
    Remember,
    Sandbox,
    Seconds,
    Workers,
    Written,
    at_least,
    limits,
    only_goes_on,
    run_options,
)
from mlbench.cli.showing import show_run
from mlbench.prompts.context import Sentences, Variant
from mlbench.types import Policy, UsageError


def evaluate(
    context: typer.Context,
    suite: Annotated[str | None, typer.Argument(help="A bundled suite, or the folder of one.")] = None,
    model: Annotated[
        str | None, typer.Option(help="PROVIDER/NAME as in Inspect; mlbench/gold is the reference.")
    ] = None,
    setting: Annotated[str, typer.Option(help="What the model is shown: oracle, readme, retrieval, code.")] = "oracle",
    context_tokens: Annotated[
        int | None,
        typer.Option(help="Context window: prompt and reply; default: the endpoint's, else 128,000. Not for oracle."),
    ] = None,
    retrieval: Annotated[Variant, typer.Option(help="Searched: paper, documents, repository, code.")] = "paper",
    tokenizer: Annotated[str, typer.Option(help="estimate, a name of tiktoken, or a tokenizer.json.")] = "estimate",
    sentences: Annotated[Sentences, typer.Option(help="How sentences are split: auto, punkt, rules.")] = "auto",
    agent: Annotated[str | None, typer.Option(help="Who answers: ml_agent, ml_agent-chooses; else the model.")] = None,
    k: Annotated[int, typer.Option("-k", help="Answers a row.")] = 1,
    split: Annotated[str, typer.Option(help="full, quarter, id_train or ood_train.")] = "full",
    limit: Annotated[int | None, typer.Option(help="Only so many rows, spread over the split.")] = None,
    repo: Annotated[str | None, typer.Option(help="Only this repository.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run that did not finish.")] = False,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint.")] = None,
    model_arg: ModelArguments = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of one answer; documents get what it leaves.")] = None,
    seed: Annotated[int | None, typer.Option(help="For the providers that take one.")] = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests to the model at the same time.")] = None,
    max_retries: Annotated[int, typer.Option(help="Tries of one request when the endpoint fails.")] = 7,
    token_limit: Annotated[int | None, typer.Option(help="Tokens of one sample.")] = None,
    cost_limit: Annotated[float | None, typer.Option(help="Dollars of one sample.")] = None,
    model_cost: Annotated[Path | None, typer.Option(help="Prices of models, as Inspect reads them.")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Samples under way at the same time.")] = None,
    sandbox: Sandbox = "bubblewrap",
    time_limit: Seconds = 60.0,
    memory_limit: Memory = 2048,
    disk_limit: Written = 256,
    process_limit: Processes = 256,
    output_limit: Output = 1,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    remember: Remember = True,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Evaluate a model on a suite: answers, verdicts, a table and a log."""
    from mlbench import runs

    at_least(1, max_samples=max_samples, max_connections=max_connections, max_tokens=max_tokens)
    at_least(1, context_tokens=context_tokens)
    at_least(0, max_retries=max_retries)

    options = run_options(
        log_dir,
        display,
        base_url,
        model_arg,
        max_samples,
        model_cost,
        limits={"token_limit": token_limit, "cost_limit": cost_limit},
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        max_connections=max_connections,
        max_retries=max_retries,
    )
    from mlbench.samples.suites import full_name, load_suite

    if resume:
        only_goes_on(context, "suite")
        of_suite = None if suite is None else load_suite(suite).name
        show_run(runs.resume(runs.unfinished(log_dir, of_suite), options), Policy.STRICT)
        return
    if suite is None:
        raise UsageError("which suite? `mlbench suites` lists them")
    if model is None:
        raise UsageError("which model? like --model openai/gpt-4o, or --model mlbench/gold for the reference")
    if k < 1:
        raise UsageError(f"-k {k}: at least 1 answer a row is needed")
    from mlbench.prompts.context import Context
    from mlbench.tasks.llm_bench import llm_bench

    if context_tokens is None and setting != "oracle":
        context_tokens = runs.window_of(model, options)
    task = llm_bench(
        suite=full_name(suite),
        split=split,
        setting=setting,
        agent=agent,
        context_tokens=context_tokens or Context.tokens,
        reply_tokens=max_tokens,
        retrieval=retrieval,
        tokenizer=tokenizer,
        sentences=sentences,
        repo=repo,
        limit=limit,
        k=k,
        sandbox=sandbox,
        paper_timeout=paper_timeout,
        limits=limits(time_limit, memory_limit, disk_limit, process_limit, output_limit),
        workers=workers,
        remember=remember,
        run=runs.new_run_name(),
    )
    show_run(runs.run(task, model, options), Policy.STRICT)
