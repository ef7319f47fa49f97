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

import anyio
import psutil
import pytest

from mlbench.cluster.judge_actor import JudgeConfig, Question
from mlbench.cluster.judge_answers import judge_on_ray, unknown_answers
from mlbench.cluster.live_judge import LiveJudge, judged_on_ray
from mlbench.cluster.ray_pool import connected
from mlbench.interface_check.verdict_cache import StoredResult
from mlbench.judging.extract import read_reply
from mlbench.records import Policy, RunError, UsageError
from mlbench.results.load_log import read_run
from mlbench.results.verdicts import write_verdicts
from mlbench.sandbox.limits import Limits
from mlbench.scoring.stored_scorer import StoredScorer
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
def test_eval_on_a_cluster_gives_the_log_that_it_gives_without(cluster: str, fresh: Path, tmp_path: Path) -> None:
    """The model is asked here, the answers are judged there; copycat is right in some rows and wrong in others."""
    found = {}
    for name, more in (("alone", ()), ("cluster", ("--ray", cluster))):
        env = {**os.environ, "MLBENCH_CACHE": str(fresh)}
        words = ("eval", "pocket", "--model", "mlbench/copycat", "--limit", "6", "--display", "none", "--log-dir", name)
        done = mlbench(*words, *more, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        (log,) = (tmp_path / name).glob("*.eval")
        write_verdicts(read_run(log), Policy.STRICT, tmp_path / f"{name}.jsonl")
        found[name] = [_untimed(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        for file in fresh.glob("verdicts/*/*.json"):
            file.unlink()
    assert found["cluster"] == found["alone"]
    assert len(found["alone"]) == 6


@pytest.mark.ray
@needs_ray
def test_answers_that_no_worker_can_judge_any_more_are_judged_here(
    cluster: str, fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Replies of a model are paid for: a cluster that goes away in the middle of a run costs none of them."""
    from benchmarks.scale import workers_of

    asked = answers(1)[0]
    scorer = StoredScorer(config().runtime(None), 10.0)
    candidate = read_reply(asked.reply or "")
    name = scorer.runtime.suite.repository_of(asked.sample.github_id).name

    async def ask(judge: LiveJudge) -> StoredResult | None:
        key = scorer.cache.key("an answer")
        return await judge.ask(key, asked.sample, candidate, name)

    with connected(cluster):
        judge = LiveJudge(config(), 1)
        judge.start()
        assert anyio.run(ask, judge) is not None
        monkey = pytest.MonkeyPatch()
        monkey.setattr("mlbench.cluster.ray_pool._FAILURES", -1)
        for worker in workers_of(os.getpid()):
            worker.kill()
        assert anyio.run(ask, judge) is None
        monkey.undo()
        judge.stop()
    assert "what is left is judged in this process" in capsys.readouterr().err


@pytest.mark.ray
@needs_ray
def test_no_model_is_asked_if_no_node_can_judge(cluster: str, fresh: Path) -> None:
    with pytest.raises(RunError, match="no worker of the cluster"), judged_on_ray(config(code="other"), cluster, 1):
        pytest.fail("the run was started")


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
    with pytest.raises(RunError, match="no worker of the cluster can do the work"):
        judge_on_ray(answers(2), config(code="other"), cluster, 1, "none")
    assert "it has other code of mlbench; install the same version everywhere" in capsys.readouterr().err


@pytest.mark.ray
@needs_ray
def test_nothing_is_left_of_the_workers(cluster: str, fresh: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    judge_on_ray(answers(2), config(), cluster, 1, "none")
    psutil.wait_procs(set(psutil.Process().children(recursive=True)) - before, timeout=5)
    own = set(psutil.Process().children(recursive=True)) - before
    left = [each for each in own if "bwrap" in each.name()]
    assert left == []
