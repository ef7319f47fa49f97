"""Start a run, find an unfinished one, and resume it. Inspect is the engine."""

from __future__ import annotations

import inspect
import logging
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import uuid4

from mlbench.endpoints import EndpointRefusal
from mlbench.eval_models import address_of, model_of, one_line, set_prices
from mlbench.records import RunError, UsageError
from mlbench.run_config import DATA_SEED_OF_RUN, DIGESTS, RunConfig, renamed_arguments

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog, EvalSpec

SAMPLE_RETRIES = 2
"""Retries of a sample after a failure of this machine; then the sample has no score."""

REPLAY = "mlbench/replay"
"""The model that repeats answers made elsewhere."""

_DISPLAYS = ("rich", "plain", "full", "conversation", "log", "none")
_CAUSE = re.compile(r"^(?:\w+\.)*\w+(?:Error|Exception|Timeout)\b.*$", re.MULTILINE)


def new_run_name(key: str = "") -> str:
    """Return a new name of a run; it starts with the key, if there is one (`same_run`)."""
    return f"{key}-{uuid4().hex}" if key else uuid4().hex


def run(task: Task, model: str, config: RunConfig) -> EvalLog:
    """Run a task with a model and return the log. Finished samples are in the log even after an error.

    Args:
        task: the task.
        model: PROVIDER/NAME of the model.
        config: logs, model arguments, sampling and limits.

    Raises:
        UsageError: the model is unknown or has no key.
        RunError: the endpoint does not answer, or the log cannot be written.
        KeyboardInterrupt: the run was stopped.
    """
    from inspect_ai import eval as inspect_eval

    display = known_display(config.display)
    _quiet_at_the_end()
    set_prices(config.prices)
    loaded = model_of(model, config)
    refusal = EndpointRefusal(model, address_of(loaded, model, config))
    refusal.watch(loaded)
    try:
        logs = inspect_eval(
            task,
            model=loaded,
            log_dir=str(config.log_dir),
            display=display,  # type: ignore[arg-type]
            max_samples=config.max_samples,
            max_sandboxes=config.max_samples,
            fail_on_error=False,
            retry_on_error=SAMPLE_RETRIES,
            # without replies to wait for, following a run live costs as much as the rest of it
            log_realtime=model != REPLAY,
            score_display=model != REPLAY,
            **_inspect_limits(task, config),
            **config.generation.model_dump(exclude_none=True),
        )
    except Exception as error:
        raise RunError(_said(error, config)) from error
    return _only(logs, refusal)


def resume(log: Path, config: RunConfig) -> EvalLog:
    """Continue a run from its log. Finished samples are kept, and cached replies are not requested again.

    Inspect caches replies by the endpoint's URL: at another URL, unfinished samples are requested anew.

    Args:
        log: the log of the run.
        config: logs, prices, parallel samples; `base_url` if the model's endpoint has moved. The rest is the log's.

    Raises:
        UsageError: the model has no key.
        RunError: the endpoint does not answer, the log cannot be read, or the task or suite has changed since.
        KeyboardInterrupt: the run was stopped.
    """
    from inspect_ai import eval_retry

    import mlbench._registry  # noqa: F401  (Inspect finds the log's task by its name)

    display = known_display(config.display)
    _quiet_at_the_end()
    begun = _full(log)
    spec = begun.eval
    spec.task_args_passed = renamed_arguments(spec.task_args_passed)
    if (seed := (spec.metadata or {}).get(DATA_SEED_OF_RUN)) is not None:  # drawn when the run began
        spec.task_args_passed["data_seed"] = seed
    _is_as_it_was(log, spec)
    spec.model_base_url = config.base_url or spec.model_base_url
    as_begun = config.model_copy(update={"base_url": spec.model_base_url, "model_args": dict(spec.model_args)})
    loaded = model_of(spec.model, as_begun, spec.model_generate_config)  # the same object that Inspect will use
    refusal = EndpointRefusal(spec.model, address_of(loaded, spec.model, as_begun))
    refusal.watch(loaded)
    set_prices(config.prices)
    try:
        logs = eval_retry(
            begun,
            log_dir=str(config.log_dir),
            display=display,  # type: ignore[arg-type]
            max_samples=config.max_samples,
            fail_on_error=False,
            retry_on_error=SAMPLE_RETRIES,
        )
    except IndexError as error:
        raise KeyboardInterrupt from error  # after Ctrl-C, Inspect's eval_retry takes the first of no logs
    except Exception as error:
        raise RunError(f"{log}: cannot be resumed: {_said(error, config)}") from error
    return _only(logs, refusal)


def _quiet_at_the_end() -> None:
    """Drop the traceback that the server of `inspect ctl` logs when Ctrl-C ends it."""
    logging.getLogger("uvicorn.error").addFilter(_is_no_cancellation)


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    return "CancelledError" not in record.getMessage()


class _InspectLimits(TypedDict, total=False):
    token_limit: int | None
    cost_limit: float | None
    working_limit: int | None


def _inspect_limits(task: Task, config: RunConfig) -> _InspectLimits:
    """Return the budget of a sample as arguments of Inspect; tasks of agents enforce their budgets themselves."""
    if "budget" in (task.metadata or {}):
        return {}
    budget = config.budget
    return {
        "token_limit": budget.tokens,
        "cost_limit": budget.cost,
        "working_limit": math.ceil(budget.seconds) if budget.seconds else None,
    }


def _said(error: Exception, config: RunConfig) -> str:
    text = one_line(error)
    if "No space left on device" in text:
        return f"no space left for the log in {config.log_dir}; free some, then run the same command with --resume"
    if unpriced := re.search(r"Missing cost data for: (.+?)\. ", text):
        return f"--cost-limit needs the prices of {unpriced[1]}: give them with --model-cost FILE"
    return text


