"""The pipes of a command: read all output, keep its beginning and its end, and close every descriptor once."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque

import anyio

CHUNK = 1 << 16
_MOST_IN_A_PIPE = 1 << 20  # largest pipe of an ordinary user (fs.pipe-max-size)


class Kept:
    """The beginning and the end of a stream, `limit` bytes together; None keeps everything."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.dropped = 0

    def add(self, data: bytes) -> None:
        if self._limit is None:
            self._head += data
            return
        room = self._limit // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._tail_size += len(data)
        spare = self._tail_size - (self._limit - self._limit // 2)
        while spare > 0:
            first = self._tail.popleft()
            if len(first) > spare:
                self._tail.appendleft(first[spare:])
            cut = min(len(first), spare)
            self._tail_size -= cut
            self.dropped += cut
            spare -= cut

    def bytes(self) -> bytes:
        if not self.dropped:
            return bytes(self._head) + b"".join(self._tail)
        note = b"\n[... %d bytes left out ...]\n" % self.dropped
        return bytes(self._head) + note + b"".join(self._tail)

    def text(self) -> str:
        return self.bytes().decode("utf-8", errors="replace")


class CapturedOutput:
    """Both output streams of a command; may be read while it runs."""

    def __init__(self, limit: int | None) -> None:
        self.out, self.err = Kept(limit), Kept(limit)


class Descriptors:
    """File descriptors that are closed by `close` or at the end of the `with` block, unless they are released."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> Descriptors:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in list(self._open):
            self.close(fd)

    def __contains__(self, fd: int) -> bool:
        return fd in self._open

    def own(self, fd: int) -> int:
        self._open.add(fd)
        return fd

    def pipe(self) -> tuple[int, int]:
        read, write = os.pipe2(os.O_CLOEXEC)
        return self.own(read), self.own(write)

    def close(self, fd: int) -> None:
        self.release(fd)
        os.close(fd)

    def release(self, fd: int) -> int:
        self._open.discard(fd)
        return fd


def memory_file(content: bytes) -> int:
    """Return a descriptor of an unnamed file with this content, positioned at its beginning."""
    fd = os.memfd_create("mlbench")
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


async def drain(fd: int, kept: Kept) -> None:
    """Read a non-blocking descriptor to its end."""
    while True:
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(fd)
            continue
        if not data:
            return
        kept.add(data)
        await anyio.sleep(0)  # endless output must not starve other tasks


def drain_now(fd: int, kept: Kept) -> None:
    """Read what is available: on a busy machine, a command's end may be seen before the end of its output."""
    for _ in range(_MOST_IN_A_PIPE // CHUNK):
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return
        if not data:
            return
        kept.add(data)


async def feed(fd: int, data: bytes) -> None:
    """Write everything to a non-blocking descriptor; a reader that closes its end is not an error."""
    view = memoryview(data)
    try:
        while view:
            try:
                view = view[os.write(fd, view[:CHUNK]) :]
            except BlockingIOError:
                await anyio.wait_writable(fd)
    except BrokenPipeError:
        pass


class Leftovers:
    """Pipes that background processes still hold: output is dropped, so that the processes do not block or die."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fds: list[int] = []
        self._thread: threading.Thread | None = None

    def adopt(self, fds: list[int]) -> None:
        if not fds:
            return
        with self._lock:
            self._fds += fds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="mlbench-leftovers", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                fds = list(self._fds)
                if not fds:
                    self._thread = None
                    return
            poll = select.poll()
            for fd in fds:
                poll.register(fd, select.POLLIN)
            for fd, _ in poll.poll(200):
                self._read(fd)
            time.sleep(0.005)  # so that endless writers wait for us

    def _read(self, fd: int) -> None:
        try:
            if os.read(fd, CHUNK):
                return
        except BlockingIOError:  # another reader was faster
            return
        except OSError:
            pass
        os.close(fd)
        with self._lock:
            self._fds.remove(fd)


leftovers = Leftovers()
