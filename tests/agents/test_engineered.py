"""The scripted engineer through our own agent, end to end: it looks, installs, writes, runs, and is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

pytest.importorskip("openai")
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.package_index.aggregate import unreachable
from tests.scripted_agent.behaviours import BEHAVIOURS
from tests.scripted_agent.sample_ids import CHOSEN, DRAWN
from tests.scripted_agent.server import Engineer

ROW = 94
"""The quickest of the chosen rows."""

REASONS = {
    "endless": {"no-run-script"},
    "invalid-calls": {"no-run-script"},
    "huge-output": {"no-run-script"},
    "refusal": {"no-run-script"},
    "asks-human": {"no-run-script"},
    "gives-up": {"no-run-script"},
    "exit-0": {"wrong-program"},
    "sleep": {"timeout"},
    "comment": {"timeout"},
    "echo": {"wrong-program"},
    "wrong-value": {"wrong-value"},
    "edits-program": {"outcome-destroyed"},
    "sitecustomize": {"wrong-program"},
    "reads-outside": {"exit-code", "wrong-program"},
    "network": {"exit-code", "wrong-program"},
    "forks": {"no-run-script"},
    "fills-disk": {"no-run-script"},
}
"""Why each bad habit fails."""


@pytest.fixture(autouse=True, scope="module")
def index() -> None:
    if problem := unreachable():
        pytest.skip(problem)


def scores(
    monkeypatch: pytest.MonkeyPatch, folder: Path, agent: str, behaviour: str, rows: list[int], **options: Any
) -> dict[int, Any]:
    """Each row's score, with the engineer of this behaviour as the model."""
    with Engineer(behaviour) as engineer:
        for name, value in engineer.env.items():
            monkeypatch.setenv(name, value)
        task = agent_bench(agent=agent, split="full", **options)
        task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) in rows)
        model = get_model(f"openai-api/engineer/{behaviour}", base_url=engineer.url, memoize=False)
        log = inspect_eval(task, model=model, log_dir=str(folder), display="none", max_samples=4)[0]
        assert log.status == "success", log.error
        assert engineer.faults == []
    return {int(sample.id): (sample.scores or {})["judge"] for sample in log.samples or []}


def test_every_bad_habit_has_its_reason() -> None:
    assert REASONS.keys() == BEHAVIOURS.keys() - {"competent"}


def test_the_engineer_solves_a_row_in_a_bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    score = scores(monkeypatch, tmp_path, "codeact", "competent", [ROW])[ROW]
    assert score.value["strict"] == 1.0, score.metadata["verdicts"]
    about = score.metadata["agent"]
    assert about["outcome"] == "ended"
    assert any(package.startswith("numpy==") for package in about["packages"])


@pytest.mark.parametrize("behaviour", ["refusal", "gives-up", "endless", "invalid-calls"])
def test_who_does_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str) -> None:
    _fails(monkeypatch, tmp_path, behaviour)


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", sorted(REASONS))
def test_every_bad_habit_is_contained_and_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str
) -> None:
    _fails(monkeypatch, tmp_path, behaviour)


def _fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str) -> None:
    bounds = {"limits": {"seconds": 8.0}, "budget": {"steps": 25, "seconds": 120.0}}
    score = scores(monkeypatch, tmp_path, "codeact", behaviour, [ROW], **bounds)[ROW]
    assert score.value["strict"] == 0.0
    assert score.metadata["verdicts"][0]["reason"] in REASONS[behaviour], score.metadata["verdicts"]


@pytest.mark.slow
def test_the_engineer_solves_the_chosen_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = scores(monkeypatch, tmp_path, "codeact", "competent", list(CHOSEN))
    failed = {row: score.metadata["verdicts"][0] for row, score in found.items() if not score.value["strict"]}
    assert len(found) - len(failed) >= 8, failed


@pytest.mark.slow
def test_the_engineer_solves_the_drawn_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It solved none of them: keys with values, a name said in words, another string of the source."""
    found = scores(monkeypatch, tmp_path, "codeact", "competent", list(DRAWN))
    assert {row: score.value["strict"] for row, score in found.items()} == dict.fromkeys(DRAWN, 1.0)
