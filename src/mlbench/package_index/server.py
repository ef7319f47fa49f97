"""The server of the package index: one thread per connection, with limits per sandbox."""

from __future__ import annotations

import logging
import os
import socket
import socketserver
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mlbench.package_index.aggregate import AggregateIndex
from mlbench.package_index.handler import IndexHandler, shut_down

_ARRIVAL_SECONDS = 30.0  # for a request to arrive, and for a connection to be idle
_MAX_CONNECTIONS = 512
_MAX_PER_SANDBOX = 96  # connections; a forwarder opens fewer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class IndexFailure:
    """A request that failed through no fault of a sandbox.

    Attributes:
        when: a value of `time.monotonic()`.
        why: one line for the user of this machine.
    """

    when: float
    why: str


class IndexServer(socketserver.ThreadingUnixStreamServer):
    """One thread per connection. Limits per sandbox keep one sandbox from using up all connections."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, path: Path, index: AggregateIndex) -> None:
        self.index = index
        self._lock = threading.Lock()
        self._waiting: dict[socket.socket, float] = {}
        self._open: dict[socket.socket, str] = {}
        self._per_sandbox: Counter[str] = Counter()
        self.failure: IndexFailure | None = None
        super().__init__(str(path), IndexHandler)

    def expect_request(self, connection: socket.socket) -> None:
        """Close the connection unless a request arrives on it in time."""
        with self._lock:
            self._waiting[connection] = time.monotonic()

    def request_arrived(self, connection: socket.socket) -> None:
        """Stop the clock of `expect_request`."""
        with self._lock:
            self._waiting.pop(connection, None)

    def report_failure(self, why: str) -> None:
        """Remember that a request failed through no fault of the sandbox."""
        log.warning("%s", why)
        self.failure = IndexFailure(time.monotonic(), why)

    def service_actions(self) -> None:
        """Close connections whose request is late. The base class calls this twice a second."""
        with self._lock:
            late = [each for each, since in self._waiting.items() if time.monotonic() - since > _ARRIVAL_SECONDS]
        for connection in late:
            shut_down(connection)

    def verify_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> bool:
        """Accept a connection, unless there are too many."""
        assert isinstance(request, socket.socket)
        sandbox = _sandbox_of(request)
        with self._lock:
            if len(self._open) >= _MAX_CONNECTIONS or self._per_sandbox[sandbox] >= _MAX_PER_SANDBOX:
                return False
            self._open[request] = sandbox
            self._per_sandbox[sandbox] += 1
        return True

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Close a connection and stop counting it."""
        assert isinstance(request, socket.socket)
        with self._lock:
            sandbox = self._open.pop(request, None)
            self._waiting.pop(request, None)
            if sandbox is not None:
                self._per_sandbox[sandbox] -= 1
                if not self._per_sandbox[sandbox]:
                    del self._per_sandbox[sandbox]
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Log it at level debug: the client is untrusted and may break off at any time."""
        log.debug("a request ended early", exc_info=True)


def _sandbox_of(connection: socket.socket) -> str:
    """A name for the sandbox at the other end: the network namespace of its process."""
    pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""
