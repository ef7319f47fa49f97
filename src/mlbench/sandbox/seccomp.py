"""A system-call filter, loaded by bwrap, against calls that reach past namespaces and that no command needs.

Namespaces leave these open:
- sockets of families without network namespaces (AF_VSOCK reaches the machine's own host)
- the keyring that the host's session shares with its children
- limits and scheduling of the init process, which has the same user
- memory that belongs to no process and therefore escapes the watcher
- memory and descriptors of other processes; a recorder's must be private
- large parts of the kernel that a benchmark does not need
A refused call answers "no such call", so that programs fall back to older calls, or "not permitted".
"""

from __future__ import annotations

import errno
import functools
import os
import struct

from inspect_ai.util import SandboxUnavailableError

# name: number on x86_64, number on aarch64
_ABSENT = {
    "shmget": (29, 194),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "perf_event_open": (298, 241),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "pidfd_getfd": (438, 438),
    "memfd_secret": (447, 447),
}
# name: numbers, and which argument holds the process id; refused if it is the init process
_NOT_ON_THE_AGENT = {
    "setpriority": (141, 140, 1),
    "sched_setparam": (142, 118, 0),
    "sched_setscheduler": (144, 119, 0),
    "sched_setaffinity": (203, 122, 0),
    "prlimit64": (302, 261, 0),
    "sched_setattr": (314, 274, 0),
}
_SOCKET = (41, 198)
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink: all are confined by the sandbox's namespaces
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # x86_64 calls from this number on are a second table
_AGENT = 1

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # instructions of classic BPF
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


@functools.cache
def program(machine: str = os.uname().machine) -> bytes:
    """Return the filter for bwrap's `--seccomp`: a sequence of struct sock_filter.

    Raises:
        SandboxUnavailableError: the system-call numbers of this processor are not known.
    """
    if machine not in _ARCHITECTURES:
        raise SandboxUnavailableError(f"the sandbox supports x86_64 and aarch64, not {machine}")
    column = list(_ARCHITECTURES).index(machine)
    code = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), _refuse(errno.ENOSYS)]
    code += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    for absent in _ABSENT.values():
        code += [(_EQUAL, 0, 1, absent[column]), _refuse(errno.ENOSYS)]
    for *numbers, position in _NOT_ON_THE_AGENT.values():
        code += _argument(numbers[column], position, [(_EQUAL, 0, 1, _AGENT), _refuse(errno.EPERM)])
    known = [(_EQUAL, len(_FAMILIES) - index, 0, family) for index, family in enumerate(_FAMILIES)]
    code += _argument(_SOCKET[column], 0, [*known, _refuse(errno.EAFNOSUPPORT)])
    code += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _refuse(error: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _REFUSE | error)


def _argument(number: int, position: int, checks: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return checks of the low half of one argument of one system call; the call's number is reloaded afterwards."""
    load = (_LOAD, 0, 0, _ARGUMENTS + 8 * position)
    return [(_EQUAL, 0, len(checks) + 2, number), load, *checks, (_LOAD, 0, 0, _NUMBER)]
