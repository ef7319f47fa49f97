"""The first process inside a sandbox: starts commands for the host and reports how they ended.

Runs as PID 1 of the sandbox under `python -I -S`, so that nothing within can kill it and everything dies with it.
It imports only what is compiled into the interpreter or stands beside it: a start costs milliseconds.

Host -> agent (SOCK_SEQPACKET on descriptor 0):
    exec          with descriptors: stdin, stdout, stderr, status, and a file with the request, NUL-separated:
                  cwd, number of words, words..., NAME=VALUE...
    kill <key>    ends the command with that status key and its descendants
Agent -> host, on the command's status descriptor:
    started <key>\n                                        the key is the command's process id in here
    exited <code> <peak KiB>\n                             code 128+N for signal N
What the agent says cannot be forged from inside: it is not dumpable, so its descriptors and memory are out of reach.
"""

import _ctypes
import _signal
import _socket
import posix
import resource
import select
import sys

PR_SET_DUMPABLE = 4


def undumpable():
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 2), "prctl")
    if _ctypes.call_function(prctl, (PR_SET_DUMPABLE, 0, 0, 0, 0)) != 0:
        raise SystemExit("agent: cannot protect itself")


def run_child(fields, fds, limits):
    """In the forked child: take on the command's descriptors, folder, limits and environment; never returns."""
    try:
        posix.setsid()
        for number in (_signal.SIGINT, _signal.SIGPIPE, _signal.SIGCHLD):
            _signal.signal(number, _signal.SIG_DFL)
        for target, fd in enumerate(fds[:3]):
            posix.dup2(fd, target)
        posix.closerange(3, 4096)
        count = int(fields[1])
        argv, pairs = fields[2 : 2 + count], fields[2 + count :]
        env = dict(pair.split(b"=", 1) for pair in pairs)
        try:  # if memory runs out, the candidate goes first
            with open("/proc/self/oom_score_adj", "wb") as file:
                file.write(b"1000")
        except OSError:
            pass
        for name, value in limits:
            resource.setrlimit(name, (value, value))
        try:
            posix.chdir(fields[0])
        except OSError as error:
            fail(126, b"cannot enter the folder " + fields[0], error)
        if b"/" in argv[0]:
            paths = [argv[0]]
        else:
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
    finally:
        posix._exit(127)


def fail(code, what, error):
    posix.write(2, what + (b": " + str(error).encode() if error else b"") + b"\n")
    posix._exit(code)


def descendants(root):
    """Every process that `root` started, also through others, and its session."""
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


def kill(root):
    for _ in range(20):  # what forks while it is being killed is caught in the next round
        alive = [pid for pid in descendants(root) if pid != 1]
        for pid in alive:
            try:
                posix.kill(pid, _signal.SIGKILL)
            except OSError:
                pass
        if not alive:
            return
        select.select([], [], [], 0.005)
        reap()


running = {}  # process id -> status descriptor


def reap():
    while True:
        try:
            pid, status, usage = posix.wait4(-1, posix.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        fd = running.pop(pid, None)
        if fd is not None:
            code = posix.waitstatus_to_exitcode(status)
            report(fd, b"exited %d %d\n" % (code if code >= 0 else 128 - code, usage[2]))
            posix.close(fd)


def report(fd, line):
    try:
        posix.write(fd, line)
    except OSError:  # the host no longer listens
        pass


def receive(control):
    data, ancillary, _, _ = control.recvmsg(256, 4096)
    fds = []
    for _, kind, payload in ancillary:
        if kind == _socket.SCM_RIGHTS:
            fds = [int.from_bytes(payload[i : i + 4], sys.byteorder) for i in range(0, len(payload), 4)]
    return data, fds


def start_command(fields, fds, limits):
    try:
        pid = posix.fork()
    except OSError as error:  # earlier commands left so many processes that there is no room for another
        report(fds[2], b"no process to be had: " + str(error).encode() + b"\n")
        report(fds[3], b"exited 126 0\n")
        for fd in fds:
            posix.close(fd)
        return
    if pid == 0:
        run_child(fields, fds, limits)
    for fd in fds[:3]:
        posix.close(fd)
    running[pid] = fds[3]
    report(fds[3], b"started %d\n" % pid)


def start(control, limits):
    undumpable()
    control_fd = control.fileno()
    wake_read, wake_write = posix.pipe()
    for fd in (wake_read, wake_write):
        posix.set_blocking(fd, False)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
    _signal.signal(_signal.SIGCHLD, lambda number, frame: None)
    _signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    control.send(b"ready")
    poll = select.poll()
    poll.register(control_fd, select.POLLIN)
    poll.register(wake_read, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == wake_read:
                posix.read(wake_read, 4096)
                continue
            data, fds = receive(control)
            if not data:  # the host is gone: so is everything in here
                posix._exit(0)
            words = data.split()
            if words[0] == b"exec":
                request = fds.pop()
                fields = posix.pread(request, posix.fstat(request).st_size, 0).split(b"\0")
                posix.close(request)
                start_command(fields, fds, limits)
            elif words[0] == b"kill":
                kill(int(words[1]))
        reap()


if __name__ == "__main__":
    file_size, open_files, processes = (int(word) for word in sys.argv[1:4])
    bounds = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_NPROC, processes),
    ]
    start(_socket.socket(fileno=0), bounds)
