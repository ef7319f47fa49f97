"""Output is read to its end whatever a command does with it; of what is read, head and tail are kept."""

from __future__ import annotations

import os
import random
import time

import anyio
import pytest

from mlbench.records import ExitKind
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.streams import Descriptors, Kept, Leftovers, drain, drain_now, feed
from tests.sandbox.jails import PYTHON, Start

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_head_and_tail_are_kept_however_the_stream_is_cut(limit: int) -> None:
    generator = random.Random(limit)
    for _ in range(200):
        stream = bytes(generator.choices(b"abcdefgh", k=generator.randrange(3 * limit + 1)))
        kept, rest = Kept(limit), stream
        while rest:
            size = generator.randrange(1, limit + 3)
            kept.add(rest[:size])
            rest = rest[size:]
        if len(stream) <= limit:
            assert kept.bytes() == stream
        else:
            note = b"\n[... %d bytes left out ...]\n" % (len(stream) - limit)
            tail = limit - limit // 2
            assert kept.bytes() == stream[: limit // 2] + note + stream[-tail:]


def test_none_keeps_all_and_text_survives_bad_bytes() -> None:
    kept = Kept(None)
    for _ in range(10):
        kept.add(b"\xff" * 1000)
    assert len(kept.bytes()) == 10_000
    assert kept.text() == "�" * 10_000


def test_descriptors_close_what_is_theirs_also_after_an_error() -> None:
    with pytest.raises(RuntimeError), Descriptors() as fds:
        read, write = fds.pipe()
        released, _ = fds.pipe()
        fds.release(released)
        fds.close(read)
        raise RuntimeError
    for fd in (read, write):
        with pytest.raises(OSError):
            os.fstat(fd)
    os.close(released)


async def test_feed_bears_a_reader_that_goes_away() -> None:
    with Descriptors() as fds:
        read, write = fds.pipe()
        os.set_blocking(write, False)
        async with anyio.create_task_group() as group:
            group.start_soon(feed, write, b"x" * (1 << 20))
            await anyio.sleep(0.01)
            fds.close(read)


def test_drain_now_takes_what_is_there_and_does_not_wait() -> None:
    with Descriptors() as fds:
        read, write = fds.pipe()
        os.set_blocking(read, False)
        os.write(write, b"said")
        kept = Kept(None)
        drain_now(read, kept)
        assert kept.bytes() == b"said"
        fds.close(write)
        drain_now(read, kept)


async def test_drain_ends_with_the_last_writer() -> None:
    with Descriptors() as fds:
        read, write = fds.pipe()
        os.set_blocking(read, False)
        os.write(write, b"said")
        fds.close(write)
        kept = Kept(2)
        await drain(read, kept)
        assert kept.dropped == 2


def test_leftovers_bear_a_pipe_that_another_empties() -> None:
    """A reader inside can take the bytes between `poll` and `read`: that ended the thread, and all its pipes hung."""
    leftovers = Leftovers()
    with Descriptors() as fds:
        read, write = fds.pipe()
        os.set_blocking(read, False)
        leftovers.adopt([fds.release(read)])
        leftovers._read(read)
        os.set_blocking(write, False)
        sent, deadline = 0, time.monotonic() + 10
        while sent < 1 << 20 and time.monotonic() < deadline:
            try:
                sent += os.write(write, b"x" * 4096)
            except BlockingIOError:
                time.sleep(0.001)
        assert sent >= 1 << 20
    while leftovers._thread is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert leftovers._fds == []


async def test_ten_megabytes_in_and_out(jail: Jail) -> None:
    data = random.Random(0).randbytes(10 << 20)
    execution, out = await jail.run(["cat"], stdin=data, keep=None, seconds=60)
    assert execution.exit_code == 0
    assert out == data


async def test_input_that_nobody_reads(jail: Jail) -> None:
    execution, _ = await jail.run(["true"], stdin=b"x" * (10 << 20), seconds=60)
    assert (execution.ending, execution.exit_code) == (ExitKind.EXITED, 0)


async def test_a_flood_is_drained_and_cut(start: Start) -> None:
    jail = await start(output=1000)
    script = "import sys; sys.stdout.write('a' * 500 + 'b' * 20_000_000 + 'z' * 500); sys.stderr.write('e' * 1001)"
    execution, out = await jail.run([PYTHON, "-c", script], seconds=60)
    assert out == b"a" * 500 + b"\n[... 20000000 bytes left out ...]\n" + b"z" * 500
    assert execution.dropped_bytes == 20_000_001
    assert execution.exit_code == 0


async def test_a_command_may_close_its_output_and_go_on(jail: Jail) -> None:
    execution, _ = await jail.run(["bash", "-c", "echo said; exec >&- 2>&-; sleep 0.2; exit 3"], seconds=20)
    assert (execution.exit_code, execution.stdout) == (3, "said\n")
    assert execution.seconds >= 0.2


async def test_a_background_process_that_holds_the_pipes_neither_delays_nor_blocks(jail: Jail) -> None:
    script = "(sleep 0.2; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; touch /tmp/written) & echo said"
    execution, _ = await jail.run(["bash", "-c", script], seconds=20)
    assert (execution.ending, execution.stdout) == (ExitKind.EXITED, "said\n")
    waiting = "until [ -e /tmp/written ]; do sleep 0.02; done"
    assert (await jail.run(["bash", "-c", waiting], seconds=20))[0].ending is ExitKind.EXITED


async def test_output_is_complete_also_where_the_host_is_busy(jail: Jail) -> None:
    """A host that was busy beyond the grace period used to lose what was in the pipe already."""

    async def hog() -> None:
        while True:
            time.sleep(0.02)
            await anyio.sleep(0)

    script = """
import contextlib, fcntl, os
if os.fork() == 0:  # holds the pipe, so that it has no end
    os.execvp("sleep", ["sleep", "30"])
with contextlib.suppress(PermissionError):  # this user has many pipes already
    fcntl.fcntl(1, 1031, 1 << 20)  # F_SETPIPE_SZ
os.write(1, b"x" * 900_000)
"""
    async with anyio.create_task_group() as group:
        group.start_soon(hog)
        _, out = await jail.run([PYTHON, "-c", script], seconds=20)
        group.cancel_scope.cancel()
    assert out == b"x" * 900_000
