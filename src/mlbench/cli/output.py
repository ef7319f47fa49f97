"""The output of commands that make a run."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.records import Policy, RunError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from mlbench.results.models import RunRecord


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the garbage collector while a command reads logs.

    Nothing is dropped before the end, and looking for it takes a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def show_run(log: EvalLog, policy: Policy) -> None:
    """Print the table of a run and the path of its log.

    Raises:
        RunError: samples have no score; says why, and the command that continues the run.
    """
    from rich.console import Console

    from mlbench.eval_models import one_line
    from mlbench.eval_runs import complete, failure
    from mlbench.results.judged_policies import policies_of
    from mlbench.results.load_log import read_run
    from mlbench.results.table import show

    if log.status == "error" and log.error is not None and not log.samples:
        raise RunError(one_line(Exception(log.error.message)))
    run = read_run(Path(log.location.removeprefix("file://")))
    judged = policies_of([run])
    show([run], policy if policy in judged else judged[0], Console())
    print(f"log: {log.location}")
    for warning in warnings_of(run):
        print(f"mlbench: warning: {warning}", file=sys.stderr)
    if not complete(log):
        why = failure(log)
        verb = "experiment" if run.experiments else "agent" if run.agent else "eval"
        folder = os.path.relpath(Path(log.location.removeprefix("file://")).parent)
        raise RunError(
            f"{run.scored} of {run.expected} samples were scored{f': {why}' if why else ''};"
            " the same command continues this shard"
            if run.shard
            else f"{run.scored} of {run.expected} samples were scored{f': {why}' if why else ''};"
            f" `{resume_command([verb, '--log-dir', folder] if folder != 'logs' else [verb])}` continues the run"
        )


_NAMED = 10
"""Rows that a warning names at most."""
_REPEATED = ("--log-dir", "--model-cost", "--max-samples")
"""Options that have to be repeated with `--resume`, because the log does not hold them."""


def resume_command(words: Sequence[str]) -> str:
    """Return the command that continues a run.

    Args:
        words: the command line that started the run, without the program's name.
    """
    bench = next((name for name in words[:1] if name in ("agent", "experiment")), "eval")
    kept = [word for option in _REPEATED if (value := option_of(words, option)) for word in (option, value)]
    return shlex.join(["mlbench", bench, "--resume", *kept])


def option_of(words: Sequence[str], option: str) -> str | None:
    """Return the value of an option in a command line; None if it is not there."""
    for at, word in enumerate(words):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option and at + 1 < len(words):
            return words[at + 1]
    return None


def warnings_of(run: RunRecord) -> Iterator[str]:
    """Return a warning for each token limit that answers ran into, with what to do."""
    cut = sum(attempt.cut for attempt in run.attempts)
    overflowed = sum(attempt.overflowed for attempt in run.attempts)
    failing = sorted({attempt.row for attempt in run.attempts if attempt.reference_fails})
    if failing:
        yield (
            f"{len(failing)} rows are not scored, because their references are not accepted (rows"
            f" {', '.join(map(str, failing[:_NAMED]))}{', …' if len(failing) > _NAMED else ''}): the report says why"
        )
    if not_run := sorted({attempt.row for attempt in run.attempts if attempt.not_run}):
        yield (
            f"{len(not_run)} rows are not scored under paper, because they cannot be run here: `mlbench repos list`"
            " shows the environments"
        )
    if cut:
        limit = f" (--max-tokens {run.max_tokens})" if run.max_tokens else ""
        yield f"{cut} of {run.scored} answers were cut at the token limit{limit}: raise --max-tokens"
    if overflowed:
        yield (
            f"{overflowed} of {run.scored} prompts exceeded the model's context:"
            " lower --context-tokens or --max-tokens, or serve the model with a larger context"
        )
