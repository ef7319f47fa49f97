"""The init process of a sandbox: it starts commands for the host and reports how they ended.

It runs as PID 1 of the sandbox under `python -I -S`. Nothing inside can kill it, and everything inside ends with it.
It imports only built-in modules and files of its own folder, so a start takes milliseconds.

Host -> init (SOCK_SEQPACKET on descriptor 0):
    exec <key>    with descriptors: stdin, stdout, stderr, status, and a file with the request, NUL-separated:
                  cwd, number of words, words..., NAME=VALUE...
                  A sixth descriptor, a file, asks for a trace (see ptrace.py). It holds the message for recorders.
                  The trace is written to it before the end of the command is reported.
    kill <key>    ends the command that came with that key, and its descendants
    clear         ends every process inside except this one
Init -> host, on the command's status descriptor:
    exited <code> <peak KiB> <milliseconds>\n              code 128+N for signal N; processor time of all processes
                                                           that have ended inside so far
A command cannot forge these messages: this process is not dumpable, so its descriptors and memory are out of reach.
"""

import _ctypes
import _socket
import posix
import resource
import select
import sys

TYPE_CHECKING = False  # `typing` and `signal` themselves would cost milliseconds
if TYPE_CHECKING:
    import signal as _signal
    from typing import NoReturn

    from mlbench.sandbox.ptrace import ProcessTracer
else:
    import _signal

PR_SET_DUMPABLE = 4
RESET = (
    _signal.SIGINT,
    _signal.SIGPIPE,
    _signal.SIGXFSZ,
    _signal.SIGCHLD,
)  # handlers that Python or this process has changed
ROUNDS = 10
AT_ONCE = 256  # a traced fork bomb makes endless events, between which we listen to the host
ALL_THREADS = 0x40000000  # option of wait4: include traced threads

running: "dict[int, tuple[bytes, int]]" = {}  # process id -> key, status descriptor
watched: "list[tuple[int, ProcessTracer]]" = []  # the latest traced command: its process id and its tracer
poll = select.poll()


def dumpable(value: int) -> None:
    """Set whether other processes of this user may inspect this one."""
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 2), "prctl")  # type: ignore[arg-type]  # None: what is loaded already
    if _ctypes.call_function(prctl, (PR_SET_DUMPABLE, value, 0, 0, 0)) != 0:
        raise SystemExit("agent: cannot protect itself")


def attainable(bounds: "list[tuple[int, int]]") -> "list[tuple[int, int]]":
    """Lower limits to those of this process: raising a hard limit would make every command fail."""
    lowered = []
    for name, value in bounds:
        hard = resource.getrlimit(name)[1]
        lowered.append((name, value if hard == resource.RLIM_INFINITY else min(value, hard)))
    return lowered


def run_child(fields: "list[bytes]", fds: "list[int]", limits: "list[tuple[int, int]]", gate: int) -> "NoReturn":
    """In the forked child: set up the command's descriptors, folder, limits and environment, and start it."""
    try:
        posix.setsid()
        for number in RESET:
            _signal.signal(number, _signal.SIG_DFL)
        for target, fd in enumerate(fds[:3]):
            posix.dup2(fd, target)
        if gate >= 0:
            posix.dup2(gate, 3, False)
        posix.closerange(3 if gate < 0 else 4, 4096)
        if gate >= 0:
            wait_until_seized()
        count = int(fields[1])
        argv, pairs = fields[2 : 2 + count], fields[2 + count :]
        env = dict([pair.split(b"=", 1) for pair in pairs])
        for name, value in limits:
            resource.setrlimit(name, (value, value))
        try:
            posix.chdir(fields[0])
        except OSError as error:
            fail(126, b"cannot enter the folder " + fields[0], error)
        replace(argv, env)
    except BaseException as error:
        fail(126, b"cannot start the command", error)
    finally:
        posix._exit(127)


def wait_until_seized() -> None:
    """Wait until the init process traces this one. Everything worth protecting has been closed before."""
    dumpable(1)
    posix.write(3, b"?")
    posix.read(3, 1)  # ends when the init process closes its side


