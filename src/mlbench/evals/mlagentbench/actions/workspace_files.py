"""Files of a workspace, by names that a model gives: resolved inside the sandbox, handled there, no shell reads them.

An agent's own scripts may do inside what they like; what these functions refuse, they refuse so that a
mistake is seen. What really must not change is mounted read-only, and what must not be seen is not there.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault, named
from mlbench.records import Execution, ExitKind
from mlbench.sandbox.jail import WORKSPACE, Jail
from mlbench.sandbox.limits import MIB

WRITTEN = 16 * MIB
"""Bytes of one write."""

_SYSTEM = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
_SECONDS = 120.0
_OUTSIDE, _FOLDER, _NOT_THERE, _DIRTY = 20, 21, 22, 23
# $1 is the name from the model, $place what it stands for; a shell would cut line ends off a name without the dot
_RESOLVE = f"""
place=$(realpath -m -- "$1" && echo .) || exit {_DIRTY}
place=${{place%??}}
case "$place/" in {WORKSPACE}/*) ;; *) exit {_OUTSIDE} ;; esac
"""
_LOOK = f"""{_RESOLVE}
if [ -f "$place" ]; then kind=f; elif [ -d "$place" ]; then kind=d; elif [ -e "$place" ]; then kind=o; else kind=-; fi
size=$(stat -c %s -- "$place" 2>/dev/null)
printf '%s\\0%s\\0%s\\0' "$kind" "${{size:-0}}" "$place"
[ $kind = f ] || exit 0
[ -r "$place" ] || {{ echo 'Permission denied' >&2; exit {_DIRTY}; }}
exec head -c "$2" -- "$place"
"""
_LIST = f"""{_RESOLVE}
[ -d "$place" ] || exit {_NOT_THERE}
cd -- "$place" && exec find . -mindepth 1 -maxdepth 1 -printf '%y %s %P\\0'
"""
_WRITE = f"""{_RESOLVE}
[ -d "$place" ] && exit {_FOLDER}
mkdir -p -- "${{place%/*}}" || exit {_DIRTY}
"""


@dataclass(frozen=True)
class FileMatch:
    """What a name stands for: path inside, `f`ile, `d`irectory, `o`ther or `-` for nothing, bytes, and the first ones.

    `content` is None where there is no file.
    """

    path: str
    kind: str
    size: int
    content: bytes | None


@dataclass(frozen=True)
class Listed:
    """One name in a folder: its kind as `find` has it, its bytes."""

    kind: str
    size: int
    name: str


async def look(jail: Jail, name: str, most: int) -> FileMatch:
    """What a name stands for, and the first `most` bytes where it is a file.

    Raises:
        Refused: it stands for something outside of the workspace, or cannot be read.
        SandboxUnavailableError: the sandbox failed.
    """
    done, data = await _sh(jail, _LOOK, name, str(most))
    _refuse(done, name)
    kind, size, path, content = data.split(b"\0", 3)
    content_or_none = content if kind == b"f" else None
    return FileMatch(path.decode("utf-8", "surrogateescape"), kind.decode(), int(size), content_or_none)


async def file_at(jail: Jail, name: str, most: int) -> FileMatch:
    """As `look`, of a file that has to be there."""
    found = await look(jail, name, most)
    match found.kind:
        case "f":
            return found
        case "d":
            raise ActionError(ActionFault.INVALID_INPUT, f"{named(name)} is a folder, not a file")
        case "-":
            raise ActionError(ActionFault.NO_FILE, f"there is no file {named(name)}; List Files shows what there is")
    raise ActionError(ActionFault.CANNOT, f"{named(name)} is not an ordinary file")


async def names_in(jail: Jail, folder: str) -> list[Listed]:
    """What stands in a folder, by name.

    Raises:
        Refused: it is outside of the workspace, or no folder.
    """
    done, data = await _sh(jail, _LIST, folder)
    _refuse(done, folder)
    found = []
    for record in data.split(b"\0"):
        kind, _, rest = record.decode("utf-8", "surrogateescape").partition(" ")
        size, _, name = rest.partition(" ")
        if name and size.isdigit():
            found.append(Listed(kind, int(size), name))
    return sorted(found, key=lambda each: each.name)


async def write(jail: Jail, name: str, content: bytes, append: bool = False) -> None:
    """Write a file; the folders on its way are made.

    Raises:
        Refused: it is outside of the workspace, must not change, is a folder, or there is no room.
    """
    if len(content) > WRITTEN:
        raise ActionError(
            ActionFault.INVALID_INPUT, f"{len(content)} bytes are more than can be written at once ({WRITTEN})"
        )
    script = f'{_WRITE}exec cat {">>" if append else ">"} "$place"'
    done, _ = await _sh(jail, script, name, stdin=content)
    _refuse(done, name)


async def copy(jail: Jail, source: FileMatch, name: str) -> None:
    """Copy a file that was looked at. Raises as `write`."""
    done, _ = await _sh(jail, f'{_WRITE}exec cp -T -- "$2" "$place"', name, source.path)
    _refuse(done, name)


async def remove(jail: Jail, path: str) -> None:
    """Remove a file. Raises as `write`."""
    done, _ = await _sh(jail, f'{_RESOLVE}exec rm -f -- "$place"', path)
    _refuse(done, path)


async def _sh(jail: Jail, script: str, name: str, *words: str, stdin: bytes = b"") -> tuple[Execution, bytes]:
    if not name.strip():
        raise ActionError(ActionFault.INVALID_INPUT, "a file's name is empty")
    try:
        fits = b"\0" not in name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise ActionError(ActionFault.INVALID_INPUT, f"{named(name)} cannot be a file's name")
    place = name if name.startswith("/") else f"{WORKSPACE}/{name}"
    command = ["/bin/sh", "-c", script, "action", place, *words]
    return await jail.run(command, stdin=stdin, env=_SYSTEM, seconds=_SECONDS, keep=2 * WRITTEN)


def _refuse(done: Execution, name: str) -> None:
    """Say what went wrong, if anything did."""
    if done.ending is ExitKind.TIMEOUT:
        raise ActionError(ActionFault.TIME_OUT, f"{named(name)} could not be read or written within {_SECONDS:.0f} s")
    if done.ending is ExitKind.MEMORY:
        raise ActionError(ActionFault.MEMORY, "the sandbox has no memory left; end what runs in it")
    match done.exit_code:
        case 0:
            return
        case code if code == _OUTSIDE:
            raise ActionError(ActionFault.REFUSED_PATH, f"{named(name)} is outside of the workspace ({WORKSPACE})")
        case code if code == _FOLDER:
            raise ActionError(ActionFault.INVALID_INPUT, f"{named(name)} is a folder, not a file")
        case code if code == _NOT_THERE:
            raise ActionError(ActionFault.NO_FILE, f"there is no folder {named(name)}")
    last = (done.stderr.strip().splitlines() or [f"exit code {done.exit_code}"])[-1]
    why = last.rpartition(": ")[2][:200]
    if why in ("Read-only file system", "Device or resource busy"):
        raise ActionError(ActionFault.READ_ONLY, f"{named(name)} must not change: it is read-only")
    raise ActionError(ActionFault.CANNOT, f"{named(name)}: {why}")
