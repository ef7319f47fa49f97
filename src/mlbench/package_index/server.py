"""The package index of this process, behind a Unix socket: started at first wish, gone with the process."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import socketserver
import struct
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mlbench.package_index.aggregate import Catalogue, catalogue
from mlbench.package_index.client_config import FORWARDER, SOCKET
from mlbench.package_index.handler import Handler, shut

_PREFIX = "mlbench-index-"
_MINUTE = 60.0
_ARRIVAL_SECONDS = 30.0  # for a request to arrive, and for a connection to be idle
_AT_ONCE = 512
_A_SANDBOX = 96  # connections; more than a forwarder opens

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Failure:
    when: float  # as time.monotonic() has it
    why: str


class Server(socketserver.ThreadingUnixStreamServer):
    """A thread a connection, within bounds that one sandbox cannot use up for the others."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._lock = threading.Lock()
        self._waiting: dict[socket.socket, float] = {}
        self._open: dict[socket.socket, str] = {}
        self._of: Counter[str] = Counter()
        self.failure: _Failure | None = None
        super().__init__(str(path), Handler)

    def waits(self, connection: socket.socket) -> None:
        """From now on a request is expected there, in a while at most."""
        with self._lock:
            self._waiting[connection] = time.monotonic()

    def waits_no_more(self, connection: socket.socket) -> None:
        with self._lock:
            self._waiting.pop(connection, None)

    def failed(self, why: str) -> None:
        """A request was not answered, and it is not the sandbox's fault."""
        log.warning("%s", why)
        self.failure = _Failure(time.monotonic(), why)

    def service_actions(self) -> None:
        """Called twice a second: ends connections whose request does not come, or comes drop by drop."""
        with self._lock:
            late = [each for each, since in self._waiting.items() if time.monotonic() - since > _ARRIVAL_SECONDS]
        for connection in late:
            shut(connection)

    def verify_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> bool:
        assert isinstance(request, socket.socket)
        whose = _sandbox_of(request)
        with self._lock:
            if len(self._open) >= _AT_ONCE or self._of[whose] >= _A_SANDBOX:
                return False
            self._open[request] = whose
            self._of[whose] += 1
        return True

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        assert isinstance(request, socket.socket)
        with self._lock:
            whose = self._open.pop(request, None)
            self._waiting.pop(request, None)
            if whose is not None:
                self._of[whose] -= 1
                if not self._of[whose]:
                    del self._of[whose]
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        log.debug("a request ended early", exc_info=True)


@dataclass(frozen=True)
class _Running:
    server: Server
    folder: Path
    socket: Path


_running: _Running | None = None
_lock = threading.Lock()


def serve() -> Path:
    """Serve this machine's package index, if that is not done yet.

    Returns:
        The socket. Its folder holds the socket and the forwarder alone; show it to sandboxes at `client_config.PLACE`.

    Raises:
        UsageError: what pip is told of an index on this machine is impossible; says what.
        OSError: no folder for it can be made.
    """
    global _running  # noqa: PLW0603  # one a process
    with _lock:
        if _running is None:
            _running = _started(catalogue())
        return _running.socket


def failure(since: float) -> str | None:
    """One line on the last request that failed through no fault of a sandbox, as when the index was down; None if none.

    Args:
        since: what `time.monotonic()` said then; earlier failures do not count.
    """
    failed = _running.server.failure if _running else None
    return failed.why if failed and failed.when >= since else None


def stop() -> None:
    """End it and remove its folder, if it runs."""
    global _running
    with _lock:
        running, _running = _running, None
    if running:
        running.server.shutdown()
        running.server.server_close()
        shutil.rmtree(running.folder, ignore_errors=True)


def _started(what: Catalogue) -> _Running:
    _sweep(_base())
    # nobody but this user gets through the outer folder; a mount of the inner one does not pass the outer one
    outer = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_base()))
    try:
        inner = outer / "shown"
        inner.mkdir()
        server = Server(inner / SOCKET, what)
        (inner / SOCKET).chmod(0o666)
        shutil.copyfile(Path(__file__).with_name("forwarder.py"), inner / FORWARDER)
        (inner / FORWARDER).chmod(0o644)
        inner.chmod(0o711)
    except BaseException:
        shutil.rmtree(outer, ignore_errors=True)
        raise
    threading.Thread(target=server.serve_forever, name="mlbench-index", daemon=True).start()
    return _Running(server, outer, inner / SOCKET)


def _base() -> Path:
    """Where temporary files are, unless that is too long for a socket's address (108 bytes)."""
    usual = Path(tempfile.gettempdir())
    return usual if len(str(usual)) < 60 else Path("/tmp")


def _sweep(base: Path) -> None:
    """Remove what killed processes left: folders of this user whose socket nobody listens on."""
    for folder in base.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid == os.getuid() and about.st_mtime < time.time() - _MINUTE and not _listens(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _listens(folder: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(folder / "shown" / SOCKET))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # such as a queue that is full
            return True
    return True


def _sandbox_of(connection: socket.socket) -> str:
    """What tells the sandboxes apart: the network namespace of the process at the other end."""
    pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def _forget() -> None:
    """A forked child must not use, nor end, what belongs to its parent."""
    global _running, _lock
    if _running:
        _running.server.socket.close()
    _running, _lock = None, threading.Lock()


@atexit.register
def _remove() -> None:
    """At the end of the process; the thread ends by itself."""
    if _running:
        shutil.rmtree(_running.folder, ignore_errors=True)


os.register_at_fork(after_in_child=_forget)
