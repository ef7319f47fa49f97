"""The server's child processes: their messages, their status and their end."""

from __future__ import annotations

import os
import signal
import socket
import time


class Child:
    """A process that the server forked, and the socket to it."""

    def __init__(self, pid: int, control: socket.socket) -> None:
        self.pid, self.control = pid, control
        self.fork = 0  # the fork of it that answers, or that waits for the next question
        self.parked = False
        self.ended = False
        self.buffer = b""

    def words(self) -> list[list[bytes]]:
        """Read the lines that it has sent since the last call, each as a list of words."""
        try:
            data = self.control.recv(4096)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        self.ended = not data
        lines = (self.buffer + data).split(b"\n")
        self.buffer = lines.pop()
        return [line.split() for line in lines]


def reap(pid: int, patience: float) -> int | None:
    """Wait for a child and return its status; kill it after `patience` seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    return kill(pid)


def kill(pid: int) -> int | None:
    try:
        os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]
    except (ProcessLookupError, ChildProcessError):
        return None


def children() -> list[int]:
    """List the child processes of this one: its forks, and the orphans that they left."""
    try:
        return [int(word) for word in contents(f"/proc/self/task/{os.getpid()}/children").split()]
    except OSError:
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    parent = int(contents(f"/proc/{name}/stat").rpartition(b")")[2].split()[1])
                except OSError:
                    continue
                if parent == os.getpid():
                    found.append(int(name))
        return found


def contents(path: str) -> bytes:
    """Read a small file of /proc, without the five calls of the kernel that a file object makes."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)
