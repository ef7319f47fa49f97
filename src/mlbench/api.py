"""The Python API: `mlbench eval`, `verify` and `report` as functions that return records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from mlbench.prompts.context import Context
    from mlbench.results.models import RunRecord
    from mlbench.run_config import RunConfig


def evaluate(
    suite: str,
    model: str,
    *,
    setting: str = "oracle",
    split: str = "full",
    repo: str | None = None,
    limit: int | None = None,
    k: int = 1,
    agent: str | None = None,
    sandbox: str = "bubblewrap",
    paper_timeout: float = 10.0,
    policy: Policy | None = None,
    context: Context | None = None,
    config: RunConfig | None = None,
    shard: str | None = None,
) -> RunRecord:
    """Evaluate a model on a suite; return the run with every attempt and its verdicts.

    Args:
        suite: name of a bundled or fetched suite, or path of its folder.
        model: PROVIDER/NAME as in Inspect; `mlbench/gold` is the reference.
        setting: what the prompt holds besides the instruction: one of `mlbench list settings`.
        split: `full`, `quarter`, `id_train` or `ood_train`.
        repo: use only rows of this repository.
        limit: use at most this many rows, spread evenly over the split.
        k: attempts per row.
        agent: agent that answers instead of one model call: `ml_agent` or `ml_agent-chooses`.
        sandbox: sandbox in which answers run: `bubblewrap`, `docker`, `k8s` or `local`.
        paper_timeout: under `paper`, a program still running after this many seconds passes.
        policy: `strict` also runs answers to rows of real repositories whose environment is installed.
        context: how the prompt is filled; None takes the window of the model's endpoint, or 128,000 tokens.
        config: logs, model arguments, budget, limits, workers.
        shard: only this part of the rows, such as `3/8`. The same call continues it, or returns it if it is finished.

    Raises:
        UsageError: a name or value is not valid.
        RunError: the endpoint or this machine failed.
        KeyboardInterrupt: the run was stopped; finished samples are in the log.
    """
    from mlbench.results.load_log import read_run
    from mlbench.run_config import RunConfig

    log = run_eval(
        suite,
        model,
        setting=setting,
        split=split,
        repo=repo,
        limit=limit,
        k=k,
        agent=agent,
        sandbox=sandbox,
        paper_timeout=paper_timeout,
        policy=policy,
        context=context,
        context_tokens=context.tokens if context else None,
        config=config or RunConfig(),
        shard=shard,
    )
    return read_run(_path(log))


def run_eval(
    suite: str,
    model: str,
    *,
    setting: str,
    split: str,
    repo: str | None,
    limit: int | None,
    k: int,
    agent: str | None,
    sandbox: str,
    paper_timeout: float,
    policy: Policy | None,
    context: Context | None,
    context_tokens: int | None,
    config: RunConfig,
    shard: str | None = None,
    key: str = "",
    ray: str | None = None,
) -> EvalLog:
    """Run an evaluation and return its log. Names are checked before Inspect is imported.

    Args:
        context: how documents are found and counted; its `tokens` are not used.
        context_tokens: context window in tokens; None for the endpoint's, or 128,000.
        shard: only this part of the rows.
        key: of the run. With a key or a shard, the same run is continued, or returned if it is finished.
        ray: address of a Ray cluster that judges the answers; needs the verdict cache.

    For the other arguments and the errors see `evaluate`.
    """
    from mlbench import eval_models
    from mlbench.doctor import before_first_run
    from mlbench.prompts.context import Context
    from mlbench.prompts.settings import UNCUT, known_setting
    from mlbench.suites.selection import select
    from mlbench.suites.suite import full_name, load_suite

    judging = _judging(sandbox, paper_timeout, policy, config)
    suite = full_name(suite)
    if k < 1:
        raise UsageError(f"-k {k}: at least 1 is needed")
    chosen = known_setting(setting)
    if context is not None and context.tokenizer != Context.tokenizer:
        from mlbench.prompts.tokens import counter

        counter(context.tokenizer)  # some settings count no tokens, and would accept any name
    select(load_suite(suite), split, repo=repo, limit=limit, shard=shard)
    if agent is not None:
        eval_models.refuse_baseline(model, "name another model, or no agent")
    eval_models.check_key(model, config)
    before_first_run(sandbox)
    if context_tokens is None and chosen not in UNCUT:
        context_tokens = eval_models.window_of(model, config)
    context = replace(context or Context(reply=config.generation.max_tokens), tokens=context_tokens or Context.tokens)
    from mlbench.cluster.live_judge import run_on_ray
    from mlbench.evals.ml_llm_bench.task import llm_bench
    from mlbench.same_run import run_anew, run_or_continue

    make = partial(
        llm_bench,
        suite=suite,
        split=split,
        setting=setting,
        agent=agent,
        context_tokens=context.tokens,
        reply_tokens=context.reply,
        retrieval=context.retrieval,
        tokenizer=context.tokenizer,
        repo=repo,
        limit=limit,
        k=k,
        **judging,
        shard=shard,
    )
    with run_on_ray(ray, make.keywords, config) as own:
        return run_or_continue(make, model, own, key) if key or shard else run_anew(make, model, own)


def verify(
    outputs: str | Path,
    suite: str = "pocket",
    *,
    sandbox: str = "bubblewrap",
    paper_timeout: float = 10.0,
    policy: Policy | None = None,
    config: RunConfig | None = None,
) -> RunRecord:
    """Judge answers that were made elsewhere, and return their run. Malformed lines become warnings.

    Args:
        outputs: JSON Lines file; each line has `id`, `github_id`, `output` (a list of replies).
        suite: suite of the rows that were answered.
        sandbox: sandbox in which answers run: `bubblewrap`, `docker`, `k8s` or `local`.
        paper_timeout: under `paper`, a program still running after this many seconds passes.
        policy: `strict` also runs answers to rows of real repositories whose environment is installed.
        config: logs, limits, workers.

    Raises:
        UsageError: the file cannot be read, or a name or value is not valid.
        RunError: this machine failed.
    """
    from mlbench.results.load_log import read_run

    def tell(fault: str) -> None:
        warnings.warn(fault, stacklevel=4)  # where `verify` was called

    log, _ = run_verify(Path(outputs), suite, sandbox, paper_timeout, policy, config, tell)
    return read_run(_path(log))


def run_verify(
    outputs: Path,
    suite: str,
    sandbox: str,
    paper_timeout: float,
    policy: Policy | None,
    config: RunConfig | None,
    tell: Callable[[str], object],
    execute: bool = True,
    shard: str | None = None,
    ray: str | None = None,
) -> tuple[EvalLog, int]:
    """Judge a file of answers; return the log and the number of malformed lines.

    Args:
        tell: function that is called with the fault of each malformed line, before anything is judged.
        execute: False judges by `interface` alone and runs nothing.
        shard: only the answers to this part of the rows, such as `3/8`.
        ray: address of a Ray cluster that judges the answers first; needs the verdict cache.

    For the other arguments and the errors see `verify`.
    """
    from mlbench import eval_runs
    from mlbench.doctor import before_first_run
    from mlbench.run_config import RunConfig
    from mlbench.suites.outputs import read_outputs
    from mlbench.suites.selection import shard_of
    from mlbench.suites.shards import file_digest
    from mlbench.suites.suite import full_name, load_suite

    config = config or RunConfig()
    judging = _judging(sandbox, paper_timeout, policy, config)
    suite = full_name(suite)
    read = read_outputs(outputs, load_suite(suite))
    attempts = shard_of(read.attempts, shard)
    for fault in (faults := read.faults):
        tell(str(fault))
    before_first_run(sandbox)
    if ray is not None:
        from mlbench.cluster.judge_actor import JudgeConfig
        from mlbench.cluster.judge_answers import judge_on_ray

        nodes = JudgeConfig.of_task({**judging, "suite": suite, "execute": execute})
        judge_on_ray(attempts, nodes, ray, config.workers, eval_runs.known_display(config.display))
    from mlbench.evals.ml_llm_bench.verify_task import verify as task
    from mlbench.same_run import run_anew, run_key, run_or_continue

    make = partial(
        task,
        outputs=str(outputs.resolve()),
        suite=suite,
        execute=execute,
        **judging,
        shard=shard,
    )
    if shard is None:
        return run_anew(make, eval_runs.REPLAY, config), len(faults)
    key = run_key(make, eval_runs.REPLAY, config, file_digest(outputs))
    return run_or_continue(make, eval_runs.REPLAY, config, key, resumable=False), len(faults)


def run_human(
    session: Path,
    sandbox: str,
    paper_timeout: float,
    policy: Policy | None,
    config: RunConfig,
) -> EvalLog:
    """Judge a session of `mlbench human`; return the log, whose model is `mlbench/human` or `mlbench/human/NAME`.

    Args:
        session: the session's folder.

    For the other arguments and the errors see `verify`.
    """
    from mlbench import eval_runs
    from mlbench.doctor import before_first_run
    from mlbench.human.session import HumanSession

    judging = _judging(sandbox, paper_timeout, policy, config)
    person = HumanSession(session).plan.person
    before_first_run(sandbox)
    from mlbench.evals.ml_llm_bench.human_task import human, model_of_person

    made = human(
        session=str(session.resolve()),
        **judging,
    )
    return eval_runs.run(made, model_of_person(person), config)


def run_submissions(
    folders: Sequence[Path],
    rows: Sequence[int],
    suite: str,
    agent: str,
    limits: Mapping[str, float],
    policy: Policy | None,
    config: RunConfig,
    shard: str | None = None,
) -> EvalLog:
    """Judge folders that agents left in another harness, and return the log.

    Args:
        folders: workspaces, or folders with `workspace/` and `packages.txt`.
        rows: the row of each folder.
        suite: the suite of the rows.
        agent: the agent's name, for the log.
        limits: limits of the trial that differ from those of `mlbench agent`.
        policy: how the folders are judged; None as `mlbench agent` judges rows of the suite.
        config: logs, workers.
        shard: only the folders of this part of the rows, such as `3/8`.

    Raises:
        UsageError: a folder or a row does not exist.
        RunError: this machine failed.
    """
    from mlbench import eval_runs
    from mlbench.doctor import before_first_run
    from mlbench.suites.suite import full_name

    eval_runs.known_display(config.display)
    before_first_run()
    from mlbench.evals.ml_agent_bench.submissions_task import submissions
    from mlbench.same_run import run_anew

    make = partial(
        submissions,
        folders=[str(folder.resolve()) for folder in folders],
        rows=list(rows),
        suite=full_name(suite),
        agent=agent,
        limits=dict(limits),
        workers=config.workers,
        policy=policy and policy.value,
        shard=shard,
    )
    return run_anew(make, "mlbench/nothing", config)


def report(logs: str | Path | Iterable[str | Path], output: str | Path = "report") -> Path:
    """Write a page that shows every answer and why it passed or failed; return its path.

    Args:
        logs: a log, a folder of logs, or several of them.
        output: folder of the page.

    Raises:
        UsageError: there is no such log, or no log of mlbench.
        RunError: the page cannot be written.
    """
    from mlbench.results.logs import read_runs
    from mlbench.results.report import write_report

    paths = [logs] if isinstance(logs, str | Path) else list(logs)
    return Path(write_report(read_runs([Path(path) for path in paths]), Path(output)))


class _Judging(TypedDict):
    """How answers are judged: arguments that the tasks of answers share."""

    sandbox: str
    paper_timeout: float
    limits: dict[str, float]
    workers: int | None
    cache: bool
    policy: Policy | None
    gpus: bool


def _judging(sandbox: str, paper_timeout: float, policy: Policy | None, config: RunConfig) -> _Judging:
    """Check how answers are to be judged, before Inspect is imported.

    Args:
        sandbox: the sandbox in which answers run.
        paper_timeout: seconds after which a running program passes under `paper`.
        policy: the policy that was asked for.
        config: display, limits, workers, verdict cache.

    Raises:
        UsageError: the display, the sandbox or the time is not valid.
    """
    from mlbench.eval_runs import known_display
    from mlbench.run_config import known_sandbox

    known_display(config.display)
    if not paper_timeout > 0:
        raise UsageError(f"--paper-timeout {paper_timeout}: more than 0 seconds are needed")
    return {
        "sandbox": known_sandbox(sandbox),
        "paper_timeout": paper_timeout,
        "limits": config.limits.model_dump(),
        "workers": config.workers,
        "cache": config.cache,
        "policy": policy,
        "gpus": config.gpus,
    }


def _path(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))
