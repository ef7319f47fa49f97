"""Messages between the host, the server and parked processes: a length (4 bytes, little endian) and JSON."""

from __future__ import annotations

import array
import json
import socket
import struct
from typing import Any

REQUEST = 16 * 1024 * 1024  # bytes


def undecided(reason: str, message: str) -> dict[str, Any]:
    return {"status": "undecided", "reason": reason, "message": message}


def receive(stream: socket.socket) -> Any:
    """Read one message; None if the other side has closed the socket or sent no message."""
    head = _exactly(stream, 4)
    if head is None:
        return None
    size = int.from_bytes(head, "little")
    data = _exactly(stream, size) if size <= REQUEST else None
    return None if data is None else json.loads(data)


def send(stream: socket.socket, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode()
    stream.sendall(len(data).to_bytes(4, "little") + data)


def _exactly(stream: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        data = stream.recv(min(1 << 20, size - len(parts)))
        if not data:
            return None
        parts += data
    return bytes(parts)


def give(control: socket.socket, request: dict[str, Any], *descriptors: int) -> None:
    """Send a parked process its next question, with the pipe for the answer and further descriptors."""
    data = json.dumps(request).encode()
    control.setblocking(True)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    control.sendmsg([struct.pack("<I", len(data))], rights)
    control.sendall(data)
    control.setblocking(False)
