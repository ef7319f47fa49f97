"""Read what an agent left from a folder on the host, as another harness keeps it.

The folder is hostile: its files are read as data, and its links are never followed out of it.
"""

from __future__ import annotations

import filecmp
import io
import os
import re
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, overload

from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment
from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

from mlbench.records import UsageError
from mlbench.repositories.agent_env import Pin, pins_of
from mlbench.sandbox.mounts import WORKSPACE
from mlbench.sandbox.submission import LARGEST, Submission

_MOST_RAW = 2 << 30  # bytes of changed files, before they are packed
_MOST_ENTRIES = 200_000
_LONGEST = 20 << 20  # bytes of one file that is read, such as run.sh
_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})==([A-Za-z0-9.!+_-]{1,60})")
_SKIPPED = ".git"


@dataclass(frozen=True)
class SubmissionFolder:
    """A folder that an agent left: its workspace, and the list of packages that it installed.

    Attributes:
        workspace: the repository with the agent's changes, and `run.sh`.
        packages: file with the installed packages, a line each; None if nobody wrote them down.
    """

    workspace: Path
    packages: Path | None = None

    @classmethod
    def of(cls, folder: Path) -> SubmissionFolder:
        """Find the parts: `folder` is a workspace, or holds `workspace/` and perhaps `packages.txt`.

        Raises:
            UsageError: it is no folder.
        """
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder; name a workspace with a run.sh, or a folder with workspace/")
        inner, listed = folder / "workspace", folder / "packages.txt"
        if os.path.lexists(folder / "run.sh") or not inner.is_dir() or inner.is_symlink():
            return cls(folder)
        return cls(inner, listed if os.path.lexists(listed) else None)

    def submission(self, repository: Path, default: Path | None = None) -> Submission:
        """Return what differs from the repository, the packages, and `run.sh`.

        Args:
            repository: the pristine files.
            default: locked requirements to use if the folder has no list of packages.
        """
        script = read_inside(self.workspace, "run.sh")
        listed = read_inside(self.packages.parent, self.packages.name) if self.packages else None
        if self.packages is None and default is not None and default.is_file():
            listed = default.read_bytes()
        packages = packages_of((listed or b"").decode(errors="replace"))
        try:
            return Submission(script, packed_changes(self.workspace, repository), packages)
        except OutputLimitExceededError:
            return Submission(script, b"", packages, "it left more than 100 MiB (compressed) of files")
        except (OSError, tarfile.TarError) as error:
            return Submission(script, b"", packages, f"its files cannot be packed: {error}")


class FolderSandbox(SandboxEnvironment):
    """A workspace on the host as a sandbox of Inspect that can only be read."""

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self.workspace = workspace

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Return a file of the workspace, named as in a sandbox (`/workspace/…`).

        Raises:
            FileNotFoundError: there is no such file inside the workspace.
        """
        data = read_inside(self.workspace, os.path.relpath(os.path.normpath(file), WORKSPACE))
        if data is None:
            raise FileNotFoundError(file)
        return data.decode("utf-8") if text else data

    async def exec(self, *words: object, **options: object) -> ExecResult[str]:
        """Refuse: nothing runs in a folder of the host."""
        self._refuse()

    async def write_file(self, *words: object, **options: object) -> None:
        """Refuse: what an agent left stays as it is."""
        self._refuse()

    @classmethod
    async def sample_cleanup(cls, *words: object, **options: object) -> None:
        """Do nothing: the folder is the user's."""

    def _refuse(self) -> NoReturn:
        raise NotImplementedError("this sandbox is a folder that can only be read")


def read_inside(folder: Path, name: str) -> bytes | None:
    """Return a regular file below a folder; None if it is none, is too large, or a link leads out of the folder."""
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([root, path]) != root:
        return None
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_size > _LONGEST:
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as stream:
        return stream.read()


def packages_of(text: str) -> tuple[Pin, ...]:
    """Return the packages of a list: `NAME==VERSION` as pip writes it, or names of `.dist-info` folders.

    A line with a marker of another Python or system (`; python_version < "3.12"`) is left out.
    """
    names = []
    for line in text.splitlines():
        head, _, marker = line.removesuffix("\\").partition(";")
        word = head.split()[0] if head.split() else ""
        pinned = _PINNED.fullmatch(word)
        if pinned and not (marker.strip() and not _applies(marker)):
            names.append(f"{pinned[1].replace('-', '_')}-{pinned[2].replace('-', '_')}.dist-info")
        elif not pinned:
            names.append(word)
    return pins_of(names)


def _applies(marker: str) -> bool:
    try:
        return Marker(marker.strip()).evaluate()
    except (InvalidMarker, UndefinedEnvironmentName):
        return False


def packed_changes(workspace: Path, repository: Path) -> bytes:
    """Pack the files, links and empty folders of a workspace that the repository does not have in this form.

    Raises:
        OutputLimitExceededError: they are too large or too many.
        OSError, tarfile.TarError: they cannot be read.
    """
    buffer, raw = io.BytesIO(), 0
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for count, (path, size) in enumerate(_changed(workspace, repository)):
            raw += size
            if raw > _MOST_RAW or count >= _MOST_ENTRIES or buffer.tell() > LARGEST:
                raise OutputLimitExceededError("100 MiB", None)
            tar.add(path, os.path.relpath(path, workspace), recursive=False, filter=_plain)
    if buffer.tell() > LARGEST:
        raise OutputLimitExceededError("100 MiB", None)
    return buffer.getvalue()


def _changed(workspace: Path, repository: Path) -> Iterator[tuple[str, int]]:
    """Paths that differ from the repository's, with their sizes; devices and sockets are left out."""
    for folder, folders, files in os.walk(workspace):
        at = os.path.relpath(folder, workspace)
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if name not in linked and not (at == "." and name == _SKIPPED))
        if not folders and not files and not linked and not (repository / at).is_dir():
            yield folder, 0
        for name in sorted([*files, *linked]):
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            kept = stat.S_ISLNK(mode) or stat.S_ISREG(mode)
            if kept and not _same(path, repository / at / name):
                yield path, os.lstat(path).st_size


def _same(path: str, original: Path) -> bool:
    """Whether a file has the content of the original, or a link its target; a link is never followed."""
    if os.path.islink(path) or original.is_symlink():
        return os.path.islink(path) and original.is_symlink() and os.readlink(path) == os.readlink(original)
    return original.is_file() and filecmp.cmp(path, original, shallow=False)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Drop owners, and make every file readable for the one user of the jail."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = (member.mode & 0o777) | (0o700 if member.isdir() else 0o600)
    return member
