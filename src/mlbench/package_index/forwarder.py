"""Forward a loopback port to a Unix socket, inside a sandbox: `python -I -S forwarder.py PORT SOCKET`.

pip and uv need an index with a host name, but a sandbox without a network has only its loopback interface and its
mounts. This file is copied into the sandbox. It uses one thread and the standard library of Python 3.6 or later. It
prints "ready" once it listens.
"""

import selectors
import socket
import sys

MAX_CONNECTIONS = 64  # more wait until one ends
CHUNK = 1 << 16  # bytes
CONNECT_SECONDS = 10.0


class SocketEnd:
    """One end of a connection. `pending` has still to be sent to it; `other` is the end that gets its bytes."""

    def __init__(self, sock: "socket.socket") -> None:
        self.socket = sock
        self.other = self
        self.pending = b""
        self.received_all = False  # it will send nothing more
        self.sent_all = False  # nothing more will be sent to it


class Forwarder:
    """Passes bytes on until both ends of a connection have sent all."""

    def __init__(self, listener: "socket.socket", target: str) -> None:
        self.listener = listener
        self.target = target
        self.ends: dict[socket.socket, SocketEnd] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ)

    def run(self) -> None:
        """Forward for ever."""
        while True:
            for key, events in self.selector.select():
                if key.fileobj is self.listener:
                    self.accept()
                    continue
                end = self.ends.get(key.fileobj)  # type: ignore[call-overload]
                if end is None:  # closed just before, with its other end
                    continue
                try:
                    if events & selectors.EVENT_WRITE:
                        end.pending = end.pending[end.socket.send(end.pending) :]
                    if events & selectors.EVENT_READ:
                        end.other.pending = end.socket.recv(CHUNK)
                        end.received_all = not end.other.pending
                    self.update(end)
                except BlockingIOError:
                    pass
                except OSError:
                    self.close(end)

    def accept(self) -> None:
        """Take a connection and connect it to the Unix socket."""
        near, _ = self.listener.accept()
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.settimeout(CONNECT_SECONDS)
            far.connect(self.target)
        except OSError as error:
            print(f"forwarder: {self.target}: {error}", flush=True)
            near.close()
            far.close()
            return
        one, two = SocketEnd(near), SocketEnd(far)
        one.other, two.other = two, one
        for end in (one, two):
            end.socket.setblocking(False)
            self.ends[end.socket] = end
            self.selector.register(end.socket, selectors.EVENT_READ)
        if len(self.ends) >= 2 * MAX_CONNECTIONS:
            self.selector.unregister(self.listener)

    def update(self, end: SocketEnd) -> None:
        """Decide which events both ends of a connection wait for, and close it when it is done."""
        for each in (end, end.other):
            if each.other.received_all and not each.pending and not each.sent_all:
                each.socket.shutdown(socket.SHUT_WR)
                each.sent_all = True
        if end.sent_all and end.other.sent_all:
            self.close(end)
            return
        for each in (end, end.other):
            wanted = selectors.EVENT_WRITE if each.pending else 0
            wanted |= selectors.EVENT_READ if not each.received_all and not each.other.pending else 0
            self.watch(each, wanted)

    def watch(self, end: SocketEnd, events: int) -> None:
        """Wait for these events of a socket, or for none."""
        known = self.selector.get_map().get(end.socket)
        if not known:
            if events:
                self.selector.register(end.socket, events)
        elif not events:
            self.selector.unregister(end.socket)
        elif known.events != events:
            self.selector.modify(end.socket, events)

    def close(self, end: SocketEnd) -> None:
        """Close both ends of a connection."""
        if len(self.ends) >= 2 * MAX_CONNECTIONS:
            self.selector.register(self.listener, selectors.EVENT_READ)
        for each in (end, end.other):
            self.watch(each, 0)
            del self.ends[each.socket]
            each.socket.close()


def main(port: int, target: str) -> "str | None":
    """Forward for ever. Returns one line if it cannot listen."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError as error:
        return f"forwarder: cannot listen on port {port} of 127.0.0.1: {error.strerror}"
    print("ready", flush=True)
    Forwarder(listener, target).run()
    return None


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
