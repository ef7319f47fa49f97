"""Runs: starting one, finding one that did not finish, going on with it. The engine is Inspect's."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from mlbench.types import RunError, UsageError

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

SAMPLE_RETRIES = 2
"""How often a sample is tried again after a machine's failure, before it stays unscored."""


@dataclass(frozen=True)
class Options:
    """How to run, whatever is run: where logs go, what it may cost, how wide it goes."""

    log_dir: Path = Path("logs")
    display: str | None = None
    base_url: str | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    max_samples: int | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)


def new_run_name() -> str:
    return uuid4().hex


def run(task: Task, model: str, options: Options) -> EvalLog:
    """Run a task with a model to its end; finished samples are in the log whatever happens.

    Raises:
        UsageError: the model cannot be had (unknown, no key).
        RunError: its endpoint does not answer, or the log cannot be written.
    """
    from inspect_ai import eval as inspect_eval

    loaded = _model(model, options)
    try:
        logs = inspect_eval(
            task,
            model=loaded,
            log_dir=str(options.log_dir),
            display=_display(options.display),  # type: ignore[arg-type]
            max_samples=options.max_samples,
            max_sandboxes=options.max_samples,
            fail_on_error=False,
            retry_on_error=SAMPLE_RETRIES,
            **options.limits,
            **options.generation,
        )
    except Exception as error:
        raise RunError(one_line(error)) from error
    return logs[0]


def resume(log: Path, options: Options) -> EvalLog:
    """Go on with a run: finished samples are taken over, replies that were paid for are not asked for again.

    Raises:
        RunError: the log cannot be read or the run cannot go on.
    """
    from inspect_ai import eval_retry

    try:
        logs = eval_retry(
            str(log),
            log_dir=str(options.log_dir),
            display=_display(options.display),  # type: ignore[arg-type]
            max_samples=options.max_samples,
            fail_on_error=False,
            retry_on_error=SAMPLE_RETRIES,
        )
    except Exception as error:
        raise RunError(f"{log}: cannot go on: {one_line(error)}") from error
    return logs[0]


def unfinished(log_dir: Path, suite: str | None) -> Path:
    """The newest run of ours in a folder that did not finish; of its logs, the one that holds most samples.

    Raises:
        UsageError: there is none.
    """
    by_task: dict[str, list[tuple[int, str, EvalLog]]] = {}
    finished: set[str] = set()
    for name, log in _headers(log_dir):
        if not log.eval.task.startswith("mlbench/") or (suite and (log.eval.metadata or {}).get("suite") != suite):
            continue
        if complete(log):
            finished.add(log.eval.task_id)
        by_task.setdefault(log.eval.task_id, []).append((_sample_count(name), log.eval.created, log))
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


def _headers(log_dir: Path) -> Iterable[tuple[str, EvalLog]]:
    from inspect_ai.log import list_eval_logs, read_eval_log

    if not log_dir.is_dir():
        return
    for info in list_eval_logs(str(log_dir), recursive=False):
        try:
            yield info.name, read_eval_log(info, header_only=True)
        except Exception:  # half written before its first flush: nothing to go on with
            continue


def _sample_count(name: str) -> int:
    from inspect_ai.log import read_eval_log_sample_summaries

    try:
        return len(read_eval_log_sample_summaries(name))
    except Exception:
        return 0


def _model(name: str, options: Options) -> Model:
    from inspect_ai.model import GenerateConfig, get_model

    try:
        model = get_model(name, base_url=options.base_url, config=GenerateConfig(), **options.model_args)
    except Exception as error:
        raise UsageError(f"model {name}: {one_line(error)}") from error
    if url := getattr(model.api, "base_url", None) or options.base_url:
        _reach(name, str(url))
    return model


def _reach(name: str, url: str) -> None:
    """An endpoint that is down is said at once, not after an hour of retries."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise UsageError(f"model {name}: {url} is not an address; like http://localhost:8000/v1")
    if any(os.environ.get(proxy) for proxy in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")):
        return  # a proxy stands in between: only the request itself can tell
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=10).close()
    except OSError as error:
        raise RunError(
            f"model {name}: nothing answers at {url} ({error.strerror or error})"
        ) from error


def _display(wanted: str | None) -> str | None:
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
