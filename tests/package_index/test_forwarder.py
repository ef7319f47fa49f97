"""The forwarder: a loopback port that leads to a Unix socket."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import mlbench.package_index

FORWARDER = Path(mlbench.package_index.__file__).with_name("forwarder.py")


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def forwarding(port: int, target: Path) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-I", "-S", str(FORWARDER), str(port), str(target)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@contextmanager
def echo(path: Path) -> Iterator[list[socket.socket]]:
    """A server that says back what it hears, in full, once it has heard all; yields its connections."""
    connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            heard = b""
            while chunk := connection.recv(65536):
                heard += chunk
            with suppress(BrokenPipeError):
                connection.sendall(heard)

    def accept() -> None:
        while True:
            try:
                connections.append(listener.accept()[0])
            except OSError:
                return
            threading.Thread(target=serve, args=(connections[-1],), daemon=True).start()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(200)
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield connections
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def talk(port: int, said: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:

        def say() -> None:
            connection.sendall(said)
            connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=say)
        sender.start()
        heard = b""
        while chunk := connection.recv(65536):
            heard += chunk
        sender.join()
    return heard


def test_all_bytes_arrive_both_ways(port: int, tmp_path: Path) -> None:
    said = bytes(range(256)) * 20_000
    with echo(tmp_path / "s"), forwarding(port, tmp_path / "s"):
        assert talk(port, said) == said
        assert talk(port, b"") == b""


def test_more_connections_than_it_takes_wait_for_their_turn(port: int, tmp_path: Path) -> None:
    heard: list[bytes] = []
    with echo(tmp_path / "s") as connections, forwarding(port, tmp_path / "s"):
        idle = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(70)]
        threads = [threading.Thread(target=lambda: heard.append(talk(port, b"x" * 200_000))) for _ in range(10)]
        for thread in threads:
            thread.start()
        while len(connections) < 64:
            time.sleep(0.01)
        assert not heard
        for connection in idle:
            connection.close()
        for thread in threads:
            thread.join(30)
    assert heard == [b"x" * 200_000] * 10


def test_one_that_breaks_off_does_not_end_the_others(port: int, tmp_path: Path) -> None:
    with echo(tmp_path / "s"), forwarding(port, tmp_path / "s"):
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(b"x" * 100_000)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset
        assert talk(port, b"still there") == b"still there"


def test_without_the_socket_connections_end_and_it_says_why(port: int, tmp_path: Path) -> None:
    with forwarding(port, tmp_path / "none") as process:
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                assert connection.recv(1) == b""
        assert process.stdout
        assert "No such file" in process.stdout.readline()


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        argv = [sys.executable, "-I", "-S", str(FORWARDER), str(number), str(tmp_path / "s")]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"forwarder: cannot listen on port {number} of 127.0.0.1: Address already in use\n"
