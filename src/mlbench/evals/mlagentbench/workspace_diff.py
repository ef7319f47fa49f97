"""Pack what changed in a workspace since the last look, and merge several such archives.

Everything that comes out of a sandbox is hostile: it is limited, read as a stream, and written to disk only packed.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import anyio

from mlbench.records import ExitKind
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import MIB

LARGEST = 256 * MIB
"""Bytes of changed files kept of one step; the largest files beyond are left out, and named."""

MOST = 50_000
"""Files that one step may change; if it changes more, none is kept."""

_SLACK = 16 * MIB  # headers, and what grows while it is packed
_LISTED = 32 * MIB  # bytes of a listing
_SECONDS = 120
_TICK = 0.012  # the kernel's clock for files may be so coarse: two changes in one tick look like one
_SYSTEM = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
_LIST = ["find", ".", "-mindepth", "1", "(", "-type", "f", "-o", "-type", "l", "-o", "-type", "d", ")"]
_LIST += ["-printf", r"%P\0%y %s %i %C@\0"]
_TAR = "tar --null --no-recursion --hard-dereference --ignore-failed-read -T - -c 2>/dev/null"
_PACK = f"{{ {_TAR}; echo $? >&2; }} | gzip -1"
_GOOD = ("0", "1", "2")  # tar's own: where a file has changed meanwhile, has vanished, or cannot be read


_Listing = dict[bytes, bytes]
"""State of each path: kind, size, inode and change time, which cannot be set from inside. As `find` prints it."""


@dataclass(frozen=True)
class Increment:
    """What one step changed.

    Attributes:
        archive: the changed files as a `.tgz`; empty if there are none.
        changed, removed: paths from the workspace's root.
        left_out: changed paths that are too large for the archive.
        files: number of files now, links included.
        fault: why nothing could be kept of this step; its changes are part of the next step.
    """

    archive: bytes = b""
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    files: int = 0
    fault: str = ""


class WorkspaceWatcher:
    """Looks at the workspace of one jail repeatedly, without ending any process."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._before: _Listing | None = None

    async def begin(self) -> None:
        """Take the workspace as it is now as the starting point; only the first call counts.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        if self._before is None:
            found = await self._listing()
            self._before = {} if isinstance(found, str) else found

    async def take(self) -> Increment:
        """Return what has changed since the last call.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        looked = time.perf_counter()
        now = await self._listing()
        if isinstance(now, str):
            return Increment(fault=now)
        before = self._before or {}
        changed = [path for path, state in now.items() if before.get(path) != state]
        if len(changed) > MOST:
            return Increment(fault=f"it changed {len(changed)} files; at most {MOST} can be kept")
        removed = [path for path in before if path not in now]
        kept, left_out = _that_fit(changed, now)
        archive = await self._packed(kept) if kept else b""
        if archive is None:
            return Increment(fault="its files could not be packed")
        self._before = now
        files = sum(not state.startswith(b"d") for state in now.values())
        await anyio.sleep(max(0.0, looked + _TICK - time.perf_counter()))
        return Increment(archive, _names(changed), _names(removed), _names(left_out), files)

    async def _listing(self) -> _Listing | str:
        """The state of every file, link and folder by path, or why it cannot be read."""
        done, data = await self._jail.run(_LIST, env=_SYSTEM, seconds=_SECONDS, keep=_LISTED)
        if done.ending is not ExitKind.EXITED or done.exit_code not in (0, 1):  # 1: some folder cannot be read
            return f"its files could not be listed: {done.stderr.strip()[-200:] or done.ending}"
        if done.dropped_bytes:
            return f"it holds more files than can be listed in {_LISTED // MIB} MiB"
        fields = data.split(b"\0")
        return dict(zip(fields[0::2], fields[1::2], strict=False))  # another process inside may have written to it

    async def _packed(self, paths: Sequence[bytes]) -> bytes | None:
        """Pack some paths; None if that fails. Files that vanish meanwhile are left out."""
        names = b"".join(b"./" + path + b"\0" for path in paths)
        command = ["/bin/sh", "-c", _PACK]
        most = LARGEST + _SLACK
        done, data = await self._jail.run(command, stdin=names, env=_SYSTEM, seconds=_SECONDS, keep=most)
        good = done.ending is ExitKind.EXITED and not done.exit_code and not done.dropped_bytes
        return data if good and done.stderr.strip() in _GOOD else None


@dataclass(frozen=True)
class DiffPart:
    """The archive of one step, and the paths to take from it."""

    archive: Path
    paths: frozenset[str]


def merged(parts: Sequence[DiffPart]) -> bytes:
    """Merge archives into one `.tgz`; what cannot be read is left out."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1, format=tarfile.GNU_FORMAT) as out:
        for part in parts:
            for member, content in _members(part):
                out.addfile(member, content)
    return buffer.getvalue()


def _members(part: DiffPart) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """The requested files, links and folders of an archive, each once."""
    wanted = set(part.paths)
    try:
        with (
            part.archive.open("rb") as file,
            tarfile.open(fileobj=_Bounded(gzip.GzipFile(fileobj=file)), mode="r|") as tar,
        ):
            for member in tar:
                path = member.name.removeprefix("./")
                if (
                    path not in wanted
                    or ".." in path.split("/")
                    or not (member.isreg() or member.issym() or member.isdir())
                ):
                    continue
                wanted.discard(path)
                plain = tarfile.TarInfo(f"./{path}")
                plain.type, plain.linkname, plain.mtime = member.type, member.linkname, int(member.mtime)
                plain.size = member.size if member.isreg() else 0
                plain.mode = member.mode & 0o777 | (0o700 if member.isdir() else 0o600)
                content = tar.extractfile(member) if member.isreg() else None
                yield plain, content and io.BytesIO(content.read())
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError):
        return


class _Bounded(io.RawIOBase):
    """Limits what is unpacked: a few packed bytes can become many."""

    def __init__(self, inner: gzip.GzipFile) -> None:
        self._inner, self._left = inner, LARGEST + 2 * _SLACK

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._inner.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(data)
        return data


def _that_fit(paths: Sequence[bytes], states: _Listing) -> tuple[list[bytes], list[bytes]]:
    """The paths that may be kept, smallest first, and the others."""
    left = LARGEST
    kept: list[bytes] = []
    out: list[bytes] = []
    sizes = {path: _size(states[path]) for path in paths}
    for path in sorted(paths, key=lambda path: sizes[path]):
        left -= sizes[path]
        (kept if left >= 0 else out).append(path)
    return kept, out


def _size(state: bytes) -> int:
    kind, size, *_ = *state.split(), b"", b""
    return int(size) if kind == b"f" and size.isdigit() else 0


def _names(paths: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in paths)
