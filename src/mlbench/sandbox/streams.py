"""Draining a command's output: all of it is read, the first and the last part are kept."""

from __future__ import annotations

import os
import select
import threading
from collections import deque

import anyio

CHUNK = 1 << 16


class Kept:
    """The head and the tail of a stream, `limit` bytes together; None keeps everything."""

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
        await anyio.sleep(0)  # a flood of output must not starve the others


async def feed(fd: int, data: bytes) -> None:
    """Write all to a non-blocking descriptor and close it; a reader that goes away is not an error."""
    view = memoryview(data)
    try:
        while view:
            try:
                view = view[os.write(fd, view[:CHUNK]) :]
            except BlockingIOError:
                await anyio.wait_writable(fd)
    except BrokenPipeError:
        pass
    finally:
        os.close(fd)


class Leftovers:
    """Pipes that background processes still hold: read on and thrown away, so that those neither block nor die."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fds: list[int] = []
        self._thread: threading.Thread | None = None

    def adopt(self, fds: list[int]) -> None:
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
                if not os.read(fd, CHUNK):
                    os.close(fd)
                    with self._lock:
                        self._fds.remove(fd)


leftovers = Leftovers()
