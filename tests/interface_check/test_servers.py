"""The pool of servers, and what becomes of their answers."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import anyio
import psutil
import pytest

from mlbench.interface_check import python_answers
from mlbench.interface_check.answers import invocation_of
from mlbench.interface_check.check_server import CheckEnv, CheckServer, ServerDiedError
from mlbench.interface_check.client_pool import Servers
from mlbench.interface_check.runtime.patience import BY_CLOCK
from mlbench.records import CheckStatus, RepositoryCall

PROGRAM = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n"

pytestmark = pytest.mark.anyio


@pytest.fixture
def place(tmp_path: Path) -> CheckEnv:
    (tmp_path / "run.py").write_text(PROGRAM)
    (tmp_path / "write.py").write_text("import os\nos.mkdir('out')\n" + PROGRAM)
    return CheckEnv(tmp_path)


def question(*words: str, target: str = "run.py") -> dict[str, object]:
    return {
        "do": "program",
        "run": "file",
        "target": target,
        "argv": words,
        "cwd": "/workspace",
        "env": {},
        "wall": 60.0,
    }


def processes(server: CheckServer) -> list[psutil.Process]:
    """Those that run `server.py`, found from outside: the server, then what it forked."""
    found: list[psutil.Process] = []
    for process in psutil.Process(server.jail._launcher._process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # one that has just ended, or is a zombie
            if any(word.endswith("/server.py") for word in process.cmdline()):
                found.append(process)
    pids, parents = {process.pid for process in found}, {}
    for process in found:  # those of one that has ended are the server's by now
        with contextlib.suppress(psutil.NoSuchProcess):
            parents[process] = process.ppid()
    return sorted(parents, key=lambda each: parents[each] in pids)


def end_server(server: CheckServer) -> None:
    """As if it had crashed."""
    os.kill(processes(server)[0].pid, signal.SIGKILL)


async def test_a_server_answers_until_it_is_closed(place: CheckEnv) -> None:
    server = await CheckServer.start(place)
    try:
        assert (await server.ask(question("--n", "3")))["configuration"] == {"n": 3}
        assert server.python == ".".join(map(str, sys.version_info[:3]))
    finally:
        await server.close()
        await server.close()
    with pytest.raises(ServerDiedError):
        await server.ask(question())


async def test_a_process_that_does_not_fork_in_time_is_the_machines_fault(place: CheckEnv) -> None:
    """It was `cannot-follow`, about the answer; a clock's limit is asked again."""
    (place.repository / "lib.py").write_text("def f(x):\n    return x\n")
    server = await CheckServer.start(place)
    ask = python_answers.question("from lib import f\nf(1)", "/workspace", {}, {"cpu": 5.0, "wall": 60.0})
    try:
        assert (await server.ask(ask))["status"] == "accepted"
        seen: list[set[int]] = []
        with anyio.fail_after(
            30
        ):  # the fork that answered has gone, and the one that waits for the next question is there
            while len(seen) < 5 or any(each != seen[-1] for each in seen[-5:]) or len(seen[-1]) < 4:
                seen.append({each.pid for each in processes(server)})
                await anyio.sleep(0.02)
        going = processes(server)
        while going:  # two that have imported `lib`, and forks of them, which come and go
            going = []
            for process in processes(server)[1:]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    if process.status() != psutil.STATUS_STOPPED:
                        process.suspend()
                        going.append(process)
        for message in (f"{BY_CLOCK} and had not parsed", f"{BY_CLOCK} before it began"):
            answer = await server.ask({**ask, "wall": 0.2})
            assert (answer["reason"], answer["message"]) == ("time-limit", message), answer
        again = await server.ask(ask)
        assert again["status"] == "accepted", again
    finally:
        await server.close()


async def test_a_fork_that_ends_before_its_question_is_replaced(place: CheckEnv) -> None:
    server = await CheckServer.start(place)
    try:
        first = await server.ask(question("--n", "3"))
        for _ in range(2):
            with anyio.fail_after(30):
                while len(found := processes(server)) < 3:  # the server, the parked program, its fork that waits
                    await anyio.sleep(0.01)
            parked = [each.pid for each in found]
            for each in found:
                with contextlib.suppress(psutil.NoSuchProcess):
                    if each.ppid() in parked[1:]:
                        each.kill()
            again = await server.ask(question("--n", "3"))
            assert {**again, "seconds": 0} == {**first, "seconds": 0}
        assert (await server.ask(question("--n", "x")))["reason"] == "invalid-type"
    finally:
        await server.close()


