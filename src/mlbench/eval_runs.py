"""Runs: starting one, finding one that did not finish, going on with it. The engine is Inspect's."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from mlbench.endpoints import EndpointRefusal, find_key, reach, refuse_wrong_key
from mlbench.records import RunError, UsageError
from mlbench.run_config import DIGESTS, RunConfig, renamed_arguments

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog, EvalSpec
    from inspect_ai.model import GenerateConfig, Model

SAMPLE_RETRIES = 2
"""How often a sample is tried again after a machine's failure, before it stays unscored."""

_DISPLAYS = ("rich", "plain", "full", "conversation", "log", "none")
_CAUSE = re.compile(r"^(?:\w+\.)*\w+(?:Error|Exception|Timeout)\b.*$", re.MULTILINE)


def new_run_name() -> str:
    return uuid4().hex


def run(task: Task, model: str, config: RunConfig) -> EvalLog:
    """Run a task with a model to its end; finished samples are in the log whatever happens.

    Raises:
        UsageError: the model cannot be had (unknown, no key).
        RunError: its endpoint does not answer, or the log cannot be written.
        KeyboardInterrupt: it was stopped.
    """
    from inspect_ai import eval as inspect_eval

    display = known_display(config.display)
    set_prices(config.prices)
    loaded = model_of(model, config)
    refusal = EndpointRefusal(model, _address(loaded, model, config))
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
            **_inspect_limits(task, config),
            **config.generation.model_dump(exclude_none=True),
        )
    except Exception as error:
        raise RunError(_said(error, config)) from error
    return _only(logs, refusal)


def resume(log: Path, config: RunConfig) -> EvalLog:
    """Go on with a run: finished samples are taken over, replies that were paid for are not asked for again.

    Raises:
        UsageError: the model cannot be had (no key).
        RunError: its endpoint does not answer, the log cannot be read, what it was begun with has changed since, or
            the run cannot go on.
        KeyboardInterrupt: it was stopped.
    """
    from inspect_ai import eval_retry

    import mlbench._registry  # noqa: F401  (Inspect looks the log's task up by its name)

    display = known_display(config.display)
    begun = _full(log)
    spec = begun.eval
    spec.task_args_passed = renamed_arguments(spec.task_args_passed)
    _is_as_it_was(log, spec)
    as_begun = config.model_copy(update={"base_url": spec.model_base_url, "model_args": dict(spec.model_args)})
    loaded = model_of(spec.model, as_begun, spec.model_generate_config)  # the very model that Inspect will take
    refusal = EndpointRefusal(spec.model, _address(loaded, spec.model, as_begun))
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
    except Exception as error:
        raise RunError(f"{log}: cannot go on: {_said(error, config)}") from error
    return _only(logs, refusal)


def _inspect_limits(task: Task, config: RunConfig) -> dict[str, Any]:
    """The budget of a sample as Inspect names it; a task of agents holds its samples to their budget itself."""
    if "budget" in (task.metadata or {}):
        return {}
    budget = config.budget
    limits = {
        "token_limit": budget.tokens,
        "cost_limit": budget.cost,
        "working_limit": math.ceil(budget.seconds) if budget.seconds else None,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}


def set_prices(file: Path | None) -> None:
    """Tell Inspect what models cost; it may not know a model at all.

    Args:
        file: YAML or JSON: for each model its dollars for a million tokens, as `inspect_ai.model.ModelCost` names them.

    Raises:
        UsageError: it is no such file.
    """
    import yaml
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
    from pydantic import TypeAdapter, ValidationError

    if file is None:
        return
    try:
        prices = TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(file.read_text()))
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{file}: {'.'.join(map(str, first['loc'])) or 'prices'}: {first['msg']}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: cannot be read as prices: {one_line(error)}") from error
    for name, cost in prices.items():
        set_model_info(name, (get_model_info(name) or ModelInfo()).model_copy(update={"cost": cost}))


def _said(error: Exception, config: RunConfig) -> str:
    text = one_line(error)
    if "No space left on device" in text:
        return f"no space left for the log in {config.log_dir}; free some, then the same verb with --resume goes on"
    return text


def _only(logs: Sequence[EvalLog], refusal: EndpointRefusal) -> EvalLog:
    """Inspect swallows Ctrl-C: it then returns no log, or a cancelled one."""
    if refusal.error is not None:
        raise RunError(refusal.error)
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    return logs[0]


ANSWERS, AGENTS, EXPERIMENTS = "answers", "agents", "experiments"
"""The benches, by what a log's metadata hold."""


def bench_of(metadata: Mapping[str, Any]) -> str:
    """Which bench a log is of."""
    return EXPERIMENTS if "experiment" in metadata else AGENTS if "agent" in metadata else ANSWERS


def unfinished(log_dir: Path, suite: str | None, *, bench: str = ANSWERS) -> Path:
    """The newest run of ours in a folder that did not finish; of its logs, the one that holds most scored samples.

    Args:
        bench: of this one.

    Raises:
        UsageError: there is none.
    """
    by_task: dict[str, list[tuple[int, str, EvalLog]]] = {}
    finished: set[str] = set()
    for name, log in _headers(log_dir):
        of_suite = (log.eval.metadata or {}).get("suite")  # only ours have one
        if not of_suite or (suite and of_suite != suite) or bench_of(log.eval.metadata or {}) != bench:
            continue
        if complete(log):
            finished.add(log.eval.task_id)
        by_task.setdefault(log.eval.task_id, []).append((_scored(name), log.eval.created, log))
    open_ = [logs for task_id, logs in by_task.items() if task_id not in finished]
    if not open_:
        of = f" of suite {suite}" if suite else ""
        raise UsageError(f"nothing to resume: {log_dir} holds no unfinished run{of}")
    newest = max(open_, key=lambda logs: max(created for _, created, _ in logs))
    return Path(max(newest, key=lambda entry: entry[:2])[2].location.removeprefix("file://"))


