"""What changed in a workspace since it was last looked at, packed inside; several of those merged into one archive.

What comes out of a sandbox is hostile: it is bounded, read as a stream, and never written to a disk but as it is.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import anyio

from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import MIB
from mlbench.types import Ending

LARGEST = 256 * MIB
"""Bytes of changed files that are kept of one step; the largest ones beyond are left out, and named."""

MOST = 50_000
"""Files that one step may change; of one that changes more, nothing is kept."""

_SLACK = 16 * MIB  # headers, and what grows while it is packed
_LISTED = 32 * MIB  # bytes of a listing
_SECONDS = 120
_TICK = 0.012  # the kernel's clock for files may be so coarse: two changes in one tick look like one
_SYSTEM = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
_LIST = ["find", ".", "-mindepth", "1", "(", "-type", "f", "-o", "-type", "l", "-o", "-type", "d", ")"]
_LIST += ["-printf", r"%y %s %i %C@ %P\0"]
_PACK = """
tar --null --no-recursion --hard-dereference --ignore-failed-read -T - -c 2>/dev/null | gzip -1
ended=("${PIPESTATUS[@]}"); [ "${ended[0]}" -le 2 ] && [ "${ended[1]}" -eq 0 ]
"""  # tar ends with 2 where a file has vanished, or cannot be read: that is the agent's affair


@dataclass(frozen=True)
class _Entry:
    """What tells one state of a file from another. The time at which an inode changed cannot be set from inside."""

    kind: str
    size: int
    inode: str
    changed: str


@dataclass(frozen=True)
class Increment:
    """What one step changed.

    Attributes:
        archive: the changed files as a `.tgz`; empty where there are none.
        changed, removed, left_out: paths from the workspace's root. What is left out is too large: it has changed,
            and is not in the archive.
        files: how many there are now, links included.
        fault: why nothing could be kept of this step; what it changed then comes with the next one.
    """

    archive: bytes = b""
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    files: int = 0
    fault: str = ""


class Watch:
    """Looks at the workspace of one jail, again and again. Nothing in the jail is ended for it."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._before: dict[str, _Entry] | None = None

    async def begin(self) -> None:
        """What is there now is what was there before; does nothing where it began already.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        if self._before is None:
            found = await self._listing()
            self._before = {} if isinstance(found, str) else found

    async def take(self) -> Increment:
        """What has changed since the last time.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        looked = time.perf_counter()
        now = await self._listing()
        if isinstance(now, str):
            return Increment(fault=now)
        before = self._before or {}
        changed = [path for path, entry in now.items() if before.get(path) != entry]
        if len(changed) > MOST:
            return Increment(fault=f"it changed {len(changed)} files; at most {MOST} can be kept")
        removed = tuple(path for path in before if path not in now)
        kept, left_out = _that_fit(changed, now)
        archive = await self._packed(kept) if kept else b""
        if archive is None:
            return Increment(fault="its files could not be packed")
        self._before = now
        files = sum(entry.kind != "d" for entry in now.values())
        await anyio.sleep(max(0.0, looked + _TICK - time.perf_counter()))
        return Increment(archive, tuple(changed), removed, left_out, files)

    async def _listing(self) -> dict[str, _Entry] | str:
        """Every file, link and folder, by its path; or why that cannot be said."""
        done, data = await self._jail.run(_LIST, env=_SYSTEM, seconds=_SECONDS, keep=_LISTED)
        if done.ending is not Ending.EXITED or done.exit_code not in (0, 1):  # 1: some folder cannot be read
            return f"its files could not be listed: {done.stderr.strip()[-200:] or done.ending}"
        if done.dropped_bytes:
            return f"it holds more files than can be listed in {_LISTED // MIB} MiB"
        found = {}
        for record in data.split(b"\0"):
            kind, _, rest = record.decode("utf-8", "surrogateescape").partition(" ")
            size, _, rest = rest.partition(" ")
            inode, _, rest = rest.partition(" ")
            changed, _, path = rest.partition(" ")
            if path and size.isdigit():
                found[path] = _Entry(kind, int(size) if kind == "f" else 0, inode, changed)
        return found

    async def _packed(self, paths: Sequence[str]) -> bytes | None:
        """None where it cannot be done. Files that vanish meanwhile, or cannot be read, are not in it."""
        names = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        command = ["/bin/bash", "-c", _PACK]
        most = LARGEST + _SLACK
        done, data = await self._jail.run(command, stdin=names, env=_SYSTEM, seconds=_SECONDS, keep=most)
        failed = done.ending is not Ending.EXITED or done.exit_code or done.dropped_bytes
        return None if failed else data


@dataclass(frozen=True)
class Part:
    """The archive of one step, and the paths that are to be taken from it."""

    archive: Path
    paths: frozenset[str]


def merged(parts: Sequence[Part]) -> bytes:
    """One `.tgz` of all of them. What cannot be read of a part, as its jail spoilt it, is not in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1, format=tarfile.GNU_FORMAT) as out:
        for part in parts:
            for member, content in _members(part):
                out.addfile(member, content)
    return buffer.getvalue()


def _members(part: Part) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """Those of its files, links and folders that are asked for, each once."""
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
    """What is unpacked, to a bound: a few bytes may be told to become many."""

    def __init__(self, inner: gzip.GzipFile) -> None:
        self._inner, self._left = inner, LARGEST + 2 * _SLACK

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._inner.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(data)
        return data


def _that_fit(paths: Sequence[str], entries: Mapping[str, _Entry]) -> tuple[list[str], tuple[str, ...]]:
    """As many as may be kept, the smallest first; and those beyond."""
    left = LARGEST
    kept: list[str] = []
    out: list[str] = []
    for path in sorted(paths, key=lambda path: entries[path].size):
        left -= entries[path].size
        (kept if left >= 0 else out).append(path)
    return kept, tuple(out)
