"""A busy machine changes no verdict: waiting is free, what the clock ended is asked again, nothing is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.api import probe_batch
from mlbench.interface_check.check_server import CheckEnv, CheckServer, ServerDiedError
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.runtime import patience
from mlbench.records import Candidate, Check

PROGRAM = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\np.parse_args()\n"
SLOW = {"status": "undecided", "reason": "time-limit", "message": f"{patience.BY_CLOCK} and had not parsed"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    (root / "run.py").write_text(PROGRAM)
    (root / "sleeps.py").write_text("import time\ntime.sleep(60)\n")
    return root


class Asked:
    """Stands before `Server._asked`: the first times that a command is asked for, something else happens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, first: Any, times: int = 1) -> None:
        self.real, self.first, self.times = CheckServer._asked, first, times
        self.seen: dict[str, int] = {}
        self.under_way = 0
        self.company: list[int] = []  # how many others were under way, at each further asking
        monkeypatch.setattr(CheckServer, "_asked", self.asked(self))

    @staticmethod
    def asked(this: Asked) -> Any:
        async def _asked(server: CheckServer, request: Mapping[str, Any]) -> Any:
            key = json.dumps([request["argv"], request["cwd"]])
            this.seen[key] = this.seen.get(key, 0) + 1
            if this.seen[key] > 1:
                this.company.append(this.under_way)
            this.under_way += 1
            try:
                await anyio.sleep(0.01)
                if this.seen[key] <= this.times:
                    if isinstance(this.first, Exception):
                        raise this.first
                    return dict(this.first)
                return await this.real(server, request)
            finally:
                this.under_way -= 1

        return _asked


def checked(root: Path, *commands: str, wall: float = 30.0) -> list[Check]:
    """The checks of several commands at once."""
    found: dict[int, Check] = {}

    async def ask() -> None:
        async with (
            Checker(CheckTarget(CheckEnv(root)), workers=2, wall=wall) as checker,
            anyio.create_task_group() as group,
        ):

            async def one(place: int, command: str) -> None:
                found[place] = await checker.check(Candidate(command, "shell", "mine"))

            for place, command in enumerate(commands):
                group.start_soon(one, place, command)

    anyio.run(ask)
    return [found[place] for place in range(len(commands))]


def test_what_the_clock_ended_is_asked_once_more_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """82 of 204 results of a batch came back as time-limit at a load of 15."""
    asked = Asked(monkeypatch, SLOW)
    found = checked(root, *(f"python run.py --n {n}" for n in range(6)))
    assert [each.invocations[0].configuration for each in found] == [{"n": n} for n in range(6)]
    assert asked.company == [0] * 6


def test_what_is_too_slow_alone_as_well_is_undecided(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, SLOW, times=99)
    [found] = checked(root, "python run.py")
    assert (found.status, found.reason, list(asked.seen.values())) == ("undecided", "time-limit", [2])


def test_a_bound_of_processor_time_counts_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, {**SLOW, "message": "it ran to the limit of its CPU time and had not parsed"})
    [found] = checked(root, "python run.py")
    assert (found.reason, list(asked.seen.values())) == ("time-limit", [1])


def test_a_result_that_was_lost_is_asked_for_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Asked(monkeypatch, ServerDiedError("it ended"), times=2)
    [found] = checked(root, "python run.py --n 7")
    assert found.invocations[0].configuration == {"n": 7}


def test_a_program_that_sleeps_is_undecided(root: Path) -> None:
    [found] = checked(root, "python sleeps.py", wall=0.2)
    assert (found.status, found.reason) == ("undecided", "time-limit")


def test_a_jail_that_starts_too_slowly_once_is_started_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts, real = [], CheckServer.start

    async def start(place: CheckEnv, **named: Any) -> CheckServer:
        starts.append(place)
        if len(starts) == 1:
            raise SandboxUnavailableError("it did not start")
        return await real(place, **named)

    monkeypatch.setattr(CheckServer, "start", start)
    [found] = checked(root, "python run.py --n 2")
    assert found.invocations[0].configuration == {"n": 2}


def test_one_jail_that_cannot_be_had_loses_no_other_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Checker.check

    async def check(self: Checker, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        if "--n 1" in candidate.code:
            raise SandboxUnavailableError("no memory")
        return await real(self, candidate, cwd, prefix)

    monkeypatch.setattr(Checker, "check", check)
    file = tmp_path / "batch.jsonl"
    file.write_text("\n".join(json.dumps({"id": n, "code": f"python run.py --n {n}"}) for n in range(4)))
    results = [json.loads(line) for line, _ in probe_batch(root, file, None, 2)]
    assert [(each["id"], each["status"]) for each in results] == [
        (0, "accepted"),
        (1, "undecided"),
        (2, "accepted"),
        (3, "accepted"),
    ]
    assert "no sandbox for line 2: no memory" in results[1]["message"]


def test_waiting_for_a_processor_is_free_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waiting = [100.0], {1: 5.0, 2: 0.0}
    monkeypatch.setattr(patience.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(patience, "waited", lambda pid: waiting.get(pid, 0.0))
    bound = patience.Patience(10.0, (1,))
    now[0] = 104.0
    assert bound.left((1, 2)) == 6.0
    now[0] = 112.0
    assert bound.left((1, 2)) == -2.0  # both slept
    waiting.update({1: 8.0, 2: 4.0})
    assert bound.left((1, 2)) == 5.0  # 3 and 4 seconds of the 12 were spent waiting
    waiting[2] = 1000.0
    now[0] = 261.0
    assert bound.left((1, 2)) == -1.0


def test_how_long_a_process_waited_is_read_of_all_its_threads() -> None:
    assert patience.waited(1 << 30) == 0.0
    assert patience.waited(os.getpid()) >= 0.0