def complete(log: EvalLog) -> bool:
    """Did the run finish with every sample scored?"""
    results = log.results
    return log.status == "success" and results is not None and results.completed_samples >= results.total_samples


def failure(log: EvalLog) -> str:
    """Why a sample was not scored, in one line; empty where none failed.

    Inspect raises `RetryError(<Future ...>)` when its tries are used up: what failed stands in the traceback.
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
    """What is finished and what is to come have to be of one bench."""
    from mlbench import _registry

    try:
        task: Task = getattr(_registry, spec.task.rpartition("/")[2])(**spec.task_args_passed)
    except (AttributeError, TypeError) as error:
        raise RunError(f"{log}: cannot go on: its task is not one of this version: {one_line(error)}") from error
    then, now = spec.metadata or {}, task.metadata or {}
    pairs: list[tuple[str, object, object]] = [("the task", spec.task_version, task.version)]
    pairs += [(f"the suite {then.get('suite')}", then.get("suite_version"), now.get("suite_version"))]
    pairs += [(f"the problem {name}", was, now[DIGESTS].get(name)) for name, was in then.get(DIGESTS, {}).items()]
    for what, was, is_ in pairs:
        if str(was) != str(is_):
            versions = "" if what.startswith("the problem") else f" (version {was}, now {is_})"
            raise RunError(f"{log}: cannot go on: {what} has changed since{versions}: begin anew")


def _headers(log_dir: Path) -> Iterable[tuple[str, EvalLog]]:
    if not log_dir.is_dir():
        return
    from inspect_ai.log import list_eval_logs, read_eval_log

    for info in list_eval_logs(str(log_dir), recursive=False):
        try:
            yield info.name, read_eval_log(info, header_only=True)
        except Exception:  # half written before its first flush: nothing to go on with
            continue


def _scored(name: str) -> int:
    from inspect_ai.log import read_eval_log_sample_summaries

    try:  # a run that was stopped also logs the samples that it broke off
        return sum(bool(summary.scores) and not summary.error for summary in read_eval_log_sample_summaries(name))
    except Exception:
        return 0


def check_key(name: str, config: RunConfig) -> None:
    """Refuse a model whose key is missing or wrong; imports nothing heavy.

    Raises:
        UsageError: its address or key is not known.
        RunError: its endpoint does not accept the key.
    """
    if "api_key" not in config.model_args:
        find_key(name, config.base_url)
    refuse_wrong_key(name, config.base_url, config.model_args)


def model_of(name: str, config: RunConfig, asked: GenerateConfig | None = None) -> Model:
    """The model of this name, which answers.

    Args:
        asked: how it is asked if its caller does not say so.

    Raises:
        UsageError: it cannot be had (unknown, no key).
        RunError: nothing answers at its address.
    """
    check_key(name, config)
    from inspect_ai.model import GenerateConfig, get_model

    try:
        model = get_model(name, base_url=config.base_url, config=asked or GenerateConfig(), **config.model_args)
    except Exception as error:
        raise UsageError(f"model {name}: {one_line(error)}") from error
    if url := _address(model, name, config):
        reach(name, url)
    return model


def window_of(name: str, config: RunConfig) -> int | None:
    """The context window that a model's endpoint states, in tokens; None if it states none.

    Raises:
        UsageError: the model cannot be had (unknown, no key).
        RunError: nothing answers at its address.
    """
    from mlbench.prompts.window import context_window

    model = model_of(name, config)
    url = _address(model, name, config)
    service = getattr(model.api, "service_model_name", None)  # the name without the service's, in `openai-api/...`
    named = service() if callable(service) else model.name
    return context_window(url, str(named), getattr(model.api, "api_key", None)) if url else None


def _address(model: Model, name: str, config: RunConfig) -> str | None:
    variable = f"{name.split('/', maxsplit=1)[0].upper().replace('-', '_')}_BASE_URL"
    url = getattr(model.api, "base_url", None) or config.base_url or os.environ.get(variable)
    return str(url) if url else None


def known_display(wanted: str | None) -> str:
    """The kind of display; by the terminal if none is wanted.

    Raises:
        UsageError: there is no such display.
    """
    if wanted is not None and wanted not in _DISPLAYS:
        raise UsageError(f"no display {wanted!r}; there are: {', '.join(_DISPLAYS)}")
    return wanted or os.environ.get("INSPECT_DISPLAY") or ("rich" if os.isatty(1) else "plain")


def one_line(error: BaseException) -> str:
    """What an error says, in one line: Inspect's errors may hold rich text over several."""
    message = getattr(error, "message", None) or str(error)
    if not isinstance(message, str):
        from rich.console import Console

        console = Console(width=10_000, no_color=True)
        with console.capture() as capture:
            console.print(message)
        message = capture.get()
    text = " ".join(re.sub(r"\[/?(?:bold|blue|red|green|yellow|italic|dim)[^\]]*\]", "", message).split())
    return text.removeprefix("ERROR: ") or type(error).__name__
