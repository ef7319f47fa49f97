"""The eval.yaml of each benchmark names tasks that exist, with their true versions and numbers of samples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai import Task

import mlbench.evals
from mlbench import _registry

FOLDER = Path(mlbench.evals.__file__).parent
BENCHMARKS = sorted(path.parent.name for path in FOLDER.glob("*/task.py"))
ARGUMENTS: dict[str, dict[str, Any]] = {
    "agent_bench": {"network": "none"},  # the default asks whether a package index can be reached
    "experiment": {"agent": "trivial"},
}
REQUIRED = {"title", "description", "arxiv", "group", "contributors", "version", "tasks"}


def _metadata(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / name / "eval.yaml").read_text())
    return found


def test_there_are_three_benchmarks() -> None:
    assert BENCHMARKS == ["ml_agent_bench", "ml_llm_bench", "mlagentbench"]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_metadata_is_complete(name: str) -> None:
    found = _metadata(name)
    assert REQUIRED <= found.keys() <= REQUIRED | {"tags", "metadata"}
    assert re.fullmatch(r"https://arxiv\.org/abs/\d{4}\.\d{5}", found["arxiv"])
    assert len(found["description"].splitlines()) == 1


def test_every_task_is_named_once() -> None:
    named = [task["name"] for name in BENCHMARKS for task in _metadata(name)["tasks"]]
    registered = [name for name in _registry.__all__ if getattr(_registry, name).__module__.startswith("mlbench.evals")]
    assert sorted(named) == sorted(set(registered) - {"baselines"})


@pytest.mark.parametrize(
    ("benchmark", "task"),
    [(name, task) for name in BENCHMARKS for task in _metadata(name)["tasks"] if "dataset_samples" in task],
    ids=lambda value: value["name"] if isinstance(value, dict) else value,
)
def test_versions_and_samples_are_true(benchmark: str, task: dict[str, Any]) -> None:
    made: Task = getattr(_registry, task["name"])(**ARGUMENTS.get(task["name"], {}))
    assert len(made.dataset) == task["dataset_samples"]
    assert str(made.version) == _metadata(benchmark)["version"].partition("-")[0]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_readme_says_what_a_user_needs(name: str) -> None:
    """Parameters that the page names exist; its links lead to files."""
    text = (FOLDER / name / "README.md").read_text()
    assert re.findall(r"^## (.*)", text, re.M) == [
        "Run it",
        "Parameters",
        "Scorers",
        "Differences from the published benchmark",
        "Figures",
    ]
    missing = [link for link in re.findall(r"\]\((?!https)([^)#]+)\)", text) if not (FOLDER / name / link).exists()]
    assert not missing
    table = text.partition("## Parameters")[2].partition("##")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.M)
    parameters = {each for cell in cells for each in re.findall(r"`(\w+)`", cell)}
    known = {
        parameter
        for task in _metadata(name)["tasks"]
        for parameter in getattr(_registry, task["name"]).__wrapped__.__code__.co_varnames
    }
    assert parameters and parameters <= known
