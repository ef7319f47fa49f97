"""Earlier versions of edited files, kept outside the sandbox."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault, named
from mlbench.evals.mlagentbench.actions.workspace_files import FileMatch, copy, file_at, look, remove, write
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import MIB

LARGEST = 16 * MIB
"""Bytes of the largest file that can be restored."""

MOST = 256 * MIB
"""Bytes kept for one sample; the oldest versions are dropped first."""


@dataclass(frozen=True)
class Version:
    """A file before an edit.

    Attributes:
        content: None if the file did not exist.
        kept: whether it can be restored; false if it was too large.
    """

    path: str
    content: bytes | None
    kept: bool = True


@dataclass
class Undo:
    """The edits of one sample, in order."""

    jail: Jail
    _versions: defaultdict[str, list[Version]] = field(default_factory=lambda: defaultdict(list))
    _order: list[str] = field(default_factory=list)

    async def write(self, name: str, content: bytes, append: bool = False) -> FileMatch:
        """Write a file so that the edit can be undone. Return what was there.

        Raises:
            ActionError: as `workspace_files.write`.
        """
        before = await look(self.jail, name, LARGEST)
        await self._try(before, write(self.jail, before.path, content, append))
        return before

    async def copy(self, source: str, name: str) -> FileMatch:
        """Copy a file so that the edit can be undone. Return what was there.

        Raises:
            ActionError: as `workspace_files.copy`.
        """
        original = await file_at(self.jail, source, 0)
        before = await look(self.jail, name, LARGEST)
        await self._try(before, copy(self.jail, original, before.path))
        return before

    async def back(self, name: str) -> int:
        """Undo the last edit of a file. Return how many more can be undone.

        Raises:
            ActionError: there is none, or the file was too large to be kept.
        """
        path = (await look(self.jail, name, 0)).path
        if not self._versions[path]:
            raise ActionError(ActionFault.INVALID_INPUT, f"no edit of {named(name)} is left to undo")
        version = self._versions[path][-1]
        if not version.kept:
            raise ActionError(
                ActionFault.CANNOT, f"{named(name)} was larger than {LARGEST // MIB} MiB: it was not kept"
            )
        await self._put(version)
        self._versions[path].pop()
        self._order.reverse()
        self._order.remove(path)
        self._order.reverse()
        return len(self._versions[path])

    async def _try(self, before: FileMatch, edit: Coroutine[Any, Any, None]) -> None:
        """Do an edit; if it fails half-way, as on a full disk, restore the file."""
        version = Version(before.path, before.content, before.size <= LARGEST)
        try:
            await edit
        except ActionError as refused:
            if refused.fault is ActionFault.CANNOT and version.kept and before.kind in "f-":
                with contextlib.suppress(ActionError):
                    await self._put(version)
            raise
        self._versions[version.path].append(version)
        self._order.append(version.path)
        self._forget()

    async def _put(self, version: Version) -> None:
        if version.content is None:
            await remove(self.jail, version.path)
        else:
            await write(self.jail, version.path, version.content)

    def _forget(self) -> None:
        """Drop the oldest versions if all together are too large."""
        size = sum(len(each.content or b"") for versions in self._versions.values() for each in versions)
        while size > MOST:
            oldest = self._versions[self._order.pop(0)].pop(0)
            size -= len(oldest.content or b"")
