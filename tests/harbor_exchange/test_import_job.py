"""Jobs of Harbor as logs: the judge's verdicts, Harbor's agents and costs, and folders that are something else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from mlbench.api import run_submissions
from mlbench.harbor.import_job import import_job
from mlbench.harbor.job_folder import trials_of
from mlbench.reasons import AgentOutcome
from mlbench.records import UsageError
from mlbench.results.load_log import read_run
from mlbench.run_config import RunConfig
from mlbench.suites.suite import load_suite

ROW = 5


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of the judge about a workspace without a run.sh."""
    folder = tmp_path_factory.mktemp("judge")
    (folder / "workspace").mkdir()
    log = run_submissions(
        [folder], [ROW], "pocket", "harbor", {}, None, RunConfig(log_dir=folder / "logs", display="none")
    )
    return Path(log.location.removeprefix("file://"))


def trial(job: Path, name: str, log: Path | None, reward: float | None, task: str = "pocket-5", **more: object) -> Path:
    """A trial's folder as Harbor 0.25 leaves it."""
    folder = job / name
    (folder / "verifier" / "mlbench").mkdir(parents=True)
    if log:
        shutil.copy(log, folder / "verifier" / "mlbench")
    result = {
        "task_name": f"mlbench/{task}",
        "trial_name": name,
        "agent_info": {"name": "an-agent", "version": "1", "model_info": {"name": "m-1", "provider": "openai"}},
        "agent_result": {"n_input_tokens": 100, "n_output_tokens": 20, "cost_usd": 0.25},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "agent_execution": {"started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:01:30Z"},
        **more,
    }
    (folder / "result.json").write_text(json.dumps(result))
    (job / "result.json").write_text(json.dumps({"n_total_trials": 1}))
    return folder


def passing(log: Path, folder: Path) -> Path:
    """The same log with a verdict that passes."""
    changed = read_eval_log(str(log))
    (sample,) = changed.samples or []
    score = (sample.scores or {})["judge"]
    assert isinstance(score.value, dict) and score.metadata
    score.value["strict"] = 1.0
    score.metadata["verdicts"][0].update(passed=True, stage="outcome", reason="right")
    write_eval_log(changed, str(folder / "passing.eval"))
    return folder / "passing.eval"


def test_a_job_becomes_one_log_with_costs_and_ends(judged: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    trial(job, "pocket-5__a", passing(judged, tmp_path), 1.0)
    late = {"exception_type": "AgentTimeoutError", "exception_message": "after 1800 s", "exception_traceback": ""}
    trial(job, "pocket-5__b", judged, 0.0, exception_info=late)
    folder = trial(job, "pocket-17__c", None, None, task="pocket-17", exception_info={**late, "exception_type": "X"})
    assert len(trials_of(folder)) == 1
    run = read_run(import_job(job, load_suite("pocket"), tmp_path / "logs"))
    assert (run.model, run.agent, run.suite, run.status) == ("openai/m-1", "an-agent", "pocket", "success")
    first, second, third = run.attempts
    assert [each.row for each in run.attempts] == [ROW, ROW, 17]
    assert first.verdicts["strict"].passed and not second.verdicts["strict"].passed
    assert first.usage.cost == 0.25 and first.seconds == 90.0
    assert first.work and second.work
    assert (first.work.name, first.work.outcome, first.work.seconds) == ("an-agent", AgentOutcome.ENDED, 90.0)
    assert second.work.outcome == AgentOutcome.TIME_LIMIT
    assert "X" in third.error and not third.verdicts


def test_a_reward_that_is_not_the_judges_is_not_counted(judged: Path, tmp_path: Path) -> None:
    """An edited result.json gave a pass although the log of the judge says otherwise."""
    trial(tmp_path / "job", "pocket-5__a", judged, 1.0)
    (attempt,) = read_run(import_job(tmp_path / "job", load_suite("pocket"), tmp_path / "logs")).attempts
    assert "not the verdict of the judge" in attempt.error


def test_a_log_of_another_row_is_not_counted(judged: Path, tmp_path: Path) -> None:
    trial(tmp_path / "job", "pocket-17__a", judged, 0.0, task="pocket-17")
    (attempt,) = read_run(import_job(tmp_path / "job", load_suite("pocket"), tmp_path / "logs")).attempts
    assert "no verdict on row 17" in attempt.error


def test_other_folders_are_refused_in_one_line(judged: Path, tmp_path: Path) -> None:
    suite, logs = load_suite("pocket"), tmp_path / "logs"
    with pytest.raises(UsageError, match="no trial of Harbor"):
        import_job(tmp_path / "absent", suite, logs)
    trial(tmp_path / "foreign", "x", None, 1.0)
    file = tmp_path / "foreign" / "x" / "result.json"
    file.write_text(file.read_text().replace("mlbench/pocket-5", "terminal-bench/hello-world"))
    with pytest.raises(UsageError, match="not of mlbench"):
        import_job(tmp_path / "foreign", suite, logs)
    file.write_text('{"trial_name": "x"}')
    with pytest.raises(UsageError, match="not a trial's result"):
        import_job(tmp_path / "foreign", suite, logs)
    trial(tmp_path / "two", "pocket-5__a", judged, 0.0)
    trial(tmp_path / "two", "pocket-5__b", judged, 0.0, agent_info={"name": "another"})
    with pytest.raises(UsageError, match="2 agents or models"):
        import_job(tmp_path / "two", suite, logs)
    assert not logs.exists()
