"""The scripted engineer improves experiments for real: actions, sandbox and grader are the true ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score

from mlbench.evals.mlagentbench.problem import DATA_SEED
from mlbench.evals.mlagentbench.task import experiment
from tests.scripted_agent.faulty_agents import Boastful, Restless
from tests.scripted_agent.protocol import Conversation, Reply
from tests.scripted_agent.server import Engineer
from tests.scripted_agent.toy_problem import write_problem

IMPROVED = ("house-price", "spaceship-titanic", "imdb", "feedback", "ogbn-arxiv", "vectorization")
NUMBERS = [2, 9, 4, 1, 3, 5]


def tried(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    agent: str = "research_agent",
    think: Callable[[Conversation], Reply] | None = None,
    **flags: object,
) -> EvalSample:
    """One try at a problem; by the competent engineer, where nobody else thinks."""
    with Engineer(think=think) as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        # Inspect remembers a model by its name, and with it the address of the engineer of an earlier test
        model = get_model("openai-api/engineer/competent", base_url=engineer.url, memoize=False)
        task = experiment(name, agent=agent, data_seed=DATA_SEED, options=flags, steps_dir=str(folder / "steps"))
        (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert not engineer.faults
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0]


def score(sample: EvalSample) -> Score:
    assert sample.scores, sample.error
    return sample.scores["experiment"]


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["research_agent", "react"])
@pytest.mark.parametrize("name", IMPROVED)
def test_problems_are_improved(name: str, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = score(tried(name, tmp_path, monkeypatch, agent))
    assert isinstance(found.value, dict)
    # by plain recipes: more than 10 % better is seldom a success beyond them
    assert found.value["success"] + found.value["easy_win"] == 1.0, found


@pytest.mark.parametrize("shown, left", [(True, 9), (False, 1)])
def test_who_sees_his_steps_end_puts_the_best_back(
    shown: bool, left: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = str(write_problem(tmp_path / "toads"))
    sample = tried(problem, tmp_path, monkeypatch, think=Restless(NUMBERS), steps=9, show_budget=shown)
    assert (score(sample).metadata or {})["score"] == left


@pytest.mark.parametrize("checked", [True, False])
def test_a_figure_that_is_doubted_does_not_reach_the_final_answer(
    checked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = str(write_problem(tmp_path / "toads"))
    found = score(tried(problem, tmp_path, monkeypatch, think=Boastful("4.71"), check_facts=checked))
    assert isinstance(found.value, dict)
    assert found.value["false_claim"] == float(not checked)
