"""Trace a command: which programs ran below it, and what their recorders reported.

Part of the init process, loaded for the first traced command. The kernel reports forks, execs and exits through ptrace,
without stopping at system calls. Recorders inside the interpreters report over a datagram socket, on which the kernel
stamps the sender. Every list is limited: what does not fit becomes a fault, which the host reads.

The host gets JSON: {"processes": [...], "faults": [...], "most": N}. Reports are texts, `kind NUL content`. N is the
largest number of simultaneous processes.
"""

import _ctypes
import _json
import _socket
import posix
import sys

TYPE_CHECKING = False  # importing `signal` would cost milliseconds
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
else:
    import _signal

ADDRESS = b"\0mlbench-witness"
MOST_PROCESSES, MOST_REPORTED, MOST_FINDINGS, MOST_READ = 1000, 8 << 20, 32, 1 << 17
LARGEST = 1 << 18  # bytes of one report
ONE_SENDER = _socket.CMSG_SPACE(12)  # without space for descriptors that a sender could pass
AT_ONCE = 32  # more than the kernel queues, so an endless sender cannot block us

CONT, GETEVENTMSG, SEIZE, LISTEN = 7, 0x4201, 0x4206, 0x4208
FORK, VFORK, CLONE, EXEC, STOP = 1, 2, 3, 4, 128  # events
OPTIONS = 1 << FORK | 1 << VFORK | 1 << CLONE | 1 << EXEC | 1 << 20  # the last: all die with the init process

_ptrace = _ctypes.dlsym(_ctypes.dlopen(None, 2), "ptrace")  # type: ignore[arg-type]  # None: the libraries that are already loaded
_own = posix.stat("/proc/self/exe")


def ptrace(request: int, pid: int, data: "int | bytes" = 0) -> bool:
    result: int = _ctypes.call_function(_ptrace, (request, pid, 0, data))
    return result != -1


