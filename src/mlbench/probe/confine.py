"""What a process gives up before it sees a candidate's words: time, memory, and the means to touch other processes."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct

MIB = 1024 * 1024
MEMORY = 2048 * MIB  # bytes of address space beyond what the server has
WRITTEN = 64 * MIB
PROCESSES = 64

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_SET_PDEATHSIG = 4, 36, 38, 22, 1
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# calls that reach other processes, or leave something that outlives this one: x86_64, aarch64
_REFUSED = (
    (101, 117), (310, 270), (311, 271), (312, 272), (424, 424), (434, 434), (438, 438), (440, 440),  # ptrace, pidfd, ...
    (29, 194), (64, 190), (68, 186), (240, 180), (141, 140), (142, 118), (144, 119), (203, 122), (314, 274),
    (129, 138), (297, 240), (109, 154),
)  # fmt: skip
_OWN_ONLY = ((62, 129), (200, 130), (234, 131), (302, 261))  # kill, tkill, tgkill, prlimit64: first argument
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def protect_server() -> None:
    """No other process of this user can look into this one, and orphans come to it."""
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def bound_memory() -> None:
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[0])
    _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)
    _limit(resource.RLIMIT_FSIZE, WRITTEN)
    _limit(resource.RLIMIT_CORE, 0)


def confine(cpu: float) -> None:
    """For this process and all that it starts, for good; `cpu` in seconds of one process."""
    os.setsid()
    seconds = max(1, int(cpu + 0.999))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # a signal that names the cause, then the end
    _limit(resource.RLIMIT_NPROC, PROCESSES)
    code = _filter()
    if code:
        held = ctypes.create_string_buffer(code, len(code))
        program = _Program(len(code) // 8, ctypes.cast(held, ctypes.c_void_p))
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(program))


def _prctl(*words: int) -> None:
    arguments = [ctypes.c_ulong(word) for word in (*words, 0, 0, 0, 0)[:5]]
    if _libc.prctl(ctypes.c_int(words[0]), *arguments[1:]) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {words[0]}")


def _limit(name: int, value: int) -> None:
    hard = resource.getrlimit(name)[1]
    lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(name, (lowest, lowest))


def _filter() -> bytes:
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        return b""
    column, own = list(_ARCHITECTURES).index(machine), os.getpid()
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
    code += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
