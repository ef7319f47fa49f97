"""Inside a sandbox: a loopback port that leads to a Unix socket. `python -I -S forwarder.py PORT SOCKET`.

pip and uv want an index with a host name; a sandbox without a network has only its loopback and what is mounted.
Standard library only, one thread; for Python 3.6 and later. Prints "ready" once it listens.
"""

import selectors
import socket
import sys

AT_ONCE = 64  # connections; more wait until one ends
CHUNK = 1 << 16
PATIENCE = 10.0


class End:
    """One end of a connection: `pending` is still to be sent to it, `other` is where its bytes go."""

    def __init__(self, sock: "socket.socket") -> None:
        self.socket = sock
        self.other = self
        self.pending = b""
        self.heard_all = False  # it will not send any more
        self.told_all = False  # nor will it be sent any more


class Forwarder:
    """Passes bytes on until both ends of a connection are through."""

    def __init__(self, listener: "socket.socket", target: str) -> None:
        self.listener = listener
        self.target = target
        self.ends: dict[socket.socket, End] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ)

    def run(self) -> None:
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
                        end.heard_all = not end.other.pending
                    self.settle(end)
                except BlockingIOError:
                    pass
                except OSError:
                    self.close(end)

    def accept(self) -> None:
        near, _ = self.listener.accept()
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.settimeout(PATIENCE)
            far.connect(self.target)
        except OSError as error:
            print(f"forward: {self.target}: {error}", flush=True)
            near.close()
            far.close()
            return
        one, two = End(near), End(far)
        one.other, two.other = two, one
        for end in (one, two):
            end.socket.setblocking(False)
            self.ends[end.socket] = end
            self.selector.register(end.socket, selectors.EVENT_READ)
        if len(self.ends) >= 2 * AT_ONCE:
            self.selector.unregister(self.listener)

    def settle(self, end: End) -> None:
        """Say what each of the two is waited for now."""
        for each in (end, end.other):
            if each.other.heard_all and not each.pending and not each.told_all:
                each.socket.shutdown(socket.SHUT_WR)
                each.told_all = True
        if end.told_all and end.other.told_all:
            self.close(end)
            return
        for each in (end, end.other):
            wanted = selectors.EVENT_WRITE if each.pending else 0
            wanted |= selectors.EVENT_READ if not each.heard_all and not each.other.pending else 0
            self.watch(each, wanted)

    def watch(self, end: End, events: int) -> None:
        known = self.selector.get_map().get(end.socket)
        if not known:
            if events:
                self.selector.register(end.socket, events)
        elif not events:
            self.selector.unregister(end.socket)
        elif known.events != events:
            self.selector.modify(end.socket, events)

    def close(self, end: End) -> None:
        if len(self.ends) >= 2 * AT_ONCE:
            self.selector.register(self.listener, selectors.EVENT_READ)
        for each in (end, end.other):
            self.watch(each, 0)
            del self.ends[each.socket]
            each.socket.close()


def main(port: int, target: str) -> "str | None":
    """Forward for ever; returns why it cannot."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError as error:
        return f"forward: cannot listen on port {port} of 127.0.0.1: {error.strerror}"
    print("ready", flush=True)
    Forwarder(listener, target).run()
    return None


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