class ProcessImage:
    """A process since its last exec, with the processes that it forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.parent = parent_of(pid)
        self.findings: list[str] = []
        self.reports: list[str] = []
        self.greeted = False
        self.cut = False  # whether it reports more than is kept
        self.exit_code: int | None = None
        self.spent_at_parse: dict[str, float] | None = None
        self.progress: dict[str, float] = {}
        folder = "/proc/%d/" % pid
        self.program = link(folder + "exe")
        self.cwd = link(folder + "cwd")
        self.argv = texts(self.read(folder + "cmdline"))
        env = texts(self.read(folder + "environ"))
        self.env = dict([pair.split("=", 1) for pair in env if "=" in pair])
        self.ours = False
        try:
            stat = posix.stat(folder + "exe")
            self.ours = (stat.st_dev, stat.st_ino) == (_own.st_dev, _own.st_ino)
        except OSError:
            pass

    def read(self, path: str) -> bytes:
        return read(path, MOST_READ)

    def find(self, finding: str) -> None:
        if finding not in self.findings and len(self.findings) < MOST_FINDINGS:
            self.findings.append(finding[:500])

    def as_json(self) -> str:
        return dump(
            {
                "pid": self.pid,
                "parent": self.parent,
                "program": self.program,
                "argv": self.argv,
                "cwd": self.cwd,
                "env": self.env,
                "exit_code": self.exit_code,
                "cut": self.cut,
                "findings": self.findings,
                "reports": self.reports,
                "progress": self.progress,
            }
        )


class ProcessTracer:
    """One traced command, from its start to its end. `content` is sent to every recorder that starts."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.content = posix.pread(fd, posix.fstat(fd).st_size, 0)
        self.images: list[ProcessImage] = []
        self.image_of: dict[int, ProcessImage] = {}  # by process id
        self.faults: list[str] = []
        self.reported = 0
        self.most = 0  # largest number of simultaneous processes
        self.channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_NONBLOCK)
        self.channel.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
        try:
            self.channel.bind(ADDRESS)
        except OSError as error:
            self.fault("no reports can be heard: " + str(error))

    def surely(self, note: "Callable[..., None]", *details: object) -> None:
        """Call a function and turn any error into a fault, so that no process can end the init process."""
        try:
            note(*details)
        except Exception as error:
            self.fault("something could not be noted: %s: %s" % (type(error).__name__, error))

    def fault(self, text: str) -> None:
        if text not in self.faults and len(self.faults) < MOST_FINDINGS:
            self.faults.append(text)

    def seize(self, pid: int) -> None:
        if not ptrace(SEIZE, pid, OPTIONS):
            self.fault("this machine does not let processes be traced")

    def stopped(self, pid: int, status: int) -> None:
        """Handle a stop of a traced process: record the reason, and let the process continue."""
        event, number = status >> 16, status >> 8 & 0xFF
        if event in (FORK, VFORK, CLONE):
            self.surely(self.forked, pid)
        elif event == EXEC:
            self.surely(self.executed, pid)
        elif event == STOP and number != _signal.SIGTRAP:  # stopped as by a terminal: it stays stopped until SIGCONT
            ptrace(LISTEN, pid)
            return
        ptrace(CONT, pid, number if event == 0 else 0)

    def forked(self, pid: int) -> None:
        buffer = bytes(8)
        if not ptrace(GETEVENTMSG, pid, buffer):
            return
        child = int.from_bytes(buffer, sys.byteorder)
        if exists("/proc/%d/task/%d" % (pid, child)):  # a thread
            return
        image = self.image_of.get(pid) or self.image_of.get(leader_of(pid))
        if image and child not in self.image_of:
            self.image_of[child] = image
            self.most = max(self.most, len(self.image_of))

    def executed(self, pid: int) -> None:
        self.listen()
        self.image_of.pop(pid, None)
        if len(self.images) >= MOST_PROCESSES:
            self.fault("more than %d programs were started" % MOST_PROCESSES)
            return
        self.image_of[pid] = ProcessImage(pid)
        self.images.append(self.image_of[pid])

    def exited(self, pid: int, code: int) -> None:
        self.listen()
        image = self.image_of.pop(pid, None)
        if image and image.pid == pid:
            image.exit_code = code

    def listen(self) -> None:
        for _ in range(AT_ONCE):
            try:
                data, ancillary, flags, sender = self.channel.recvmsg(LARGEST, ONE_SENDER)
            except OSError:  # nothing more
                return
            for _, kind, payload in ancillary:
                if kind == _socket.SCM_CREDENTIALS:
                    pid = int.from_bytes(payload[:4], sys.byteorder)
                    self.surely(self.heard, pid, data, sender, bool(flags & _socket.MSG_TRUNC))

    def heard(self, pid: int, data: bytes, sender: bytes, cut: bool) -> None:
        image = self.image_of.get(pid) or self.image_of.get(parent_of(pid))
        if data == b"hello":
            self.greet(image, pid)
            try:
                self.channel.sendto(self.content, sender)
            except OSError:  # it no longer listens
                pass
        elif image is None:
            self.fault("a report came from a process that is not known")
        elif not image.greeted:
            image.find("it sent a report before its recorder was there")
        elif cut or self.reported + len(data) > MOST_REPORTED:
            image.cut = True
        else:
            self.reported += len(data)
            text = data.decode("utf-8", "replace")
            image.reports.append(text if pid == image.pid else "forked\0" + text)
            if data.startswith(b"parse\0"):
                image.spent_at_parse = self.spent(image)

    def greet(self, image: "ProcessImage | None", pid: int) -> None:
        """Answer a recorder that has started and waits."""
        if image is None:
            self.fault("a report came from a process that is not known")
            return
        if not image.ours or image.greeted or pid != image.pid:
            image.find("it pretended to be a recorder that starts")
            return
        image.greeted = True

    def spent(self, image: ProcessImage) -> "dict[str, float]":
        """Return processor seconds and written bytes of a process and its forked children that still run."""
        ticks, written = 0, 0
        for pid, other in self.image_of.items():
            if other is image:
                fields = stat_of(pid)
                ticks += int(fields[11]) + int(fields[12]) if fields else 0
                written += int(read("/proc/%d/io" % pid, 4096).partition(b"wchar: ")[2].split(b"\n")[0] or 0)
        return {"cpu": ticks / posix.sysconf("SC_CLK_TCK"), "written": written}

    def measure(self) -> None:
        """Record the progress since parsing of all processes that still run."""
        for image in set(self.image_of.values()):
            if image.spent_at_parse is not None and image.exit_code is None:
                before = image.spent_at_parse
                image.progress = {name: value - before[name] for name, value in self.spent(image).items()}

    def finish(self) -> None:
        """Write the trace for the host. Later events are not recorded."""
        if self.fd < 0:
            return
        self.listen()
        self.surely(self.measure)
        self.channel.close()
        processes = ",".join([image.as_json() for image in self.images])
        text = '{"processes":[%s],"faults":%s,"most":%d}' % (processes, dump(self.faults), self.most)
        rest = text.encode("ascii")
        posix.ftruncate(self.fd, 0)
        posix.lseek(self.fd, 0, 0)
        while rest:
            rest = rest[posix.write(self.fd, rest) :]
        posix.close(self.fd)
        self.fd = -1


def dump(value: object) -> str:
    """Return JSON without importing `json`, which would cost milliseconds."""
    if isinstance(value, str):
        return _json.encode_basestring_ascii(value.encode("utf-8", "replace").decode("utf-8"))
    if isinstance(value, list):
        return "[" + ",".join([dump(item) for item in value]) + "]"
    if isinstance(value, dict):
        return "{" + ",".join([dump(name) + ":" + dump(item) for name, item in value.items()]) + "}"
    return "null" if value is None else repr(value).lower()


def read(path: str, most: int) -> bytes:
    try:
        with open(path, "rb", 0) as file:
            data = b""
            while len(data) < most:
                part = file.read(most - len(data))
                if not part:
                    break
                data += part
            return data
    except OSError:
        return b""


def texts(data: bytes) -> "list[str]":
    return [word.decode("utf-8", "replace") for word in data.split(b"\0")[:-1]]


def link(path: str) -> str:
    try:
        return posix.readlink(path)
    except OSError:
        return ""


def exists(path: str) -> bool:
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def stat_of(pid: int) -> "list[bytes]":
    """Return the fields of /proc/PID/stat from the third on (state, parent, ...); empty if there is no such process."""
    return read("/proc/%d/stat" % pid, 4096).rpartition(b")")[2].split()


def parent_of(pid: int) -> int:
    fields = stat_of(pid)
    return int(fields[1]) if fields else 0


def leader_of(pid: int) -> int:
    """Return the process of a thread."""
    for line in read("/proc/%d/status" % pid, 4096).split(b"\n"):
        if line.startswith(b"Tgid:"):
            return int(line.split()[1])
    return pid
