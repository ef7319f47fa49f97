"""Memory, processes, written bytes, files: bounded, by a control group and by the watcher; nothing is inherited."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mlbench.records import Execution, ExitKind
from mlbench.sandbox import cgroup, launcher_pool, memory_watcher
from mlbench.sandbox.cgroup import ControlGroup
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.memory_watcher import Watched
from tests.sandbox.jails import PYTHON, Start, agent_of, python, sh

pytestmark = pytest.mark.anyio
GREEDY = "x = bytearray(400 << 20); import time; time.sleep(20)"


async def run(jail: Jail, script: str) -> Execution:
    return (await jail.run([PYTHON, "-c", script], seconds=30))[0]


@pytest.mark.usefixtures("enforced")
async def test_memory(start: Start) -> None:
    jail = await start(memory=200 * MIB)
    execution = await run(jail, GREEDY)
    assert (execution.ending, execution.exit_code) == (ExitKind.MEMORY, 137)
    assert await sh(jail, "echo alive") == "alive\n"


@pytest.mark.usefixtures("enforced")
async def test_a_background_process_is_bounded_too(start: Start) -> None:
    jail = await start(memory=200 * MIB)
    greedy = f"{PYTHON} -c '{GREEDY}' > /dev/null 2>&1 & echo $!"
    pid = (await jail.run(["bash", "-c", greedy]))[0].stdout.strip()
    with anyio.fail_after(15):
        while (await jail.run(["test", "-e", f"/proc/{pid}"]))[0].exit_code == 0:
            await anyio.sleep(0.05)
    assert await sh(jail, "echo alive") == "alive\n"


@pytest.mark.usefixtures("enforced")
async def test_memory_that_forked_workers_share_counts_once(start: Start) -> None:
    jail = await start(memory=250 * MIB)
    script = """
import os, time
x = bytearray(120 << 20)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
time.sleep(0.5)
print("done")
"""
    assert await python(jail, script) == "done\n"


@pytest.mark.usefixtures("enforced")
async def test_the_next_jail_inherits_neither_kills_nor_usage(start: Start) -> None:
    first = await start(memory=200 * MIB, written=100 * MIB)
    await sh(first, "head -c 90M /dev/zero > /dev/shm/x")
    assert (await run(first, GREEDY)).ending is ExitKind.MEMORY
    await first.close()
    second = await start(memory=200 * MIB, written=100 * MIB)
    assert second._launcher is first._launcher
    await sh(second, "head -c 90M /dev/zero > /dev/shm/x")
    assert (await run(second, "x = bytearray(60 << 20)")).exit_code == 0
    await second.close()
    third = await start(memory=600 * MIB)
    assert third._launcher is first._launcher
    assert (await run(third, "x = bytearray(400 << 20)")).exit_code == 0


@pytest.mark.usefixtures("enforced")
async def test_processes(start: Start) -> None:
    jail = await start(processes=20)
    script = """
import os, time
made = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
        made += 1
        time.sleep(0.005)
finally:
    print(made, flush=True)
"""
    execution = await run(jail, script)  # refused (exit 1) or, by root under the watcher, noticed and ended (137)
    assert execution.exit_code in (1, 137)
    assert execution.exit_code == 137 or 10 < int(execution.stdout) <= 20


async def test_one_process_is_enough_for_one_command(start: Start) -> None:
    """The sandbox's own processes used to count: a bound below four let nothing start."""
    jail = await start(processes=1)
    assert (await run(jail, "print(1)")).stdout == "1\n"


async def test_written_bytes_are_bounded_together(start: Start) -> None:
    jail = await start(written=30 * MIB)
    script = "for d in /workspace /home/user /tmp /dev/shm; do head -c 20M /dev/zero > $d/x; done 2>/dev/null; "
    sizes = await sh(jail, script + "stat -c %s /workspace/x /home/user/x /tmp/x /dev/shm/x")
    assert 20 * MIB <= sum(map(int, sizes.split())) <= 30 * MIB


async def test_one_file_is_bounded_by_a_signal(start: Start) -> None:
    jail = await start(written=5 * MIB)
    execution, _ = await jail.run(["dd", "if=/dev/zero", "of=/tmp/x", "bs=1M", "count=1", "seek=10"])
    assert execution.exit_code == 128 + 25  # SIGXFSZ, which Python ignores and used to hand down


async def test_the_number_of_files_is_bounded(start: Start) -> None:
    jail = await start()
    script = """
import errno, os
made = 0
for folder in ("/dev/shm", "/tmp", "/workspace"):
    try:
        for number in range(70_000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT))
            made += 1
    except OSError as error:
        assert error.errno == errno.ENOSPC
print(made)
"""
    assert 10_000 < int(await python(jail, script)) < 65_536


async def test_no_other_place_can_be_written(jail: Jail) -> None:
    places = await sh(jail, "find / -xdev -type d -writable 2>/dev/null; findmnt -rno TARGET,OPTIONS | grep rw,")
    written = {"/workspace", "/home/user", "/tmp", "/dev/shm", "/dev/pts"}
    assert {line.split()[0] for line in places.splitlines()} <= written


async def test_open_files_and_core_files(start: Start) -> None:
    jail = await start(open_files=50)
    assert await sh(jail, "ulimit -n; ulimit -Hn; sleep 9 & kill -SEGV $!; wait; ls") == "50\n50\ndata.txt\n"


@pytest.mark.usefixtures("watched")
async def test_the_watcher_leaves_others_alone(start: Start) -> None:
    """Closed between a look and its deed, a sandbox of process 0 was taken for the whole machine, and killed."""
    jail = await start(memory=200 * MIB)
    bound = jail._launcher.bound
    assert isinstance(bound, Watched)
    cleared: list[bool] = []
    bound.watch(agent_of(jail).pid, lambda: cleared.append(True))
    bound.unwatch()
    memory_watcher._watcher._look(bound, {bound._pid: [7], 7: list(range(100_000, 101_000))})
    assert cleared == []


def test_a_kill_counts_only_where_it_was_done() -> None:
    bound = Watched(Limits())

    def gone() -> None:
        raise OSError

    bound._clear = gone
    bound.clear(for_memory=True)
    assert bound.memory_kills() == 0
    bound._clear = lambda: None
    bound.clear(for_memory=False)
    assert bound.memory_kills() == 0
    bound.clear(for_memory=True)
    assert bound.memory_kills() == 1


async def test_a_group_that_cannot_be_joined_is_replaced_by_the_watcher(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher_pool.stop_all()

    def refuse(self: ControlGroup, pid: int) -> None:
        raise PermissionError

    monkeypatch.setattr(ControlGroup, "join", refuse)
    jail = await start()
    assert isinstance(jail._launcher.bound, Watched)
    await jail.close()
    launcher_pool.stop_all()


def test_groups_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_parents", lambda: [tmp_path])
    (tmp_path / "mlbench-999999999-1").mkdir()
    (tmp_path / "mlbench-1-1").mkdir()
    (tmp_path / "other").mkdir()
    cgroup.sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlbench-1-1", "other"]


async def test_no_group_is_left(start: Start) -> None:
    jail = await start()
    bound = jail._launcher.bound
    if not isinstance(bound, ControlGroup):
        pytest.skip("this user may not make control groups")
    assert all(group.is_dir() for group in bound.groups)
    await jail.close()
    launcher_pool.stop_all()
    assert not any(group.exists() for group in bound.groups)
