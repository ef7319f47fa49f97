"""Who failed, the command or the sandbox; what a broken machine, a lost sandbox and a cancelled sample look like."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench.records import ExitKind, RunError
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.failure import Failed, who_failed, why_not_started
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.preflight import explain, why_not
from tests.sandbox.jails import PYTHON, Start, agent_of, inside, nap, open_descriptors, running, sh

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "memory_killed", "failed"),
    [
        (0, False, False, Failed.NOTHING),
        (0, True, False, Failed.COMMAND),
        (1, False, False, Failed.COMMAND),
        (137, False, True, Failed.COMMAND),
        (None, False, True, Failed.COMMAND),
        (None, True, False, Failed.COMMAND),
        (None, False, False, Failed.SANDBOX),
    ],
)
def test_who_failed(exit_code: int | None, timed_out: bool, memory_killed: bool, failed: Failed) -> None:
    assert who_failed(exit_code, timed_out=timed_out, memory_killed=memory_killed) is failed


@pytest.mark.parametrize(
    ("printed", "meaning"),
    [
        ("unshare failed: Operation not permitted", "user namespaces"),
        ("writing uid_map failed: Operation not permitted", "user namespaces"),
        ("mounting the / failed: Permission denied", "user namespaces"),
        ("bwrap: setting up uid map: Permission denied", "user namespaces"),
        ("bwrap: No permissions to create new namespace, likely because ...", "user namespaces"),
        ("mounting the overlay failed: Invalid argument", "overlay"),
        ("mounting the overlay failed: No such file or directory", "folder is gone"),
        ("bwrap: Unknown option --disable-userns", "too old"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths"),
        ("one\nsomething new", "something new"),
        ("", "without a word"),
    ],
)
def test_why_a_sandbox_did_not_start(printed: str, meaning: str) -> None:
    assert meaning in why_not_started(printed)


async def sandbox_ends_while(jail: Jail, end: Callable[[], None]) -> None:
    async def soon() -> None:
        await anyio.sleep(0.1)
        end()

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(soon)
            with pytest.raises(SandboxUnavailableError):
                await jail.run(["sleep", "60"])
        with pytest.raises(SandboxUnavailableError):
            await jail.run(["true"])
        await jail.close()


async def test_the_agent_dies(jail: Jail) -> None:
    await sandbox_ends_while(jail, agent_of(jail).kill)


async def test_bwrap_dies(jail: Jail) -> None:
    family = inside(jail)
    await sandbox_ends_while(jail, family[0].kill)
    assert not any(process.is_running() for process in family)


async def test_the_launcher_dies(jail: Jail) -> None:
    family = inside(jail)
    bound = jail._launcher.bound
    await sandbox_ends_while(jail, jail._launcher._process.kill)
    with anyio.fail_after(5):  # nobody waits for them any more
        while any(process.is_running() for process in family):
            await anyio.sleep(0.02)
    assert not any(group.exists() for group in getattr(bound, "groups", []))
    assert jail._launcher not in launcher_pool._idle


async def test_memory_can_take_the_agent_along(start: Start) -> None:
    """Files in memory count, and no command is left to kill: still the command's doing, not the machine's."""
    jail = await start(memory=60 * MIB, written=100 * MIB)
    if not hasattr(jail._launcher.bound, "groups"):
        pytest.skip("this user may not make control groups")
    execution, _ = await jail.run(["bash", "-c", "head -c 90M /dev/zero > /tmp/x; head -c 90M /dev/zero > /tmp/x"])
    assert (execution.ending, execution.exit_code) == (ExitKind.MEMORY, 137)
    execution, _ = await jail.run(["true"])
    assert execution.ending in (ExitKind.MEMORY, ExitKind.EXITED)


async def test_after_a_kill_for_memory_a_lost_sandbox_is_the_candidates_doing(start: Start) -> None:
    jail = await start(memory=200 * MIB)
    greedy = "x = bytearray(400 << 20); import time; time.sleep(20)"
    assert (await jail.run([PYTHON, "-c", greedy], seconds=20))[0].ending is ExitKind.MEMORY
    agent_of(jail).kill()
    with anyio.fail_after(10):
        while True:
            execution, _ = await jail.run(["true"])
            if execution.ending is not ExitKind.EXITED:
                break
    again, _ = await jail.run(["true"])
    assert (execution.ending, execution.exit_code) == (again.ending, again.exit_code) == (ExitKind.MEMORY, 137)
    await jail.close()
    with pytest.raises(SandboxUnavailableError):
        await jail.run(["true"])


async def test_close_while_a_command_runs(jail: Jail) -> None:
    command = nap()

    async def soon() -> None:
        await anyio.sleep(0.1)
        await jail.close()

    async with anyio.create_task_group() as group:
        group.start_soon(soon)
        with anyio.fail_after(10), pytest.raises(SandboxUnavailableError, match="closed"):
            await jail.run(command.split())
    assert running(command) == []


@pytest.mark.parametrize("after", [0.0, 0.0005, 0.1])
async def test_a_cancelled_command_is_ended(jail: Jail, after: float) -> None:
    """Cancelled before the agent had answered, a command used to run on."""
    await sh(jail, "true")
    before, command = open_descriptors(), nap()
    with anyio.move_on_after(after):
        await jail.run(["bash", "-c", f"{command} & {command}"], stdin=b"x" * (1 << 20))
    assert running(command) == []
    assert await sh(jail, "echo alive") == "alive\n"
    with anyio.fail_after(5):
        while open_descriptors() > before:
            await anyio.sleep(0.02)


@pytest.mark.parametrize("fresh", [True, False])
async def test_a_cancelled_start_leaves_nothing(start: Start, repository: Path, fresh: bool) -> None:
    await (await start()).close()
    for after in (0.0, 0.001, 0.004, 0.008, 0.012, 0.016):
        if fresh:
            launcher_pool.stop_all()
        before = open_descriptors()
        jail = None
        with anyio.move_on_after(after):
            jail = await Jail.start(Mounts(repository), Limits())
        if jail:
            await jail.close()
        assert all(process_count(launcher) == 0 for launcher in launcher_pool._idle)
        if fresh:
            launcher_pool.stop_all()
            assert open_descriptors() <= before
    await sh(await start(), "true")


def process_count(launcher: launcher_pool.Launcher) -> int:
    return len(Path(f"/proc/{launcher._process.pid}/task/{launcher._process.pid}/children").read_text().split())


async def test_no_room_for_descriptors_is_no_leak(jail: Jail, monkeypatch: pytest.MonkeyPatch) -> None:
    before, pipe2, calls = open_descriptors(), os.pipe2, []

    def scarce(flags: int) -> tuple[int, int]:
        calls.append(flags)
        if len(calls) > 2:
            raise OSError(24, "Too many open files")
        return pipe2(flags)

    monkeypatch.setattr(os, "pipe2", scarce)
    with pytest.raises(OSError, match="Too many"):
        await jail.run(["true"])
    assert open_descriptors() == before


async def test_a_repository_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="no folder .*/gone"):
        await Jail.start(Mounts(tmp_path / "gone"), Limits())


async def test_this_machine_can() -> None:
    assert await why_not() is None
    await BubblewrapSandbox.task_init("check", None)


async def test_no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = await why_not()
    assert reason
    assert "apt-get install bubblewrap" in reason
    assert reason.endswith("or use --sandbox docker")
    with pytest.raises(RunError, match="apt-get install"):
        await BubblewrapSandbox.task_init("check", None)


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("bwrap: Unknown option --disable-userns", "too old"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "user namespaces"),
        ("bwrap: something\n of two lines", "of two lines"),
    ],
)
async def test_a_bubblewrap_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, says: str, expected: str
) -> None:
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = await why_not()
    assert reason
    assert expected in reason
    assert "\n" not in reason


async def test_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    reason = await why_not()
    assert reason
    assert "needs Linux" in reason


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"user.max_user_namespaces": "0"}, "user.max_user_namespaces="),
        ({"kernel.unprivileged_userns_clone": "0"}, "kernel.unprivileged_userns_clone=1"),
        (
            {"user.max_user_namespaces": "9", "kernel.apparmor_restrict_unprivileged_userns": "1"},
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_the_setting_that_forbids_it_is_named(settings: dict[str, str], remedy: str) -> None:
    problem = why_not_started("writing uid_map failed: Operation not permitted")
    assert remedy in explain(problem, settings.get)
    assert remedy not in explain("bubblewrap is too old", settings.get)
    assert remedy not in explain(problem, {}.get)
