"""Agents over experiments: which can work there, what they are told, and that what they leave is graded the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from mlbench.agents.agent_envs import Interpreter, why_not
from mlbench.evals.mlagentbench import registry
from mlbench.evals.mlagentbench.problem import DATA_SEED, load_problem
from mlbench.evals.mlagentbench.registry import asks_model, in_words, known
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.evals.mlagentbench.task import experiment
from mlbench.evals.mlagentbench.workspace_diff import Increment
from mlbench.records import UsageError
from tests.scripted_agent.server import Engineer


@pytest.mark.parametrize(
    "name, options, words",
    [
        ("rsearch", {}, "no agent 'rsearch'; there are: research_agent, tree_search, react, human"),
        ("ml_agent", {}, "the agent ml_agent cannot work on experiments; there are: research_agent"),
        ("gold", {}, "the agent gold cannot work on experiments"),
        ("research-agent", {"lgo": False}, "no option 'lgo'; there are: log, show_budget"),
        ("research_agent", {"steps": "many"}, "steps='many': expected a number"),
        ("research_agent", {"log": "perhaps"}, "log='perhaps': expected true or false"),
        ("codeact", {"log": False}, "the agent codeact has no options (log)"),
    ],
)
def test_agents_that_cannot_be(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        known(name, options)
    assert words in str(raised.value)


def test_names_and_models() -> None:
    assert known("research-agent", {"log": False}) == "research_agent"
    assert [asks_model(name) for name in ("trivial", "nothing", "react")] == [False, False, True]


def test_a_foreign_agent_that_cannot_work_here_says_so_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "of_jail", lambda: Interpreter("/usr/bin/python3", (3, 11), "x86_64"))
    with pytest.raises(
        UsageError, match=r"^the agent openhands needs Python >= 3.12, this is 3.11: run mlbench itself"
    ):
        experiment("house-price", agent="openhands")
    monkeypatch.setattr(registry, "why_not", lambda name: f"the agent {name} is not installed: install it")
    with pytest.raises(UsageError, match="autogen is not installed"):
        experiment("house-price", agent="autogen")


def test_others_are_told_what_the_work_is() -> None:
    told = in_words(load_problem("house-price"))
    assert "starter, train.py." in told
    assert "cannot be changed: train.csv, test.csv." in told
    assert "Leave submission.csv there" in told
    timed = in_words(load_problem("vectorization"))
    assert "`python train.py` is run afresh for that" in timed
    assert "run.sh" not in told + timed


def improves(agent: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Engineer, list[SnapshotStep]]:
    """The engineer, who improved house-price through this agent, and its steps: each was kept, and graded."""
    with Engineer() as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        model = get_model("openai-api/engineer/competent", base_url=engineer.url, memoize=False)
        task = experiment(
            "house-price",
            agent=agent,
            data_seed=DATA_SEED,
            grade_steps=True,
            steps_dir=str(folder / "steps"),
        )
        (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert not engineer.faults
    assert log.samples
    assert log.samples[0].scores, log.samples[0].error
    score = log.samples[0].scores["experiment"]
    assert isinstance(score.value, dict)
    # its plain recipes are more than 10 % better, but no success
    assert (score.value["easy_win"], score.value["valid"], score.value["success"]) == (1.0, 1.0, 0.0), score
    about = score.metadata or {}
    assert about["outcome"] == "ended"
    steps = Steps(Path(about["folder"])).read()
    assert [number for number, _ in about["progress"]] == [step.number for step in steps]
    assert about["progress"][-1][1] == about["score"]
    assert any("validation: mean absolute error" in step.observation for step in steps)
    assert {"train.py", "submission.csv"} <= {path for step in steps for path in step.changed}
    return engineer, steps


def test_codeact_improves_an_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engineer, steps = improves("codeact", tmp_path, monkeypatch)
    assert {step.action for step in steps} <= {"bash", "python"}
    assert all(step.inputs and step.reply for step in steps)
    first = engineer.asked[0].said
    (submit,) = (tool for tool in first.tools if tool.name == "submit")
    assert "as good as you can make it" in submit.description
    assert "run.sh" not in first.text + submit.description


@pytest.mark.agents
@pytest.mark.parametrize("agent", ["autogen", "mini_swe_agent", "aider"])
def test_foreign_agents_improve_an_experiment(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if problem := why_not(agent):
        pytest.skip(problem)
    engineer, steps = improves(agent, tmp_path, monkeypatch)
    assert {step.action for step in steps} == {"turn"}
    assert len(steps) == len(engineer.asked) >= 2
    assert all(step.reply for step in steps)


@pytest.mark.agents
def test_a_failure_of_the_machine_is_not_the_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bridge tells the agent that its model failed; what it makes of that was taken for a crash of its own."""
    if problem := why_not("mini_swe_agent"):
        pytest.skip(problem)

    add, calls = Steps.add, []

    def full_once(steps: Steps, step: SnapshotStep, increment: Increment) -> SnapshotStep:
        calls.append(step)
        if len(calls) == 1:
            raise OSError(28, "No space left on device")
        return add(steps, step, increment)

    monkeypatch.setattr(Steps, "add", full_once)
    with Engineer() as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        model = get_model("openai-api/engineer/competent", base_url=engineer.url, memoize=False)
        task = experiment("spaceship-titanic", agent="mini_swe_agent", steps_dir=str(tmp_path / "steps"))
        (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", fail_on_error=False)
    [sample] = log.samples or []
    assert sample.error and "No space left" in sample.error.message
    assert not sample.scores
