"""Limit time, memory and access to other processes, before a process sees a candidate's arguments.

It cannot start processes either, because a program needs none before or right after its parse. RLIMIT_NPROC would not
hold if the host's root runs the sandbox.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct

MIB = 1024 * 1024
MEMORY = 2048 * MIB  # bytes of address space beyond the server's own
WRITTEN = 64 * MIB

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_SET_PDEATHSIG = 4, 36, 38, 22, 1
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# calls that reach other processes (ptrace, pidfd, ...), or leave something that outlives this one: x86_64, aarch64
_REFUSED = (
    (101, 117), (310, 270), (311, 271), (312, 272), (424, 424), (434, 434), (438, 438), (440, 440),
    (29, 194), (64, 190), (68, 186), (240, 180), (141, 140), (142, 118), (144, 119), (203, 122), (314, 274),
    (129, 138), (297, 240), (109, 154),
)  # fmt: skip
_OWN_ONLY = ((62, 129), (200, 130), (234, 131), (302, 261))  # kill, tkill, tgkill, prlimit64: first argument
_FORKS = {"x86_64": (57, 58)}  # fork, vfork
_CLONE, _CLONE3 = (56, 220), (435, 435)
_CLONE_THREAD = 0x10000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_NO_MORE, _UNKNOWN = 0x00050000 | errno.EAGAIN, 0x00050000 | errno.ENOSYS

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def protect_server() -> None:
    """Hide this process's memory from other processes of this user, and adopt orphans."""
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def bound_memory() -> None:
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[0])
    _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)
    _limit(resource.RLIMIT_FSIZE, WRITTEN)
    _limit(resource.RLIMIT_CORE, 0)


def bound_cpu(seconds: float | None) -> None:
    """Limit this process's CPU seconds until the next call; None removes the limit."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard if seconds is None else max(1, int(seconds + 0.999))
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def confine(cpu: float) -> None:
    """Confine this process and its children for good; `cpu` is in seconds of one process."""
    isolate()
    limit_cpu(cpu)


def isolate() -> None:
    """Deny this process and its children other processes, for good."""
    os.setsid()
    code = _filter()
    if code:
        held = ctypes.create_string_buffer(code, len(code))
        program = _Program(len(code) // 8, ctypes.cast(held, ctypes.c_void_p))
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(program))


def limit_cpu(seconds: float) -> None:
    """Limit this process's CPU seconds for good."""
    whole = max(1, int(seconds + 0.999))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))  # SIGXCPU, then SIGKILL


def _prctl(*words: int) -> None:
    arguments = [ctypes.c_ulong(word) for word in (*words, 0, 0, 0, 0)[:5]]
    if _libc.prctl(ctypes.c_int(words[0]), *arguments[1:]) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {words[0]}")


def _limit(name: int, value: int) -> None:
    hard = resource.getrlimit(name)[1]
    lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(name, (lowest, lowest))


def _filter() -> bytes:
    """The seccomp filter of this process: the template with its process id."""
    code = bytearray(_TEMPLATE)
    for place in _PLACES:
        struct.pack_into("I", code, place, os.getpid())
    return bytes(code)


def _template() -> tuple[bytes, tuple[int, ...]]:
    """The filter without the process id, and the offsets of the id. Made once, before any fork."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        return b"", ()
    column, own = list(_ARCHITECTURES).index(machine), -1
    code = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
    for numbers in _REFUSED:
        code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _REFUSE)]
    for numbers in _OWN_ONLY:  # 0 is this process where it says which; for kill its own group, which is its own session
        code += [
            (_EQUAL, 0, 5, numbers[column]),
            (_LOAD, 0, 0, 16),
            (_EQUAL, 2, 0, own),
            (_EQUAL, 1, 0, 0),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        ]
    for fork in _FORKS.get(machine, ()):
        code += [(_EQUAL, 0, 1, fork), (_RETURN, 0, 0, _NO_MORE)]
    code += [
        (_EQUAL, 0, 1, _CLONE3[column]),
        (_RETURN, 0, 0, _UNKNOWN),
    ]  # its flags cannot be checked: callers fall back to clone
    code += [(_EQUAL, 0, 3, _CLONE[column]), (_LOAD, 0, 0, 16), (_ANY_BIT, 1, 0, _CLONE_THREAD)]
    code += [(_RETURN, 0, 0, _NO_MORE), (_RETURN, 0, 0, _ALLOW)]
    packed = b"".join(struct.pack("HBBI", *step[:3], max(0, step[3])) for step in code)
    return packed, tuple(at * 8 + 4 for at, step in enumerate(code) if step[3] == own)


_TEMPLATE, _PLACES = _template()
