"""Logs that carry the old names of task arguments are resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.log import read_eval_log, write_eval_log

from mlbench import eval_runs
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.evals.ml_llm_bench.task import llm_bench
from mlbench.run_config import OLD_ARGUMENTS, RunConfig


def answers() -> Task:
    return llm_bench(split="quarter", limit=2, cache=False)


def agents() -> Task:
    bounds: dict[str, Any] = {"budget": {"steps": 3}, "sandbox_limits": {"memory": 2**31}}
    return agent_bench(agent="nothing", network="none", limit=2, **bounds)


@pytest.mark.parametrize(("made", "old"), [(answers, ["remember"]), (agents, ["work", "room"])])
def test_a_log_with_the_old_arguments_is_resumed(made: Any, old: list[str], tmp_path: Path) -> None:
    config = RunConfig(log_dir=tmp_path / "logs", display="none")
    log = read_eval_log(eval_runs.run(made(), "mlbench/gold", config).location)
    before = {new: name for name, new in OLD_ARGUMENTS.items()}
    log.eval.task_args_passed = {before.get(name, name): value for name, value in log.eval.task_args_passed.items()}
    assert set(old) <= set(log.eval.task_args_passed)
    log.samples, log.status, log.results = (log.samples or [])[:1], "cancelled", None
    write_eval_log(log, str(tmp_path / "old.eval"))
    again = eval_runs.resume(tmp_path / "old.eval", config)
    assert eval_runs.complete(again) and len(again.samples or []) == 2
    assert not set(old) & set(again.eval.task_args_passed)
