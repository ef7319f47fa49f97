"""The scripted engineer improves experiments for real: actions, sandbox and grader are the true ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from engineer import Engineer
from inspect_ai import eval as inspect_eval

from mlbench.tasks.experiment import experiment

SOLVED = ("house-price", "spaceship-titanic", "imdb", "feedback", "ogbn-arxiv", "vectorization")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["research_agent", "react"])
@pytest.mark.parametrize("name", SOLVED)
def test_problems_are_solved(name: str, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engineer() as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        task = experiment(name, agent=agent, steps_dir=str(tmp_path / "steps"))
        (log,) = inspect_eval(task, model="openai-api/engineer/competent", log_dir=str(tmp_path), display="none")
    assert not engineer.faults
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].scores
    score = log.samples[0].scores["experiment"]
    assert isinstance(score.value, dict)
    assert score.value["success"] == 1.0, score
