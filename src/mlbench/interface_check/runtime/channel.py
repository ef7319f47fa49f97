"""The channel from a watched interpreter to the agent that records the execution.

A report is one datagram: `kind NUL key NUL number NUL content`. The kernel tells the agent which process sent it. The
key is sent once, before anything else runs. The numbers show that no report is lost. A report without the key is
evidence that somebody else used the channel.

    hello                            asks for the Python answer's path, NUL, its SHA-256
    key                              the key of all further reports, which are numbered from 1
    used FILE                        a module of the repository runs, perhaps from an identical copy
    parse JSON                       the report of `recorder.py` about a command line, with the program's file
    call JSON                        a Python answer's call into the repository, with a number
    done NUMBER, raised NUMBER       that call returned, or ended with an exception
    reaches EVENT                    other code asked how to report
    end                              the interpreter ended normally
"""

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

ADDRESS = b"\0mlbench-witness"

LARGEST = 200_000  # bytes of one datagram, a limit of the kernel


class Channel:
    """A socket to the agent. It is opened again if the program has closed all unknown descriptors."""

    def __init__(self) -> None:
        import _socket
        from itertools import count
        from posix import urandom

        self._module = _socket
        self._socket = self._connected()
        self._key = urandom(16).hex()
        self._numbers = count()

    def _connected(self) -> "Any":
        channel = self._module.socket(self._module.AF_UNIX, self._module.SOCK_DGRAM)
        channel.bind(b"")  # the kernel chooses a name, so that the agent can answer
        channel.connect(ADDRESS)  # accepts datagrams from no other socket
        return channel

    def greet(self) -> "tuple[str, str]":
        self._socket.send(b"hello")
        path, _, digest = self._socket.recv(1 << 16).decode("utf-8", "replace").partition("\0")
        self.send("key")
        return path, digest

    def send(self, kind: str, content: str = "") -> None:
        head = f"\0{self._key}\0{next(self._numbers)}\0"
        data = (kind + head + content).encode("utf-8", "backslashreplace")
        if len(data) > LARGEST:
            data = ("cut" + head + kind).encode()
        try:
            self._socket.send(data)
        except OSError:
            try:
                self._socket.detach()
                self._socket = self._connected()
                self._socket.send(data)
            except OSError:  # the agent has ended
                pass
