"""Extract untrusted tar archives safely on every supported Python.

`tarfile.extractall(filter="data")` needs Python 3.11.4, and Debian 12 has 3.11.2. Therefore every member is checked
here first. The filter is used in addition if the standard library has it.
"""

from __future__ import annotations

import os
import posixpath
import stat
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from mlbench.records import RunError

_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
_MOST_LINKS = 40  # that are followed for one path, as in Linux


def extract_tar(file: IO[bytes], folder: Path, most: int) -> None:
    """Extract an uncompressed archive into an empty folder, completely or not at all.

    Files belong to the current user, and only this user can write them. Only the executable bit of their mode is kept.

    Args:
        file: the archive, seekable.
        folder: an existing empty folder.
        most: largest allowed size of all files together, in bytes.

    Raises:
        RunError: the archive is incomplete or too large, or a member is refused; the message names the member. Refused
            are: an absolute path, a path or link that leads out of the folder, a path behind a link, a path that
            occurs twice, a device, FIFO or socket, a set-user-id or set-group-id file.
    """
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            tar.extractall(folder, _checked(tar, most), **_FILTER)
    except (tarfile.TarError, EOFError, ValueError, RecursionError) as error:
        raise RunError(f"not a whole tar archive: {error}") from error


def _checked(tar: tarfile.TarFile, most: int) -> list[tarfile.TarInfo]:
    """Return every member in a safe form.

    Raises:
        RunError: a member is refused; names it.
    """
    found: dict[str, tarfile.TarInfo] = {}
    size = 0
    for member in tar:
        path = posixpath.normpath(member.name)
        if fault := _fault(member, path, found):
            raise _refused(member, fault)
        size += member.size
        if size > most:
            raise _refused(member, f"has too many bytes: all files together may have {most}")
        if path != ".":
            found[path] = _plain(member, path)
    links = {path: member.linkname for path, member in found.items() if member.issym()}
    for path, member in found.items():
        if any(str(parent) in links for parent in Path(path).parents):
            raise _refused(member, "lies behind a link")
        if member.issym() and not _stays_inside(path, links):
            raise _refused(member, "leads out of the folder")
    return list(found.values())


def _refused(member: tarfile.TarInfo, why: str) -> RunError:
    return RunError(f"refused to extract an archive: {member.name[:200]!r} {why}")


def _fault(member: tarfile.TarInfo, path: str, found: Mapping[str, tarfile.TarInfo]) -> str:
    """Return why a member is refused, without regard to the others; empty if it is allowed."""
    if path.startswith("/"):
        return "is an absolute path"
    if path == ".." or path.startswith("../"):
        return "leads out of the folder"
    if "\0" in member.name + member.linkname or member.size < 0:
        return "has an impossible name or size"
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        return "is neither a file, a folder nor a link"
    if not member.isdir() and member.mode & (stat.S_ISUID | stat.S_ISGID):
        return "is a set-user-id or set-group-id file"
    if path in found or (path == "." and not member.isdir()):
        return "occurs twice"
    if member.issym() and member.linkname.startswith("/"):
        return "is a link to an absolute path"
    if member.islnk():
        target = found.get(posixpath.normpath(member.linkname))
        if target is None or not target.isreg():
            return "is a hard link to something that is no file before it in the archive"
    return ""


def _plain(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo:
    """Remove the owner, the rights of others and impossible times from a member, in place."""
    member.name = path
    member.mode = 0o755 if member.isdir() or member.mode & stat.S_IXUSR else 0o644
    member.uname = member.gname = ""
    member.uid, member.gid = os.geteuid(), os.getegid()
    member.mtime = member.mtime if 0 <= member.mtime < 2**32 else 0  # NaN is neither
    if member.islnk():
        member.linkname = posixpath.normpath(member.linkname)
    return member


def _stays_inside(path: str, links: Mapping[str, str]) -> bool:
    """Return whether a path stays inside the folder if the archive's links are followed as the kernel does."""
    left = _parts(path)
    at: list[str] = []
    followed = 0
    while left:
        part = left.pop()
        if part == "..":
            if not at:
                return False
            at.pop()
            continue
        at.append(part)
        target = links.get("/".join(at))
        if target is not None:
            at.pop()
            left += _parts(target)
            followed += 1
            if followed > _MOST_LINKS:
                return False
    return True


def _parts(path: str) -> list[str]:
    """Return the parts of a path in reverse order."""
    return [part for part in path.split("/") if part not in ("", ".")][::-1]
