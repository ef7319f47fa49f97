"""Tasks of Harbor: their form, and what a task must not hold.

If Harbor is installed, its own models read the tasks as well.
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from mlbench.agents.baselines import ANSWER_FILE
from mlbench.api import run_submissions
from mlbench.harbor.export import HarborTasks
from mlbench.records import Policy, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.fetch import verified
from mlbench.results.load_log import read_run
from mlbench.run_config import RunConfig
from mlbench.suites.selection import select
from mlbench.suites.suite import Suite, load_suite
from tests.test_cli_build import build, clone

SCRIPT, CODE = 5, 21


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The tasks of a row that wants a script and of one that wants Python code."""
    suite = load_suite("pocket")
    rows = [suite.row(id).sample for id in (SCRIPT, CODE)]
    folder = tmp_path_factory.mktemp("tasks")
    return dict(zip((SCRIPT, CODE), HarborTasks(suite).write(rows, folder), strict=True))


def test_a_task_has_the_files_that_harbor_looks_for(tasks: dict[int, Path]) -> None:
    for task in tasks.values():
        for name in ("task.toml", "instruction.md", "environment/Dockerfile", "tests/Dockerfile", "tests/test.sh"):
            assert (task / name).stat().st_size, name
        for name in ("tests/test.sh", "solution/solve.sh"):
            assert (task / name).stat().st_mode & 0o111, name
            assert subprocess.run(["bash", "-n", str(task / name)], check=False).returncode == 0
    assert (tasks[CODE] / "solution" / ANSWER_FILE).is_file()
    assert "/workspace/run.sh" in (tasks[SCRIPT] / "instruction.md").read_text()


def test_the_judge_has_a_container_of_its_own(tasks: dict[int, Path]) -> None:
    """Harbor's default is to judge in the agent's container, where an agent can change every program."""
    settings = tomllib.loads((tasks[SCRIPT] / "task.toml").read_text())
    assert settings["verifier"]["environment_mode"] == "separate"
    assert [each["source"] for each in settings["artifacts"]] == ["/workspace", "/packages.txt"]
    assert settings["metadata"]["suite"] == "pocket"
    assert settings["metadata"]["row"] == SCRIPT
    services = yaml.safe_load((tasks[SCRIPT] / "tests" / "docker-compose.yaml").read_text())["services"]
    assert "privileged" not in services["main"]
    assert "cap_add" not in services["main"]


def test_the_agents_image_holds_neither_the_reference_nor_the_judge(tasks: dict[int, Path]) -> None:
    for id, task in tasks.items():
        reference = load_suite("pocket").row(id).sample.output.strip()
        shown = [task / "instruction.md", *(task / "environment").rglob("*")]
        texts = [file.read_text(errors="replace") for file in shown if file.is_file()]
        assert not any(reference in text for text in texts)
        assert not any("mlbench verify" in text for text in texts)


def test_an_export_replaces_its_own_tasks_and_nothing_else(tmp_path: Path) -> None:
    suite = load_suite("pocket")
    tasks = HarborTasks(suite)
    row = [suite.row(SCRIPT).sample]
    (first,) = tasks.write(row, tmp_path)
    (first / "left.txt").write_text("")
    (second,) = tasks.write(row, tmp_path)
    assert first == second
    assert not (second / "left.txt").exists()
    (second / "task.toml").unlink()
    with pytest.raises(UsageError, match="in the way"):
        list(tasks.write(row, tmp_path))


def cache_of(folder: Path) -> Path:
    """A cache without repositories and verdicts; all else is that of this machine."""
    folder.mkdir()
    for each in cache_folder().iterdir():
        if each.name not in ("repositories", "verdicts"):
            (folder / each.name).symlink_to(each)
    return folder


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite without an environment, whose one repository is pinned and lies in the cache."""
    monkeypatch.setenv("MLBENCH_CACHE", str(cache_of(tmp_path / "cache")))
    clone(tmp_path / "mirror/fresh", "2025-06-02")
    build(tmp_path, "https://github.com/a/fresh", "-o", "suite", "--mirror", "mirror")
    return load_suite(str(tmp_path / "suite"))


def test_a_suite_without_an_environment_is_judged_by_interface(
    pinned: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge has no network: its image gets the checkout, which it compares with the pin.

    Here its cache is what the image holds, and the workspace what the solution leaves in the agent's image.
    """
    row = select(pinned, "full", limit=1)[0]
    (task,) = HarborTasks(pinned).write([row], tmp_path / "tasks")
    assert f"--row {row.id} --policy interface" in (task / "tests" / "test.sh").read_text()
    assert "COPY checkout/ /opt/mlbench/cache/repositories/" in (task / "tests" / "Dockerfile").read_text()
    assert tomllib.loads((task / "task.toml").read_text())["metadata"]["policy"] == "interface"
    judge = cache_of(tmp_path / "judge")
    shutil.copytree(task / "tests" / "checkout", judge / "repositories")
    monkeypatch.setenv("MLBENCH_CACHE", str(judge))
    verified.cache_clear()
    for name in ("right", "nothing"):
        shutil.copytree(task / "environment" / "repository", tmp_path / name / "workspace")
    shutil.copy(task / "solution" / "run.sh", tmp_path / "right" / "workspace")
    folders, config = [tmp_path / "right", tmp_path / "nothing"], RunConfig(log_dir=tmp_path / "logs", display="none")
    suite = str(task / "tests" / "suite")
    log = run_submissions(folders, [row.id] * 2, suite, "harbor", {}, Policy.INTERFACE, config)
    right, nothing = (each.verdicts for each in read_run(Path(log.location.removeprefix("file://"))).attempts)
    assert right[Policy.INTERFACE].passed and not nothing[Policy.INTERFACE].passed


def test_harbor_reads_a_task(tasks: dict[int, Path]) -> None:
    config = pytest.importorskip("harbor.models.task.config", reason="Harbor is not installed")
    models = pytest.importorskip("harbor.models.task.task")
    modes = pytest.importorskip("harbor.models.task.verifier_mode")
    for id, folder in tasks.items():
        task = models.Task(folder)
        assert task.config.task.name == f"mlbench/pocket-{id}"
        assert modes.resolve_task_verifier_mode(task.config) is config.VerifierEnvironmentMode.SEPARATE
        assert modes.resolve_verifier_environment_definition(task.config, task.paths).bundled_tests
