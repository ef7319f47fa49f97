"""kill -9 at any point, then `mlbench eval --resume`: no finished sample lost, none paid twice, the same table."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from mlbench.eval_runs import RunConfig, resume, unfinished
from mlbench.records import RunError, UsageError
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite
from tests.serving.command import Place
from tests.serving.kill_resume import Account, Blow, Life, account, live
from tests.serving.server import Endpoint, nobody, serving

K = 2
FEW = 6
RESUME = ("--resume",)


@dataclass
class Trial:
    """A run that is about to be killed, and the same run uninterrupted."""

    place: Place
    endpoint: Endpoint
    arguments: tuple[str, ...]
    reference: Life
    lives: list[Life] = field(default_factory=list)
    resume: tuple[str, ...] = RESUME

    def live(self, blow: Blow | None = None) -> Life:
        life = live(self.place, self.endpoint, self.resume if self.lives else self.arguments, blow)
        assert "Traceback" not in life.done.stderr, life.done.stderr
        if blow is None:
            assert (life.done.code, life.done.stderr) == (0, "")
        elif blow.signal == signal.SIGKILL:
            assert life.done.code == -signal.SIGKILL, life.done
        if self.lives:
            assert self.lives[-1].finished.keys() <= life.finished.keys()
        self.lives.append(life)
        return life

    def check(self) -> Account:
        """What must hold whenever it was killed; the tokens are looked at by a test of their own."""
        found = account(self.place, self.lives, self.reference)
        assert replace(found, same_tokens=True).holds, found
        sent = sum(len(life.answered) for life in self.lives)
        assert sent == found.samples + found.paid_twice
        assert found.samples == len(self.reference.finished)
        return found


def arguments(url: str, limit: int) -> tuple[str, ...]:
    rows = ("--split", "quarter", "--limit", str(limit), "-k", str(K))
    return ("pocket", "--model", "openai/gpt-4o-mini", "--base-url", url, *rows)


def wrong(limit: int) -> list[int]:
    """Some answers are wrong, so that a table has something to get wrong."""
    return [row.id for row in select(load_suite("pocket"), "quarter", limit=limit)][::3]


def uninterrupted(folder: Path, limit: int) -> Life:
    folder.mkdir(exist_ok=True)
    with serving(endpoint := Endpoint(wrong=wrong(limit))) as url:
        life = live(Place(folder), endpoint, arguments(url, limit))
    assert (life.done.code, life.done.stderr, len(life.finished)) == (0, "", limit * K)
    return life


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Life:
    return uninterrupted(tmp_path_factory.mktemp("few"), FEW)


@pytest.fixture
def trial(few: Life, tmp_path: Path) -> Iterator[Trial]:
    with serving(endpoint := Endpoint(wrong=wrong(FEW))) as url:
        yield Trial(Place(tmp_path), endpoint, arguments(url, FEW), few)


@pytest.fixture(scope="module")
def killed_twice(few: Life, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    with serving(endpoint := Endpoint(wrong=wrong(FEW))) as url:
        trial = Trial(Place(tmp_path_factory.mktemp("killed")), endpoint, arguments(url, FEW), few)
        trial.live(Blow("logged", 4))
        trial.live(Blow("stored", 3))
        trial.live()
    return trial


def test_a_run_that_is_killed_twice_ends_as_if_it_never_was(killed_twice: Trial) -> None:
    first, second, _ = killed_twice.lives
    assert 4 <= len(first.finished) < FEW * K
    assert len(second.stored) >= len(first.stored) + 3
    found = killed_twice.check()
    assert found.paid_twice == 0  # both blows fell when every reply that was sent was kept


def test_tokens_paid_before_a_kill_are_counted(killed_twice: Trial) -> None:
    """The tokens of a reply that was kept at a kill stand in none of Inspect's sums."""
    assert killed_twice.check().same_tokens


