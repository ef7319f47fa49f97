"""The scripted engineer improves experiments for real: actions, sandbox and grader are the true ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from engineer.server import Engineer
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from mlbench.tasks.experiment import experiment

SOLVED = ("house-price", "spaceship-titanic", "imdb", "feedback", "ogbn-arxiv", "vectorization")
QUICK = "spaceship-titanic"


def solves(name: str, agent: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engineer() as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        # Inspect remembers a model by its name, and with it the address of the engineer of an earlier test
        model = get_model("openai-api/engineer/competent", base_url=engineer.url, memoize=False)
        task = experiment(name, agent=agent, steps_dir=str(folder / "steps"))
        (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert not engineer.faults
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].scores
    score = log.samples[0].scores["experiment"]
    assert isinstance(score.value, dict)
    assert score.value["success"] == 1.0, score


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["research_agent", "react"])
@pytest.mark.parametrize("name", SOLVED)
def test_problems_are_solved(name: str, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solves(name, agent, tmp_path, monkeypatch)