def replace(argv: "list[bytes]", env: "dict[bytes, bytes]") -> "NoReturn":
    """Execute the program, which is looked up as by a shell."""
    paths = [argv[0]]
    if b"/" not in argv[0]:
        paths = [folder + b"/" + argv[0] for folder in env.get(b"PATH", b"/usr/bin:/bin").split(b":")]
    denied = None
    for path in paths:
        try:
            posix.execve(path, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            denied = error
    if denied is not None:
        fail(126, argv[0], denied)
    fail(127, argv[0] + b": command not found", None)


def fail(code: int, what: bytes, error: "BaseException | None") -> "NoReturn":
    posix.write(2, what + (b": " + str(error).encode() if error else b"") + b"\n")
    posix._exit(code)


def descendants(root: int) -> "set[int]":
    """Return all descendants of `root` and the processes of its session."""
    parent_of, members = {}, {root}
    for name in posix.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/" + name + "/stat", "rb") as file:
                rest = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        pid = int(name)
        parent_of[pid] = int(rest[1])
        if int(rest[3]) == root:
            members.add(pid)
    grown = True
    while grown:
        grown = False
        for pid, parent in parent_of.items():
            if parent in members and pid not in members:
                members.add(pid)
                grown = True
    return members & parent_of.keys()


def kill(root: int) -> None:
    for _ in range(ROUNDS):  # a process that forks while it is being killed is caught in the next round
        alive = descendants(root)
        for pid in alive:
            try:
                posix.kill(pid, _signal.SIGKILL)
            except OSError:
                pass
        if not alive:
            return
        select.select([], [], [], 0.005)
        reap()
    clear()  # still not all: only a fork bomb is that fast


def clear() -> None:
    """Kill every other process. The kernel does this in one step, in which nothing can fork."""
    try:
        posix.kill(-1, _signal.SIGKILL)
    except OSError:  # there is none
        pass


def reap() -> bool:
    """Handle one process that ended or, if traced, stopped; return whether there may be more."""
    for _ in range(AT_ONCE):
        try:
            pid, status, usage = posix.wait4(-1, posix.WNOHANG | ALL_THREADS)
        except ChildProcessError:
            return False
        if pid == 0:
            return False
        if posix.WIFSTOPPED(status):
            watched[0][1].stopped(pid, status)
        else:
            code = posix.waitstatus_to_exitcode(status)
            ended(pid, code if code >= 0 else 128 - code, usage[2])
    return True


def ended(pid: int, code: int, peak: int) -> None:
    for root, watch in watched:
        watch.exited(pid, code)
        if root == pid:
            finish(watch)
    if pid in running:
        _, fd = running.pop(pid)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        report(fd, b"exited %d %d %d\n" % (code, peak, 1000 * (used.ru_utime + used.ru_stime)))
        posix.close(fd)


def finish(watch: "ProcessTracer") -> None:
    """Write the trace for the host, before the end of the command is reported."""
    if watch.fd >= 0:
        poll.unregister(watch.channel.fileno())
        watch.finish()


def report(fd: int, line: bytes) -> None:
    try:
        posix.write(fd, line)
    except OSError:  # the host no longer listens
        pass


def receive(control: _socket.socket) -> "tuple[bytes, list[int]]":
    data, ancillary, _, _ = control.recvmsg(256, 4096)
    fds = []
    for _, kind, payload in ancillary:
        if kind == _socket.SCM_RIGHTS:
            fds = [int.from_bytes(payload[i : i + 4], sys.byteorder) for i in range(0, len(payload), 4)]
    return data, fds


def start_command(key: bytes, fds: "list[int]", limits: "list[tuple[int, int]]") -> None:
    if len(fds) not in (5, 6):  # out of descriptors: closing the rest tells the host that the command never ran
        close(fds)
        return
    fields = posix.pread(fds[4], posix.fstat(fds[4]).st_size, 0).split(b"\0")
    gate = _socket.socketpair() if len(fds) == 6 else None
    try:
        pid = posix.fork()
    except OSError as error:  # earlier commands left so many processes that no other can start
        report(fds[2], b"no process to be had: " + str(error).encode() + b"\n")
        report(fds[3], b"exited 126 0 0\n")
        close(fds)
        return
    if pid == 0:
        run_child(fields, fds, limits, gate[1].fileno() if gate else -1)
    running[pid] = (key, fds.pop(3))
    if gate:
        witness(pid, fds.pop(), *gate)
    close(fds)


def witness(pid: int, fd: int, ours: _socket.socket, theirs: _socket.socket) -> None:
    """Trace a command that waits at the gate, and all its descendants."""
    from ptrace import ProcessTracer  # type: ignore[import-not-found]  # lies beside this file inside the sandbox

    for _, watch in watched:
        watch.fault("another witnessed command was started meanwhile")
        finish(watch)
    watched[:] = [(pid, ProcessTracer(fd))]
    poll.register(watched[0][1].channel.fileno(), select.POLLIN)
    theirs.close()
    if ours.recv(1):
        watched[0][1].seize(pid)
    ours.close()  # opens the gate


def close(fds: "list[int]") -> None:
    for fd in fds:
        posix.close(fd)


def obey(control: _socket.socket, limits: "list[tuple[int, int]]") -> None:
    """Read the next message of the host and carry it out."""
    data, fds = receive(control)
    if not data:  # the host has ended, so everything inside ends
        posix._exit(0)
    word, _, key = data.partition(b" ")
    if word == b"exec":
        start_command(key, fds, limits)
    elif word == b"kill":
        for pid in [pid for pid, (its_key, _) in running.items() if its_key == key]:
            for watch in [watch for root, watch in watched if root == pid]:
                finish(watch)
            kill(pid)
    elif word == b"clear":
        clear()


def start(control: _socket.socket, limits: "list[tuple[int, int]]") -> "NoReturn":
    dumpable(0)
    limits = attainable(limits)
    wake_read, wake_write = posix.pipe()
    for fd in (wake_read, wake_write):
        posix.set_blocking(fd, False)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
    _signal.signal(_signal.SIGCHLD, lambda number, frame: None)
    _signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    control.send(b"ready")
    poll.register(control.fileno(), select.POLLIN)
    poll.register(wake_read, select.POLLIN)
    more = False
    while True:
        for fd, _ in poll.poll(0 if more else None):
            if fd == wake_read:
                posix.read(wake_read, 4096)
            elif fd == control.fileno():
                obey(control, limits)
            else:
                watched[0][1].listen()
        more = reap()


if __name__ == "__main__":
    sys.path.append(sys.argv[0].rpartition("/")[0])
    file_size, open_files, processes = (int(word) for word in sys.argv[1:4])
    bounds = [
        (resource.RLIMIT_CORE, 1),  # 0 would not keep core files from a crash handler of the host
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_NPROC, processes),
    ]
    start(_socket.socket(fileno=0), bounds)
