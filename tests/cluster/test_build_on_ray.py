"""`mlbench build --ray`: the suite and the findings of one process; what only this machine has is refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from mlbench.cluster.build_actor import BuildActor, RepositoryUnit
from mlbench.repositories.pinning import pin
from mlbench.source_digest import source_digest
from mlbench.suite_builder.build_state import BuildOptions
from tests.cluster.test_ray import cluster, fresh, needs_ray
from tests.command_line import mlbench
from tests.test_cli_build import README, contents, repository

__all__ = ["cluster", "fresh"]

NAMES = ("alpha", "beta", "gamma")


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """Clones of two small repositories, and of one without a page."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    day = {"GIT_AUTHOR_DATE": "2025-06-02T00:00:00Z", "GIT_COMMITTER_DATE": "2025-06-02T00:00:00Z"}
    for name, readme in zip(NAMES, (README, README.replace("Tiny", "Two"), None), strict=True):
        clone = repository(tmp_path / "mirror" / name, readme)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
            subprocess.run(["git", *words], cwd=clone, env={**os.environ, **who, **day}, check=True)
    return tmp_path / "mirror"


def urls() -> list[str]:
    return [f"https://example.org/a/{name}" for name in NAMES]


def timeless(suite: Path) -> dict[str, object]:
    """The content of a suite without the seconds of checks."""
    found: dict[str, object] = {}
    for name, content in contents(suite).items():
        lines = content.decode().splitlines() if name.endswith(".jsonl") else []
        found[name] = [_without_seconds(line) for line in lines] if lines else content
    return found


def _without_seconds(line: str) -> dict[str, object]:
    return {name: value for name, value in json.loads(line).items() if name != "seconds"}


def test_a_worker_makes_the_recipes_of_a_repository(mirror: Path) -> None:
    worker = BuildActor(source_digest(), BuildOptions(workers=1))
    assert worker.refusal() == ""
    (made,) = worker.results([RepositoryUnit(0, pin(urls()[0], "HEAD", mirror), mirror)])
    assert list(made.recipes) == ["train.yaml"]
    assert [each.subject for each in made.decisions["readmes"]] == ["README.md"]


@pytest.mark.parametrize(
    "words", [(".",), ("https://example.org/a/b", "--model", "mlbench/gold"), ("https://example.org/a/b", ".")]
)
def test_what_is_only_on_this_machine_is_not_built_on_a_cluster(words: tuple[str, ...], tmp_path: Path) -> None:
    done = mlbench("build", *words, "-o", "new", "--ray", "127.0.0.1:1", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "--ray builds repositories at URLs, without --model" in done.stderr
    assert not (tmp_path / "new").exists()


@needs_ray
def test_a_cluster_that_is_down_leaves_nothing(tmp_path: Path) -> None:
    for words in (("https://example.org/a/b", "-o", "new"), ("pocket", "-o", "new")):
        done = mlbench("build", *words, "--ray", "127.0.0.1:1", cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert "no cluster answers" in done.stderr
        assert not (tmp_path / "new").exists()


@pytest.mark.ray
@needs_ray
def test_the_suite_of_a_cluster_is_that_of_one_process(cluster: str, mirror: Path, tmp_path: Path) -> None:
    said = {}
    for name, more in (("alone", ()), ("cluster", ("--ray", cluster))):
        done = mlbench("build", *urls(), "-o", name, "--mirror", str(mirror), *more, cwd=tmp_path)
        assert "1 of 3 repositories are not in the suite" in done.stderr, done.stderr
        assert "no worker" not in done.stderr
        said[name] = done.stdout.replace(name, "NAME")
    assert timeless(tmp_path / "cluster") == timeless(tmp_path / "alone")
    assert said["cluster"] == said["alone"]


@pytest.mark.ray
@needs_ray
def test_the_findings_of_a_cluster_are_those_of_one_process(cluster: str, fresh: Path, tmp_path: Path) -> None:
    env = {**os.environ, "MLBENCH_CACHE": str(fresh)}
    for name, more in (("alone", ()), ("cluster", ("--ray", cluster))):
        done = mlbench("build", "pocket", "-o", name, "--repo", "pointfold", *more, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
    assert timeless(tmp_path / "cluster") == timeless(tmp_path / "alone")
