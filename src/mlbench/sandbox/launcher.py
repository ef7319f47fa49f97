"""Start jails, one at a time, from inside a control group: a small process that is reused for many jails.

Joining a control group costs 10 to 20 ms of kernel time. The child of a process that is already in one joins for free.
Doing the mounts here saves four more processes. Runs under `python -I -S`, standard library only.

Host -> launcher (SOCK_SEQPACKET on descriptor 0): NUL-separated scratch, size, number of folders that get an overlay,
    these folders, then bwrap's command line;
    with descriptors: the agent's control socket, a file for what the start-up prints, bwrap's filter of system calls.
Launcher -> host: `ready` once, then for each jail `started <pid>` and, when nothing of it is left, `gone`.
"""

import ctypes
import os
import socket
import sys

TYPE_CHECKING = False  # importing `typing` would cost milliseconds
if TYPE_CHECKING:
    from typing import NoReturn

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 0x1000, 0x4000, 0x40000
PR_SET_CHILD_SUBREAPER = 36
SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), what + " failed: " + os.strerror(ctypes.get_errno()))


def mount(source: "str | None", target: str, kind: "str | None", flags: int, data: "str | None") -> None:
    encoded = [None if word is None else os.fsencode(word) for word in (source, target, kind, data)]
    check(libc.mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3]), "mounting the " + (kind or target))


def read_only(folder: str) -> None:
    """Make a mount and everything below it read-only: device files belong to the host's root, inside as well."""
    mount(folder, folder, None, MS_BIND | MS_REC, None)
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY, 0, 0, 0)
    check(
        libc.syscall(
            SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(folder), AT_RECURSIVE, attributes, ctypes.sizeof(attributes)
        ),
        "making " + folder + " read-only",
    )


def unshare() -> None:
    """Enter a new user namespace as root, with its own mounts."""
    uid, gid = os.geteuid(), os.getegid()
    check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare")
    for file, text in (("setgroups", "deny"), ("uid_map", "0 %d 1" % uid), ("gid_map", "0 %d 1" % gid)):
        try:
            with open("/proc/self/" + file, "w") as handle:
                handle.write(text)
        except OSError as error:
            raise OSError(error.errno, "writing %s failed: %s" % (file, error.strerror)) from error


def set_up(scratch: str, size: str, lowers: "list[str]") -> None:
    """Mount a tmpfs of limited size, with an overlay over the repository and the other folders."""
    unshare()
    mount(None, "/", None, MS_REC | MS_PRIVATE, None)
    read_only("/dev")
    mount("tmpfs", scratch, "tmpfs", MS_NOSUID | MS_NODEV, "size=%s,nr_inodes=65536,mode=0755" % size)
    os.chdir(scratch)
    for folder in ("home", "tmp", "shm", "var"):
        os.mkdir(folder)
    for folder in ("tmp", "shm", "var"):
        os.chmod(folder, 0o1777)
    for number, lower in enumerate(lowers):
        for folder in ("upper", "work", "tree"):
            os.mkdir("%s%d" % (folder, number))
        layers = "userxattr,lowerdir=%s,upperdir=upper%d,workdir=work%d" % (lower, number, number)
        mount("overlay", "tree%d" % number, "overlay", MS_NOSUID | MS_NODEV, layers)


def become_jail(fields: "list[str]", control: int, log: int, syscalls: int) -> "NoReturn":
    """In the forked child: set up the mounts and execute bwrap."""
    try:
        for target, fd in enumerate((control, log, log, syscalls)):
            os.dup2(fd, target)
        os.closerange(4, 256)
        with open("/proc/self/oom_score_adj", "w") as file:  # without memory, a sandbox is killed first
            file.write("1000")
        scratch, size, count, *rest = fields
        lowers, command = rest[: int(count)], rest[int(count) :]
        set_up(scratch, size, lowers)
        os.execve(command[0], command, {})
    except OSError as error:
        os.write(2, (error.strerror or str(error)).encode() + b"\n")
    finally:
        os._exit(1)


def wait_for_all() -> None:
    """Wait for all children: processes that a killed bwrap leaves become children of this process."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def main() -> None:
    os.umask(0o022)
    check(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "becoming a reaper")
    host = socket.socket(fileno=0)
    host.send(b"ready")
    while True:
        message, fds, _, _ = socket.recv_fds(host, 1 << 20, 3)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            become_jail([os.fsdecode(field) for field in message.split(b"\0")], *fds)
        for fd in fds:
            os.close(fd)
        host.send(b"started %d" % pid)
        wait_for_all()
        host.send(b"gone")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the host is gone
        sys.exit()