def _only(logs: Sequence[EvalLog], refusal: EndpointRefusal) -> EvalLog:
    """Return the only log of a run. After Ctrl-C, Inspect returns no log or a cancelled one.

    Raises:
        RunError: the endpoint refused every request.
        KeyboardInterrupt: the run was stopped.
    """
    if refusal.error is not None:
        raise RunError(refusal.error)
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    return logs[0]


ANSWERS, AGENTS, EXPERIMENTS = "answers", "agents", "experiments"
"""The benchmarks, which are told apart by a log's metadata."""


def bench_of(metadata: Mapping[str, Any]) -> str:
    """Return the benchmark of a log."""
    return EXPERIMENTS if "experiment" in metadata else AGENTS if "agent" in metadata else ANSWERS


def unfinished(log_dir: Path, suite: str | None, *, bench: str = ANSWERS) -> Path:
    """Return the newest unfinished run in a folder: its log with the most scored samples.

    Args:
        log_dir: folder of the logs.
        suite: only runs of this suite; None for any.
        bench: only runs of this benchmark.

    Raises:
        UsageError: there is no unfinished run.
    """
    by_task: dict[str, list[tuple[int, str, EvalLog]]] = {}
    finished: set[str] = set()
    for name, log in headers(log_dir):
        of_suite = (log.eval.metadata or {}).get("suite")  # only logs of mlbench have one
        if not of_suite or (suite and of_suite != suite) or bench_of(log.eval.metadata or {}) != bench:
            continue
        if complete(log):
            finished.add(log.eval.task_id)
        by_task.setdefault(log.eval.task_id, []).append((scored_samples(name), log.eval.created, log))
    open_ = [logs for task_id, logs in by_task.items() if task_id not in finished]
    if not open_:
        of = f" of suite {suite}" if suite else ""
        raise UsageError(f"nothing to resume: {log_dir} holds no unfinished run{of}; --log-dir names another folder")
    newest = max(open_, key=lambda logs: max(created for _, created, _ in logs))
    return Path(max(newest, key=lambda entry: entry[:2])[2].location.removeprefix("file://"))


def task_arguments(log: Path) -> dict[str, Any]:
    """Return all arguments of the task of a log."""
    from mlbench import _registry

    spec = _full(log).eval
    task = getattr(_registry, spec.task.rpartition("/")[2])
    defaults = {name: each.default for name, each in inspect.signature(task).parameters.items()}
    return {**defaults, **renamed_arguments(spec.task_args)}


def complete(log: EvalLog) -> bool:
    """Return whether the run finished with every sample scored."""
    results = log.results
    return log.status == "success" and results is not None and results.completed_samples >= results.total_samples


def failure(log: EvalLog) -> str:
    """Return in one line why a sample was not scored; empty if no sample failed.

    After its last retry, Inspect raises `RetryError(<Future ...>)`; the cause is only in the traceback.
    """
    error = next((sample.error for sample in log.samples or () if sample.error), log.error)
    if error is None:
        return ""
    causes = [found[0] for found in _CAUSE.finditer(error.traceback) if not found[0].startswith("tenacity.")]
    return " ".join((causes[-1] if causes else error.message).split())[:300]


def _full(log: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log

    try:
        return read_eval_log(str(log))
    except Exception as error:
        raise RunError(f"{log}: cannot be read: {one_line(error)}") from error


def _is_as_it_was(log: Path, spec: EvalSpec) -> None:
    """Check that the task, suite and problems have not changed since the run began.

    Raises:
        RunError: one has changed; names it.
    """
    from mlbench import _registry

    try:
        task: Task = getattr(_registry, spec.task.rpartition("/")[2])(**spec.task_args_passed)
    except (AttributeError, TypeError) as error:
        raise RunError(f"{log}: cannot be resumed: this version does not have its task: {one_line(error)}") from error
    then, now = spec.metadata or {}, task.metadata or {}
    pairs: list[tuple[str, object, object]] = [("the task", spec.task_version, task.version)]
    pairs += [(f"the suite {then.get('suite')}", then.get("suite_version"), now.get("suite_version"))]
    pairs += [(f"the problem {name}", was, now[DIGESTS].get(name)) for name, was in then.get(DIGESTS, {}).items()]
    for what, was, is_ in pairs:
        if str(was) != str(is_):
            versions = "" if what.startswith("the problem") else f" (version {was}, now {is_})"
            raise RunError(f"{log}: cannot be resumed: {what} has changed since{versions}; start a new run")


def headers(log_dir: Path) -> Iterable[tuple[str, EvalLog]]:
    """Yield the name and the header of each log in a folder that can be read."""
    if not log_dir.is_dir():
        return
    from inspect_ai.log import list_eval_logs, read_eval_log

    for info in list_eval_logs(str(log_dir), recursive=False):
        try:
            yield info.name, read_eval_log(info, header_only=True)
        except Exception:  # incomplete before its first flush: nothing to resume
            continue


def scored_samples(name: str) -> int:
    """Return how many samples of a log have a score."""
    from inspect_ai.log import read_eval_log_sample_summaries

    try:  # a stopped run also logs the samples that it interrupted
        return sum(bool(summary.scores) and not summary.error for summary in read_eval_log_sample_summaries(name))
    except Exception:
        return 0


def known_display(wanted: str | None) -> str:
    """Return the kind of display; chosen by the terminal if none is given.

    Raises:
        UsageError: there is no such display.
    """
    if wanted is not None and wanted not in _DISPLAYS:
        raise UsageError(f"no display {wanted!r}; there are: {', '.join(_DISPLAYS)}")
    return wanted or os.environ.get("INSPECT_DISPLAY") or ("rich" if os.isatty(1) else "plain")
