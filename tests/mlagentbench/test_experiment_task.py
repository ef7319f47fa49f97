"""The task of experiments, end to end with the agent that needs no model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

from mlbench import eval_runs
from mlbench.evals.mlagentbench.data import place_of
from mlbench.evals.mlagentbench.problem import DATA_SEED, load_problem
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.task import experiment
from mlbench.records import RunError, UsageError
from mlbench.run_config import RunConfig

TOADS = Path(__file__).parent / "attacked" / "toads"


@pytest.mark.anyio
async def test_a_task_can_be_made_anew_while_inspect_runs() -> None:
    """As Inspect does it where a run is resumed."""
    assert len(experiment(["house-price", "imdb"], agent="trivial").dataset) == 2


def test_every_run_draws_data_of_its_own() -> None:
    """Whoever knows the seed can work out the labels: the known seed was once the default."""
    tasks = [experiment(["imdb"], agent="trivial") for _ in range(2)]
    seeds = [load_problem(**(task.dataset[0].metadata or {})["origin"]).data_seed for task in tasks]
    assert len({*seeds, DATA_SEED}) == 3 and min(seeds) > 2**90
    assert [(task.metadata or {})["data_seed"] for task in tasks] == seeds
    assert len({str(task.metadata) for task in tasks}) == 2


def test_data_of_another_seed_are_other_data(tmp_path: Path) -> None:
    known, own = (experiment(["imdb"], agent="trivial", data_seed=seed) for seed in (DATA_SEED, 7))
    assert ((known.metadata or {})["data"], (own.metadata or {})["data"]) == ("lite (known seed)", "lite")
    problems = [load_problem(**(task.dataset[0].metadata or {})["origin"]) for task in (known, own)]
    assert [problem.data_seed for problem in problems] == [DATA_SEED, 7]
    assert len({place_of(problem).workspace for problem in problems}) == 2


def test_a_run_without_a_name_is_shown_nothing_of_another(tmp_path: Path) -> None:
    """A second run of other files, in the same folder of steps: its steps are its own."""
    folder = shutil.copytree(TOADS, tmp_path / "toads")
    shown = []
    for words in ("version ONE", "version TWO"):
        starter = folder / "visible" / "train.py"
        starter.write_text(f"print({words!r})\n" + (TOADS / "visible" / "train.py").read_text())
        task = experiment([str(folder)], agent="trivial", steps_dir=str(tmp_path / "steps"))
        log = inspect_eval(task, model="mlbench/nothing", log_dir=str(tmp_path), display="none")[0]
        [sample] = log.samples or []
        shown.append(Steps(Path((sample.scores or {})["experiment"].metadata["folder"])).read()[0].observation)
    assert ["ONE" in shown[0], "TWO" in shown[0], "ONE" in shown[1], "TWO" in shown[1]] == [True, False, False, True]


def test_a_run_does_not_go_on_where_a_problem_has_changed(tmp_path: Path) -> None:
    folder = shutil.copytree(TOADS, tmp_path / "toads")
    task = experiment([str(folder)], agent="trivial", steps_dir=str(tmp_path / "steps"))
    log = inspect_eval(task, model="mlbench/nothing", log_dir=str(tmp_path), display="none")[0]
    options = RunConfig(log_dir=tmp_path / "again", display="none")
    assert eval_runs.resume(Path(log.location), options).status == "success"
    (folder / "hidden" / "grade.py").write_text("print('{\"score\": 0}')\n")
    with pytest.raises(RunError, match="cannot be resumed: the problem toads has changed since; start a new run"):
        eval_runs.resume(Path(log.location), options)


@pytest.mark.parametrize("agent", ["trivial", "codeact"])
def test_a_helper_for_an_agent_that_asks_none_is_refused(agent: str) -> None:
    with pytest.raises(UsageError, match="asks no helper model"):
        experiment(["imdb"], agent=agent, helper="openai/gpt-4o-mini")


def test_the_unchanged_starter_is_valid_and_no_success(tmp_path: Path) -> None:
    task = experiment(["spaceship-titanic"], agent="trivial", grade_steps=True, steps_dir=str(tmp_path / "steps"))
    log = inspect_eval(task, model="mlbench/nothing", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    [sample] = log.samples or []
    score = (sample.scores or {})["experiment"]
    assert (score.value["valid"], score.value["success"], score.value["false_claim"]) == (1.0, 0.0, 0.0)
    assert score.metadata["actions"] == {"execute_script": 1, "final_answer": 1}
    assert [number for number, _ in score.metadata["progress"]] == [1, 2]
    assert score.metadata["progress"][-1][1] == score.metadata["score"]
