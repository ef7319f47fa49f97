"""Wait for the answer to one question, from the fork of a process to its last report."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Callable
from typing import Any

from .patience import BY_CLOCK, Patience
from .processes import Child, reap
from .protocol import undecided

REPORT = 8 * 1024 * 1024

LATE = 1.0  # seconds that a parked process may take to say that a fork of it has begun, or has ended

AFTER_PARSE = 2.0  # seconds that a program may go on after it parsed


class ServerQuestion:
    """A question that a forked process is answering."""

    def __init__(self, child: Child, report: int, patience: Patience) -> None:
        self.child, self.report, self.patience = child, report, patience
        self.pid = child.fork  # the answering process; 0 if it is the child itself, or not known yet
        self.status: int | None = None
        self._data = bytearray()
        self._last: dict[str, Any] | None = None
        self._parsed = False

    def wait(self) -> dict[str, Any]:
        poll = select.poll()
        poll.register(self.report, select.POLLIN)
        poll.register(self.child.control, select.POLLIN)
        while True:
            left = self.patience.left((os.getpid(), self.child.pid, self.pid))
            if left <= 0:
                return self._last or undecided("time-limit", f"{BY_CLOCK} and had not parsed")
            for fd, _ in poll.poll(left * 1000 + 1):
                if fd == self.report:
                    done = self._read()
                    if done is not None:
                        self.listen()  # "parked" was sent before, and may be unread
                        return done
                else:
                    self.listen()
                    if self.child.ended:
                        poll.unregister(fd)

    def listen(self) -> None:
        for word, *rest in self.child.words():
            if word == b"parked":
                self.child.parked = True
            elif word == b"forked":
                self.child.fork = int(rest[0])
                if self.status is None:  # else it waits for the next question
                    self.pid = self.child.fork
            elif word == b"done":
                self.status, self.child.fork = int(rest[0]), 0

    def _read(self) -> dict[str, Any] | None:
        try:
            data = os.read(self.report, 1 << 16)
        except BlockingIOError:
            return None
        if not data:
            return self._ended()
        self._data += data
        while len(self._data) >= 4:
            size = int.from_bytes(self._data[:4], "little")
            if size > REPORT:
                return undecided("too-long", f"the report has {size} bytes")
            if len(self._data) < 4 + size:
                return None
            try:
                answer = json.loads(bytes(self._data[4 : 4 + size]))
            except (ValueError, RecursionError):
                return undecided("cannot-follow", "the report cannot be read")
            del self._data[: 4 + size]
            if not isinstance(answer, dict):
                return undecided("cannot-follow", "the report is no object")
            if answer.pop("final", True):
                return answer
            self._last = answer
            if not self._parsed:
                self._parsed = True
                self.patience = Patience(AFTER_PARSE, (os.getpid(), self.child.pid, self.pid))
        return None

    def _ended(self) -> dict[str, Any]:
        """The answer of a process that closed its pipe without a final report."""
        if self._last is not None:
            return self._last
        self.end(0.5)
        status = self.status
        if status is not None and os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == signal.SIGXCPU:
                return undecided("time-limit", "it ran to the limit of its CPU time and had not parsed")
            if number == signal.SIGKILL:
                return undecided("memory-limit", "it was killed, for want of memory or at its CPU limit")
            return undecided("raised", f"ended by signal {number}")
        code = os.WEXITSTATUS(status) if status is not None else "?"
        return undecided("exits-early", f"it ended with exit code {code}, past every handler, and had not parsed")

    def end(self, patience: float = 0.0) -> None:
        """End the answering process, and wait for its end."""
        if not self.child.parked and self.pid == 0:
            if self.status is None:
                self.status = reap(self.child.pid, patience)
                self.child.ended = True
            return
        self._listen_until(LATE, lambda: self.pid > 0)
        self._listen_until(patience)
        if self.status is None and self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self._listen_until(LATE)
        self.child.ended |= self.status is None  # it does not say how its fork ended

    def _listen_until(self, seconds: float, done: Callable[[], bool] = lambda: False) -> None:
        """Listen until it is done, the answering process or the child has ended, or the time is up."""
        limit = Patience(seconds)
        while not done() and self.status is None and not self.child.ended:
            left = limit.left((self.child.pid,))
            if left <= 0:
                return
            select.select([self.child.control], [], [], left)
            self.listen()

    def close(self) -> None:
        os.close(self.report)
