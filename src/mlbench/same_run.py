"""The same command twice: what is finished stays, what is unfinished is continued, the rest is started."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mlbench import eval_runs
from mlbench.run_config import RunConfig
from mlbench.same_facts import OF_ENDPOINT, OF_MACHINE, SECRETS, facts_key

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


def run_key(make: functools.partial[Task], model: str, config: RunConfig, *more: object) -> str:
    """Return a key that is the same for the same command, on any machine.

    Args:
        make: the task with its arguments.
        model: PROVIDER/NAME.
        config: sampling, budget, and the arguments of the provider; keys and URLs do not count.
        more: what else the run depends on, as JSON can write it.
    """
    arguments = {name: value for name, value in make.keywords.items() if name not in OF_MACHINE}
    return facts_key(
        make.func.__name__,
        arguments,
        model,
        {name: value for name, value in config.model_args.items() if name not in SECRETS},
        config.generation.model_dump(exclude=set(OF_ENDPOINT)),
        config.budget.model_dump(),
        *more,
    )


class BegunRun(NamedTuple):
    """A run that the folder of the logs already holds."""

    log: EvalLog
    complete: bool

    @property
    def file(self) -> Path:
        return Path(self.log.location.removeprefix("file://"))


def begun_run(log_dir: Path, key: str) -> BegunRun | None:
    """Return the run with this key that has most scored samples; None if there is none.

    Args:
        log_dir: folder of the logs.
        key: see `run_key`.
    """
    found: list[tuple[bool, int, str, EvalLog]] = []
    for name, log in eval_runs.headers(log_dir):
        if str((log.eval.metadata or {}).get("run") or "").startswith(f"{key}-"):
            done = eval_runs.complete(log)
            found.append((done, 0 if done else eval_runs.scored_samples(name), log.eval.created, log))
    best = max(found, key=lambda each: each[:3], default=None)
    return BegunRun(best[3], best[0]) if best else None


def run_anew(make: functools.partial[Task], model: str, config: RunConfig) -> EvalLog:
    """Run a task under a new name; see `eval_runs.run`."""
    return eval_runs.run(make(run=eval_runs.new_run_name()), model, config)


def run_or_continue(
    make: functools.partial[Task], model: str, config: RunConfig, key: str = "", *, resumable: bool = True
) -> EvalLog:
    """Return the finished run of the same command, or continue an unfinished one, or start it.

    Args:
        make: the task with its arguments, except the name of the run.
        model: PROVIDER/NAME.
        config: how the run is made.
        key: of the run; `run_key` by default.
        resumable: False starts an unfinished run anew. Runs that ask no model find their verdicts in the cache.

    Raises:
        UsageError, RunError, KeyboardInterrupt: as `eval_runs.run` and `eval_runs.resume`.
    """
    key = key or run_key(make, model, config)
    begun = begun_run(config.log_dir, key)
    if begun is not None and begun.complete:
        print(f"mlbench: finished before, nothing to run: {begun.file}", file=sys.stderr)
        return begun.log
    if begun is not None and resumable:
        print(f"mlbench: continues {begun.file}", file=sys.stderr)
        return eval_runs.resume(begun.file, config)
    return eval_runs.run(make(run=eval_runs.new_run_name(key)), model, config)
