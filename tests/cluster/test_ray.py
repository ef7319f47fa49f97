"""`mlbench verify --ray` on two local nodes: verdicts, dead workers, bad addresses, nodes that cannot judge."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from mlbench.cluster.judge_actor import JudgeConfig, Question
from mlbench.cluster.judge_answers import judge_on_ray, unknown_answers
from mlbench.cluster.ray_pool import connected
from mlbench.records import RunError, UsageError
from mlbench.sandbox.limits import Limits
from mlbench.source_digest import source_digest
from mlbench.suites.selection import SelectionAttempt, select
from mlbench.suites.suite import load_suite
from tests.command_line import mlbench

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="needs the extra ray")


@pytest.mark.skipif(HAS_RAY, reason="the extra ray is installed")
def test_without_ray_one_line_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pip install 'mlbench-harness\[ray\]'"), connected("127.0.0.1:1"):
        pass


def test_ray_judges_files_of_answers_with_a_cache(tmp_path: Path) -> None:
    row = select(load_suite("pocket"), "quarter", limit=1)[0]
    line = {"id": row.id, "github_id": row.github_id, "output": ["x"]}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(line))
    for words, said in (
        (("outputs.jsonl", "--no-cache"), "--ray keeps verdicts in the cache"),
        ((".", "--run-sh", "--row", "1"), "--ray judges a file of answers"),
    ):
        done = mlbench("verify", *words, "--ray", "127.0.0.1:1", cwd=tmp_path)
        assert (done.returncode, said in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr


@needs_ray
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "no cluster answers"),
        ("nowhere", "write HOST:PORT"),
        ("http://127.0.0.1:1", "write HOST:PORT"),
        ("127.0.0.1:99999", "no cluster answers"),
    ],
)
def test_an_address_without_a_cluster_is_refused_in_one_line(address: str, said: str) -> None:
    with pytest.raises((RunError, UsageError)) as error, connected(address):
        pass
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    if not HAS_RAY:
        pytest.skip("needs the extra ray")
    from benchmarks.scale import two_nodes

    with two_nodes(1) as address:
        yield address


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Path:
    from benchmarks.scale import fresh_verdicts, own_cache

    monkeypatch.setenv("MLBENCH_CACHE", str(own_cache()))
    return fresh_verdicts()


def config(**other: Any) -> JudgeConfig:
    return replace(JudgeConfig("pocket", 10.0, Limits().model_dump(), None, False, False, source_digest()), **other)


def answers(count: int) -> list[SelectionAttempt]:
    rows = select(load_suite("pocket"), "full", limit=count)
    return [SelectionAttempt(row, 1, f"```\n{row.output}\n```") for row in rows]


@pytest.mark.ray
@needs_ray
def test_verdicts_come_into_the_cache_and_are_judged_once(cluster: str, fresh: Path) -> None:
    todo, seen = answers(6), list[Question]()
    assert judge_on_ray([*todo, *todo], config(), cluster, 2, "none", seen.extend) == 6
    assert sorted(question.row for question in seen) == sorted(each.sample.id for each in todo)
    assert unknown_answers(todo, config()) == []
    assert judge_on_ray(todo, config(), "127.0.0.1:1", 2, "none") == 0  # nothing is left, so nobody is asked


@pytest.mark.ray
@needs_ray
def test_the_command_writes_the_log_that_it_writes_without_a_cluster(cluster: str, fresh: Path, tmp_path: Path) -> None:
    lines = [{"id": a.sample.id, "github_id": a.sample.github_id, "output": [a.reply, "no"]} for a in answers(3)]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = {}
    for name, more in (("alone", ()), ("cluster", ("--ray", cluster))):
        env = {**os.environ, "MLBENCH_CACHE": str(fresh)}
        words = ("verify", "outputs.jsonl", "--display", "none", "--json", f"{name}.jsonl", *more)
        done = mlbench(*words, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        found[name] = [_untimed(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        for file in fresh.glob("verdicts/*/*.json"):
            file.unlink()
    assert found["cluster"] == found["alone"]


def _untimed(line: str) -> dict[str, object]:
    """A line without the seconds and the memory that a program took, which are said in the evidence too."""
    plain = re.sub(r"\b[\d.]+ (s|MiB)\b", r"\1", line)
    return {name: value for name, value in json.loads(plain).items() if name not in ("seconds", "remembered")}


@pytest.mark.ray
@needs_ray
def test_a_killed_worker_loses_nothing(cluster: str, fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.scale import workers_of

    todo, seen = answers(40), list[Question]()

    def kill_first(questions: Sequence[Question]) -> None:
        if not seen:
            workers_of(os.getpid())[0].kill()
        seen.extend(questions)

    assert judge_on_ray(todo, config(), cluster, 1, "none", kill_first) == 40
    assert sorted(question.row for question in seen) == sorted(each.sample.id for each in todo)
    assert "1 times a worker died" in capsys.readouterr().err


@pytest.mark.ray
@needs_ray
def test_a_node_with_other_code_is_named_and_not_used(
    cluster: str, fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RunError, match="no worker of the cluster can judge"):
        judge_on_ray(answers(2), config(code="other"), cluster, 1, "none")
    assert "it has other code of mlbench; install the same version everywhere" in capsys.readouterr().err


@pytest.mark.ray
@needs_ray
def test_nothing_is_left_of_the_workers(cluster: str, fresh: Path) -> None:
    judge_on_ray(answers(2), config(), cluster, 1, "none")
    own = psutil.Process().children(recursive=True)
    psutil.wait_procs(own, timeout=5)
    left = [each for each in psutil.Process().children(recursive=True) if "bwrap" in each.name()]
    assert left == []
