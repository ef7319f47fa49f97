"""What is said after Ctrl-C. Every command advised `mlbench eval --resume`, also `build` and a run without a log."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from mlbench import eval_runs
from mlbench.cli.stopped import advice_after_stop
from tests.results.log_factory import write_log

AGAIN = "stopped; the same command starts again"
CONTINUES = "stopped; the same command continues"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("build REPO -o DIR", AGAIN),
        ("report logs", AGAIN),
        ("verify outputs.jsonl", f"{AGAIN}, and reuses the verdicts that it has found"),
        ("verify outputs.jsonl --no-cache", AGAIN),
        ("verify --run-sh left/pocket-5", AGAIN),
        ("verify outputs.jsonl --shards 4 --shard 1", CONTINUES),
        ("eval pocket --model m --shards=4 --shard=1", CONTINUES),
        ("sweep runs.yaml", CONTINUES),
        ("repos fetch", CONTINUES),
        ("train run -o tuned", CONTINUES),
        ("train export ml-bench", AGAIN),
        ("", AGAIN),
    ],
)
def test_each_command_has_its_own_advice(words: str, advice: str) -> None:
    assert advice_after_stop(words.split(), since=0.0) == advice


def test_only_a_run_with_a_log_can_be_continued(tmp_path: Path) -> None:
    """Stopped in its first seconds, a run has no log; `--resume` would then continue an older one."""
    words = ["eval", "pocket", "--model", "m", "--log-dir", str(tmp_path)]
    assert "before the run had a log" in advice_after_stop(words, since=0.0)
    log = write_log(tmp_path / "run.eval", [], status="cancelled")
    began = os.stat(log).st_mtime
    again = f"`mlbench eval --resume --log-dir {tmp_path}` continues this run"
    assert advice_after_stop(words, began - 1) == f"stopped; {again}, the same command starts a new one"
    assert (
        advice_after_stop([*words[:1], "--resume", *words[-2:]], began - 1)
        == "stopped; the same command continues this run"
    )
    assert "before the run had a log" in advice_after_stop(words, began + 1)


def _first_of_none(*_: object, **__: object) -> object:
    return list[object]().pop(0)


def test_ctrl_c_in_a_resumed_run_is_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended as "cannot be resumed: list index out of range": `eval_retry` takes the first of no logs."""
    log = write_log(tmp_path / "run.eval", [], status="cancelled", spec={"model": "mockllm/model"})
    monkeypatch.setattr(eval_runs, "_is_as_it_was", lambda log, spec: None)
    monkeypatch.setattr("inspect_ai.eval_retry", _first_of_none)
    with pytest.raises(KeyboardInterrupt):
        eval_runs.resume(log, eval_runs.RunConfig(log_dir=tmp_path, display="none"))


def test_the_end_of_a_server_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    """Ctrl-C in the first seconds printed fifty lines of a traceback of uvicorn."""
    eval_runs._quiet_at_the_end()
    logging.getLogger("uvicorn.error").error("Traceback ...\nasyncio.exceptions.CancelledError\n")
    logging.getLogger("uvicorn.error").error("another")
    assert caplog.messages == ["another"]


def test_steps_of_a_resumed_experiment_stay_in_the_folder_of_the_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inspect resumes in the folder of the task: steps of `--log-dir logs` were written into the package."""
    from mlbench.cli.experiment import experiment

    class Seen(Exception): ...

    def seen(**given: object) -> None:
        assert given["steps_dir"] == str(tmp_path / "logs" / "steps")
        raise Seen

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mlbench.evals.mlagentbench.task.experiment", seen)
    app = typer.Typer()
    app.command()(experiment)
    done = CliRunner().invoke(app, ["vectorization", "--agent", "trivial"])
    assert isinstance(done.exception, Seen), done.exception
