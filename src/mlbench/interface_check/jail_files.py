"""The files of a jail: those of the repository, and those that a text has written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path

from mlbench.interface_check.bash_trace import SCRIPT
from mlbench.records import ExitKind
from mlbench.sandbox.jail import WORKSPACE, Jail
from mlbench.sandbox.mounts import PRISTINE

_MOST_WRITTEN = 10_000
_MOST_LISTED = 4 << 20  # bytes
_MOST_FOLDERS = 10_000
_MOST_LINKS = 40
_LIST = f"""
for place in {WORKSPACE} /home /tmp /dev/shm; do
  /usr/bin/find $place -not -type d -newerct "$1" -printf '%p\\0%T@\\0%C@\\0%y%l\\0'
done | while IFS= read -r -d '' path && IFS= read -r -d '' time && IFS= read -r -d '' at \\
    && IFS= read -r -d '' kind; do
  was={PRISTINE}${{path#{WORKSPACE}}} what=new
  if [[ $kind == l* ]]; then what="->${{kind:1}}"
  elif [[ $path == {WORKSPACE}/* && -f $was ]]; then
    what=changed
    [[ $kind == f ]] && /usr/bin/cmp -s -- "$path" "$was" && what=same
  fi
  printf '%s\\0%s\\0%s\\0%s\\0' "$path" "$time" "$at" "$what"
done"""


@dataclass(frozen=True)
class JailFiles:
    """The files of a jail that shows a repository.

    Attributes:
        repository: the repository on the host, only read.
        written: files that a text wrote, as absolute paths in the jail. The value is `new`, the target of a link
            (`->PATH`), or `changed` if the repository has another file of this name.
        changed_at: time of the last change of each file, in seconds since the epoch.
        complete: whether all written files are known.
    """

    repository: Path
    written: Mapping[str, str] = field(default_factory=dict)
    changed_at: Mapping[str, float] = field(default_factory=dict)
    complete: bool = True

    def changed_after(self, seconds: float) -> tuple[str, ...]:
        """The files that were written or changed after this time (seconds since the epoch)."""
        return tuple(path for path, at in self.changed_at.items() if at > seconds)

    def real(self, path: str) -> str:
        """Resolve the links of an absolute path of the jail, as the kernel does."""
        todo, at, links = path.split("/")[::-1], "", 0
        while todo:
            part = todo.pop()
            if part == "..":
                at = at.rpartition("/")[0]
            elif part not in ("", "."):
                link = self._link(f"{at}/{part}") if links < _MOST_LINKS else ""
                links += bool(link)
                at = ("" if link.startswith("/") else at) if link else f"{at}/{part}"
                todo += link.split("/")[::-1] if link else []
        return at or "/"

    def inside(self, path: str, cwd: str = WORKSPACE) -> str | None:
        """A path relative to the repository's root, with links resolved; None if it leads out."""
        whole = self.real(os.path.join(cwd, path))
        if whole == WORKSPACE:
            return "."
        return whole.removeprefix(f"{WORKSPACE}/") if whole.startswith(f"{WORKSPACE}/") else None

    @property
    def changed_code(self) -> str:
        """The first Python file of the repository that was changed, relative to its root; empty if none was."""
        changed = (path for path, kind in self.written.items() if kind == "changed" and path.endswith(".py"))
        return next(changed, "").removeprefix(f"{WORKSPACE}/")

    def _link(self, path: str) -> str:
        """The target of a link of the jail, as written; empty if the path is no link."""
        if kind := self.written.get(path):
            return kind.removeprefix("->") if kind.startswith("->") else ""
        if not path.startswith(f"{WORKSPACE}/"):
            return ""
        there = self._root + path.removeprefix(WORKSPACE)
        return os.readlink(there) if os.path.islink(there) else ""

    @cached_property
    def _root(self) -> str:
        return str(self.repository)


async def written_since(jail: Jail, repository: Path, since: float, *, restores: bool = True) -> JailFiles:
    """Find the files that were written or changed in a jail since a time, at most 10,000.

    Args:
        jail: the jail.
        repository: the same repository on the host.
        since: seconds since the epoch.
        restores: the text may restore a file with its old time. Then a file that equals the repository's counts as
            changed, because it may have been different in between.
    """
    words = ["/bin/bash", "-c", _LIST, "bash", f"@{since - 0.02:.3f}"]
    done, listed = await jail.run(words, seconds=10.0, keep=_MOST_LISTED)
    fields = [os.fsdecode(name) for name in listed.split(b"\0")]
    found, times = {}, {}
    listed_files = zip(*(fields[at::4] for at in range(4)), strict=False)
    all_files = sorted(listed_files)
    for path, changed, at, kind in all_files[:_MOST_WRITTEN]:
        if path.endswith(f"/{SCRIPT}") or (kind == "same" and not restores and float(changed) < since - 0.02):
            continue
        found[path] = "changed" if kind == "same" else kind
        times[path] = float(at)
    complete = done.ending is ExitKind.EXITED and not done.dropped_bytes and len(all_files) <= _MOST_WRITTEN
    return JailFiles(repository, found, times, complete)


@lru_cache(maxsize=64)
def nearest(repository: Path, ending: str) -> str:
    """The file nearest to the repository's root whose path has this ending; empty if there is none."""
    name = ending.rpartition("/")[2]
    if not name or len(name) > 255:
        return ""
    found = []
    for folder, folders, files in islice(os.walk(repository), _MOST_FOLDERS):
        folders[:] = [one for one in folders if not one.startswith(".")]
        if name in files:
            path = Path(folder, name).relative_to(repository).as_posix()
            if f"/{path}".endswith(f"/{ending}"):
                found.append(path)
    return min(found, key=lambda path: (path.count("/"), path), default="")


def first_line(file: Path) -> str:
    """Read at most 200 bytes of a file's first line; empty if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.readline(200).decode(errors="replace")
    except OSError:
        return ""