async def test_a_server_that_dies_is_replaced(place: CheckEnv) -> None:
    async with Servers(2) as servers:
        async with servers.lend(place) as first:
            end_server(first)
        assert (await servers.ask(place, question("--n", "3")))["status"] == "accepted"
        async with servers.lend(place) as second:
            assert second is not first


async def test_a_server_is_used_again_and_several_work_at_once(place: CheckEnv) -> None:
    async with Servers(2) as servers:
        answers: list[object] = []

        async def ask(number: int) -> None:
            answer = await servers.ask(place, question("--n", str(number)))
            answers.append(answer["configuration"]["n"])

        async with anyio.create_task_group() as group:
            for number in range(6):
                group.start_soon(ask, number)
        assert sorted(answers, key=str) == list(range(6))
        async with servers.lend(place) as first:
            pass
        async with servers.lend(place) as again, servers.lend(place) as other:
            assert again is first and other is not first


async def test_a_second_server_is_started_when_others_have_waited(
    place: CheckEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place's second server took longer to start than its first to answer; and one question must not hold up all."""
    monkeypatch.setattr("mlbench.interface_check.client_pool.WORTH", 60.0)
    async with Servers(2) as servers, anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(servers.ask, place, question("--n", str(number)))
        with anyio.fail_after(30):
            while len(servers._idle) == 0:
                await anyio.sleep(0.01)
        assert servers._alive == 1
    monkeypatch.setattr("mlbench.interface_check.client_pool.WORTH", 0.05)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    async with Servers(2) as servers, servers.lend(place) as first, servers.lend(place) as second:
        assert first is not second


async def test_the_server_unused_for_longest_makes_room(tmp_path: Path) -> None:
    places = []
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.py").write_text(PROGRAM)
        places.append(CheckEnv(tmp_path / name))
    async with Servers(2) as servers:
        used = []
        for place in places:
            async with servers.lend(place) as server:
                used.append(server)
        assert [server.dead for server in used] == [True, False, False]


async def test_nothing_that_a_program_writes_is_there_for_the_next(place: CheckEnv) -> None:
    async with Servers(2) as servers:
        for _ in range(2):
            answer = await servers.ask(place, question("--n", "1", target="write.py"))
            assert answer["status"] == "accepted"
    assert sorted(path.name for path in place.repository.iterdir()) == ["run.py", "write.py"]


async def test_a_request_that_makes_no_sense_is_answered(place: CheckEnv) -> None:
    async with Servers(1) as servers:
        answer = await servers.ask(place, {"do": "program", "wall": 5.0})
        assert (answer["status"], answer["reason"]) == ("undecided", "cannot-follow")
        assert (await servers.ask(place, question("--n", "3")))["status"] == "accepted"


async def test_an_answer_becomes_an_invocation() -> None:
    answer = {
        "status": "accepted",
        "parser": "argparse",
        "configuration": {"n": 3},
        "given": ["n"],
        "options": {"n": ["-n", "--number"]},
        "calls": [{"function": "a.b", "arguments": {"x": 1}, "given": ["x"]}],
        "seconds": 0.5,
    }
    found = invocation_of(answer, program="run.py", argv=["-n", "3"])
    assert (found.status, found.program, found.argv) == (CheckStatus.ACCEPTED, "run.py", ("-n", "3"))
    assert (found.configuration, found.given, found.options) == ({"n": 3}, ("n",), {"n": ("-n", "--number")})
    assert found.calls == (RepositoryCall("a.b", {"x": 1}, ("x",)),)
    assert found.seconds == 0.5


@pytest.mark.parametrize(
    "answer",
    [{}, {"status": "perfect"}, {"status": ["accepted"]}, {"status": None, "configuration": 3}],
)
async def test_an_answer_without_a_status_decides_nothing(answer: dict[str, object]) -> None:
    assert invocation_of(answer).status is CheckStatus.UNDECIDED


async def test_what_is_not_as_it_should_be_is_left_out() -> None:
    wrong = {"status": "accepted", "configuration": [1], "given": "n", "options": 3, "ignored": [1, "a"], "calls": [1]}
    found = invocation_of({**wrong, "seconds": float("nan"), "message": 3})
    assert (found.configuration, found.given, found.options, found.ignored, found.calls) == ({}, (), {}, ("a",), ())
    assert (found.seconds, found.message) == (0.0, "")
