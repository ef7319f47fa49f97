"""The life of a jail: start, commands, close; what a command gets, and that nothing is left on the host."""

from __future__ import annotations

import os
import time
from pathlib import Path

import anyio
import psutil
import pytest

from mlbench.records import ExitKind
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
from tests.sandbox.jails import PYTHON, Start, all_running, inside, nap, open_descriptors, running, sh

pytestmark = pytest.mark.anyio


async def test_a_command_reports_exit_output_time_and_memory(jail: Jail) -> None:
    execution, _ = await jail.run([PYTHON, "-c", "x = bytearray(50 << 20); print('out'); raise SystemExit(7)"])
    assert (execution.ending, execution.exit_code, execution.stdout) == (ExitKind.EXITED, 7, "out\n")
    assert 50 << 20 < execution.peak_memory < 500 << 20
    assert 0 < execution.seconds < 20


async def test_a_signal_is_128_plus_its_number(jail: Jail) -> None:
    execution, _ = await jail.run(["bash", "-c", "kill -SEGV $$"])
    assert (execution.ending, execution.exit_code) == (ExitKind.EXITED, 139)


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["no-such-program"], 127, "command not found"),
        (["/workspace/data.txt"], 126, "Permission denied"),
        (["/no/such/file"], 127, "command not found"),
        (["bash", "-c", "echo a\0b"], 126, "NUL"),
        ([], 126, "empty"),
        (["echo", "\ud800"], 126, "cannot start"),
        (["echo", "x" * (1 << 20)], 126, "too long"),
    ],
)
async def test_what_cannot_be_started_is_the_commands_failure(
    jail: Jail, argv: list[str], code: int, words: str
) -> None:
    execution, _ = await jail.run(argv)
    assert (execution.ending, execution.exit_code) == (ExitKind.EXITED, code)
    assert words in execution.stderr


async def test_a_missing_folder_is_the_commands_failure(jail: Jail) -> None:
    execution, _ = await jail.run(["true"], cwd="/workspace/none")
    assert execution.exit_code == 126
    assert "cannot enter the folder" in execution.stderr


async def test_long_command_lines_and_odd_bytes_arrive(jail: Jail) -> None:
    words = [f"{number:0100d}" for number in range(5000)]
    _, out = await jail.run(["printf", "%s", *words, "\udcff"])
    assert out == "".join(words).encode() + b"\xff"


async def test_the_repository_is_seen_copy_on_write(jail: Jail, repository: Path) -> None:
    assert await sh(jail, "cat data.txt; echo changed > data.txt; rm -f data.txt; echo new > new; ls") == (
        "original\nnew\n"
    )
    assert [file.name for file in repository.iterdir()] == ["data.txt"]
    assert (repository / "data.txt").read_text() == "original\n"
    assert list(cache_folder("scratch").iterdir()) == []


async def test_environment_and_tools_come_first(start: Start, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(Path("/proc/self/exe").resolve())
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "tool").write_text("#!/bin/sh\necho a tool\n")
    (tmp_path / "tools" / "tool").chmod(0o755)
    jail = await start(mounts=Mounts(repository, tmp_path / "env", tmp_path / "tools"))
    assert await sh(jail, "tool; command -v python") == "a tool\n/opt/env/bin/python\n"


async def test_background_processes_survive_between_commands(jail: Jail) -> None:
    await sh(jail, "(for i in 1 2 3 4 5 6 7 8 9; do sleep 0.05; echo $i; done > /tmp/log; touch /tmp/done) &")
    assert await sh(jail, "until [ -e /tmp/done ]; do sleep 0.02; done; wc -l < /tmp/log") == "9\n"


async def test_commands_run_side_by_side(jail: Jail) -> None:
    async def wait_for(mine: str, other: str) -> None:
        assert await sh(jail, f"touch /tmp/{mine}; until [ -e /tmp/{other} ]; do sleep 0.01; done") == ""

    async with anyio.create_task_group() as group:
        group.start_soon(wait_for, "a", "b")
        group.start_soon(wait_for, "b", "a")


async def test_a_timeout_ends_the_whole_tree_and_only_that(jail: Jail) -> None:
    earlier, own = nap(), nap()
    await sh(jail, f"{earlier} < /dev/null > /dev/null 2>&1 &")
    script = f"echo begun; {own} & setsid {own} & ({own} & kill -STOP $!); kill -STOP $$"
    execution, _ = await jail.run(["bash", "-c", script], seconds=0.5)
    assert (execution.ending, execution.exit_code, execution.stdout) == (ExitKind.TIMEOUT, 137, "begun\n")
    assert running(own) == []
    assert await all_running(earlier)


