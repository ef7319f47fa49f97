"""The package index of this process: started at the first request for it, and ended with the process."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mlbench.package_index.aggregate import AggregateIndex, configured_index
from mlbench.package_index.client_config import FORWARDER, SOCKET
from mlbench.package_index.server import IndexServer

_PREFIX = "mlbench-index-"
_MINUTE = 60.0


@dataclass(frozen=True)
class _Running:
    server: IndexServer
    folder: Path
    socket: Path


_running: _Running | None = None
_lock = threading.Lock()


def serve() -> Path:
    """Start the index that this machine's pip is configured for, unless it runs already.

    Returns:
        The socket. Its folder holds only the socket and the forwarder: mount it in sandboxes at
        `client_config.MOUNT_POINT`.

    Raises:
        UsageError: the configuration names an impossible URL, proxy or certificate.
        OSError: its folder cannot be made.
    """
    global _running  # noqa: PLW0603  # one per process
    with _lock:
        if _running is None:
            _running = _start(configured_index())
        return _running.socket


def failure(since: float) -> str | None:
    """One line on the last request that failed through no fault of a sandbox; None if there is none.

    An example is an upstream index that is down.

    Args:
        since: a value of `time.monotonic()`; earlier failures do not count.
    """
    failed = _running.server.failure if _running else None
    return failed.why if failed and failed.when >= since else None


def stop() -> None:
    """Stop the index and remove its folder, if it runs."""
    global _running
    with _lock:
        running, _running = _running, None
    if running:
        running.server.shutdown()
        running.server.server_close()
        shutil.rmtree(running.folder, ignore_errors=True)


def _start(index: AggregateIndex) -> _Running:
    _sweep(_base())
    # only this user can enter the outer folder; a mount of the inner folder does not go through the outer one
    outer = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_base()))
    try:
        inner = outer / "shown"
        inner.mkdir()
        server = IndexServer(inner / SOCKET, index)
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
    """The folder for temporary files, or /tmp if its path is too long for a socket's address (108 bytes)."""
    folder = Path(tempfile.gettempdir())
    return folder if len(str(folder)) < 60 else Path("/tmp")


def _sweep(base: Path) -> None:
    """Remove what killed processes left: folders of this user whose socket has no listener."""
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
        except OSError:  # for example a full queue
            return True
    return True


def _forget_in_child() -> None:
    """In a forked child: neither use nor stop the parent's index."""
    global _running, _lock
    if _running:
        _running.server.socket.close()
    _running, _lock = None, threading.Lock()


@atexit.register
def _remove() -> None:
    """Remove the folder at the end of the process; the thread ends by itself."""
    if _running:
        shutil.rmtree(_running.folder, ignore_errors=True)


os.register_at_fork(after_in_child=_forget_in_child)