def test_ctrl_c_keeps_what_was_finished(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once Ctrl-C, no traceback: Inspect swallows it and returns no log, which was taken for one."""
    stopped = trial.live(Blow("logged", 4, signal.SIGINT))
    assert stopped.done.code == 130
    assert f"`mlbench eval --resume --log-dir {trial.place.logs}` continues this run" in stopped.done.said
    assert 4 <= len(stopped.finished) < FEW * K
    _cannot_resume_without_key_or_endpoint(trial, monkeypatch)
    trial.live()
    trial.check()


def _cannot_resume_without_key_or_endpoint(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = trial.place.logs
    before = sorted(logs.iterdir())
    log, options = unfinished(logs, "pocket"), RunConfig(log_dir=logs, display="none")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        resume(log, options)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    moved = read_eval_log(str(log))
    with nobody() as url:
        moved.eval.model_base_url = url
        elsewhere = trial.place.root / "moved.eval"
        write_eval_log(moved, str(elsewhere))
        with pytest.raises(RunError, match=f"nothing answers at {url}"):
            resume(elsewhere, options)
    for key, words in {"task_version": "the task has", "suite_version": "the suite pocket has"}.items():
        older = read_eval_log(str(log))
        about = older.eval.metadata or {}
        older.eval = older.eval.model_copy(
            update={"task_version": "0.5"} if key == "task_version" else {"metadata": {**about, key: "0.5"}}
        )
        write_eval_log(older, str(elsewhere))
        with pytest.raises(
            RunError, match=rf"cannot be resumed: {words} changed since \(version 0.5, now \S+\); start a new run"
        ):
            resume(elsewhere, options)
    older.eval = moved.eval.model_copy(update={"task_args_passed": {"suite": "pocket", "colour": "red"}})
    write_eval_log(older, str(elsewhere))
    with pytest.raises(RunError, match="this version does not have its task: .*colour"):
        resume(elsewhere, options)
    assert sorted(logs.iterdir()) == before


def test_a_run_goes_on_at_another_address(few: Life, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was started again on another port ended every run: the address was always the log's."""
    assert few.log is not None
    begun = read_eval_log(few.log.location)
    assert begun.samples is not None
    begun.status, begun.samples = "cancelled", begun.samples[:-2]
    with nobody() as url:
        begun.eval.model_base_url = url
    write_eval_log(begun, str(tmp_path / "begun.eval"))
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    with serving(endpoint := Endpoint(wrong=wrong(FEW))) as url:
        log = resume(
            tmp_path / "begun.eval", RunConfig(log_dir=tmp_path / "logs", display="none", base_url=url, max_samples=2)
        )
    assert (log.status, len(log.samples or []), len(endpoint.answered)) == ("success", FEW * K, 2)
    assert log.eval.model_base_url == url


def test_a_run_that_is_complete_is_not_resumed(few: Life, tmp_path: Path) -> None:
    assert few.log is not None
    folder = Path(few.log.location.removeprefix("file://")).parent
    with pytest.raises(UsageError, match="nothing to resume"):
        unfinished(folder, None)
    with pytest.raises(UsageError, match="nothing to resume"):
        unfinished(tmp_path / "no-such-folder", "pocket")


SLOW = {
    "before-any-reply": [Blow("asked", 1)],
    "with-a-reply-on-its-way": [Blow("answered", 1)],
    "with-replies-kept-and-nothing-logged": [Blow("stored", 2)],
    "between": [Blow("answered", 7)],
    "all-replies-kept": [Blow("stored", 12)],
    "resumed-runs-at-once": [Blow("logged", 4), Blow("begun", 1), Blow("begun", 1), Blow("begun", 2)],
    "again-and-again": [Blow("stored", 2), Blow("answered", 1), Blow("logged", 3), Blow("asked", 2)],
}


@pytest.mark.slow
@pytest.mark.parametrize("blows", SLOW.values(), ids=SLOW.keys())
def test_killed(blows: list[Blow], trial: Trial) -> None:
    for blow in blows:
        trial.live(blow)
    trial.live()
    trial.check()


@pytest.mark.slow
def test_the_quarter_twice(tmp_path: Path) -> None:
    reference = uninterrupted(tmp_path / "reference", 68)
    (tmp_path / "killed").mkdir()
    with serving(endpoint := Endpoint(wrong=wrong(68))) as url:
        trial = Trial(Place(tmp_path / "killed"), endpoint, arguments(url, 68), reference)
        for blow in (Blow("answered", 40), Blow("logged", 30), Blow("asked", 10)):
            trial.live(blow)
        trial.live()
        trial.check()