async def test_a_timeout_before_the_command_is_up_ends_it_too(jail: Jail) -> None:
    """The request to kill used to need the agent's word that the command had begun."""
    command = nap()
    execution, _ = await jail.run(command.split(), seconds=0)
    assert execution.ending is ExitKind.TIMEOUT
    assert running(command) == []


async def test_a_fork_bomb_ends_at_its_timeout(jail: Jail) -> None:
    execution, _ = await jail.run(["bash", "-c", ":(){ :|:& }; : & sleep 60"], seconds=0.3)
    assert execution.ending is ExitKind.TIMEOUT
    await jail.close()


async def test_close_ends_daemons_stopped_processes_and_fork_bombs(start: Start) -> None:
    jail = await start(processes=60)
    command = nap()
    await sh(jail, f"setsid nohup bash -c 'trap \"\" TERM HUP; {command}' > /dev/null 2>&1 < /dev/null & disown")
    await sh(jail, f"{command} > /dev/null 2>&1 & kill -STOP $!; (:(){{ :|:& }}; :) > /dev/null 2>&1")
    family = inside(jail)
    began = time.perf_counter()
    await jail.close()
    assert time.perf_counter() - began < 4  # below the patience after which the launcher itself is killed
    assert [process for process in family if process.is_running()] == []
    assert running(command) == []


async def test_closing_twice_and_using_afterwards(jail: Jail) -> None:
    await jail.close()
    await jail.close()
    with pytest.raises(Exception, match="does not listen"):
        await jail.run(["true"])


async def test_nothing_is_left_open_on_the_host(start: Start) -> None:
    async def use() -> None:
        jail = await start()
        for _ in range(3):
            await sh(jail, "sleep 100 & echo begun")
        await jail.run(["sleep", "50"], seconds=0.05)
        await jail.close()

    await use()
    with anyio.fail_after(5):
        while leftover_threads():
            await anyio.sleep(0.05)
    before = open_descriptors()
    await use()
    with anyio.fail_after(5):
        while open_descriptors() > before:  # background processes' pipes are closed by a thread
            await anyio.sleep(0.05)


def leftover_threads() -> list[str]:
    import threading

    return [thread.name for thread in threading.enumerate() if thread.name == "mlbench-leftovers"]


async def test_a_launcher_is_used_again(start: Start) -> None:
    first = await start()
    await first.close()
    second = await start()
    assert second._launcher is first._launcher


async def test_sixteen_jails_at_once_do_not_mix(repository: Path) -> None:
    outputs: dict[int, str] = {}

    async def one(number: int) -> None:
        jail = await Jail.start(Mounts(repository), Limits())
        await sh(jail, f"echo {number} > /tmp/mine; echo {number} > data.txt", 60)
        outputs[number] = await sh(jail, "cat /tmp/mine data.txt /dev/shm/* 2>/dev/null", 60)
        await jail.close()

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(one, number)
    assert outputs == {number: f"{number}\n{number}\n" for number in range(16)}


def test_two_event_loops_one_after_the_other(repository: Path) -> None:
    async def once() -> str:
        jail = await Jail.start(Mounts(repository), Limits())
        try:
            return await sh(jail, "cat data.txt")
        finally:
            await jail.close()

    assert [anyio.run(once), anyio.run(once)] == ["original\n"] * 2


def test_a_forked_child_leaves_its_parents_launchers_alone(repository: Path) -> None:
    """The child of a fork used to end, with its first jail, what its parent had ready."""

    async def once() -> None:
        await (await Jail.start(Mounts(repository), Limits())).close()

    anyio.run(once)
    launcher = launcher_pool._idle[-1]
    if (pid := os.fork()) == 0:
        left = len(launcher_pool._idle)
        launcher_pool.stop_all()
        os._exit(left)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert launcher.alive()
    assert psutil.pid_exists(launcher._process.pid)
    anyio.run(once)


async def test_the_provider_reads_no_endless_file(repository: Path) -> None:
    """A link to /dev/zero has size 0: the whole host's memory used to be filled from it."""
    config = BubblewrapConfig(repository=str(repository))
    environments = await BubblewrapSandbox.sample_init("check", config, {})
    sandbox = environments["default"]
    try:
        await sandbox.exec(["bash", "-c", "ln -s /dev/zero endless; mkfifo silent; ln -s data.txt fine"])
        for name in ("endless", "silent"):
            with anyio.fail_after(20), pytest.raises(PermissionError):
                await sandbox.read_file(name)
        assert await sandbox.read_file("fine") == "original\n"
        await sandbox.write_file("odd.py", "x = '\ud800'")
        assert await sandbox.read_file("odd.py", text=False) == b"x = '\xed\xa0\x80'"
    finally:
        await BubblewrapSandbox.sample_cleanup("check", config, environments, False)
