"""File actions: list, read, write, append, copy, undo, inspect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from mlbench.evals.mlagentbench.actions.observations import (
    SHOWN,
    ActionError,
    ActionFault,
    Observation,
    named,
)
from mlbench.evals.mlagentbench.actions.sample_state import SampleState
from mlbench.evals.mlagentbench.actions.workspace_files import file_at, names_in
from mlbench.truncate import head_and_tail

Action = Callable[..., Awaitable[Observation]]
Here = Callable[[], Awaitable[SampleState]]
"""Returns the state of the running sample."""

MOST_LINES = 100
"""Lines that are shown at once, as published."""

_READ = 1 << 20
_NAMES = 300


def file_actions(here: Here) -> list[Action]:
    """Return the actions on the files of the running sample's workspace."""

    async def list_files(dir_path: str = ".") -> Observation:
        """List the files of a folder, folders with a slash at the end, with their sizes in bytes.

        Args:
            dir_path: the folder, from the workspace's root; `.` is the root itself.
        """
        found = await names_in((await here()).jail, dir_path or ".")
        lines = [f"{named(each.name)}/" if each.kind == "d" else f"{named(each.name)} ({each.size})" for each in found]
        more = [f"... and {len(lines) - _NAMES} more"] if len(lines) > _NAMES else []
        return Observation("\n".join([*lines[:_NAMES], *more]) or "the folder is empty")

    async def read_file(file_name: str) -> Observation:
        """Read a file. Of a long one, head and tail are shown; Inspect Script Lines shows the lines between.

        Args:
            file_name: the file, from the workspace's root.
        """
        return Observation(head_and_tail(await text_of(await here(), file_name), SHOWN) or "the file is empty")

    async def write_file(file_name: str, content: str) -> Observation:
        """Write a file; what was in it before is replaced. Undo Edit Script undoes it.

        Args:
            file_name: the file, from the workspace's root; folders on its way are made.
            content: the whole contents.
        """
        await (await here()).undo.write(file_name, encoded(content))
        return Observation(f"{named(file_name)} is written")

    async def append_file(file_name: str, content: str) -> Observation:
        """Append to a file; it is made where it is not there. Undo Edit Script undoes it.

        Args:
            file_name: the file, from the workspace's root.
            content: what is put at its end, as it is: no line end is added.
        """
        await (await here()).undo.write(file_name, encoded(content), append=True)
        return Observation(f"{named(file_name)} is written")

    async def copy_file(source: str, destination: str) -> Observation:
        """Copy a file. Undo Edit Script, with the destination, undoes it.

        Args:
            source: the file to copy, from the workspace's root.
            destination: the name of the copy; a file there is replaced.
        """
        await (await here()).undo.copy(source, destination)
        return Observation(f"{named(source)} is copied to {named(destination)}")

    async def undo_edit_script(script_name: str) -> Observation:
        """Undo the last edit that an action made of a file; again, the one before.

        Args:
            script_name: the file, from the workspace's root.
        """
        table = await here()
        left = await table.undo.back(script_name)
        try:
            now = head_and_tail(await text_of(table, script_name), SHOWN)
        except ActionError:
            return Observation(f"the edit is undone: {named(script_name)} is not there any more")
        return Observation(f"the edit is undone ({left} more can be); {named(script_name)} is now:\n{now}")

    async def inspect_script_lines(script_name: str, start_line_number: int, end_line_number: int) -> Observation:
        """Show some lines of a file, at most 100.

        Args:
            script_name: the file, from the workspace's root.
            start_line_number: the first line to show; the first of the file is 1.
            end_line_number: the last line to show.
        """
        lines = (await text_of(await here(), script_name)).splitlines()
        first, last = line_range(start_line_number, end_line_number, len(lines))
        if last - first >= MOST_LINES:
            raise ActionError(
                ActionFault.INVALID_INPUT, f"{last - first + 1} lines are too many: at most {MOST_LINES} are shown"
            )
        shown = "\n".join(f"{number:5d} {lines[number - 1]}" for number in range(first, last + 1))
        return Observation(f"lines {first} to {last} of {len(lines)}:\n{head_and_tail(shown, SHOWN)}")

    return [list_files, read_file, write_file, append_file, copy_file, undo_edit_script, inspect_script_lines]


async def text_of(table: SampleState, name: str) -> str:
    """Read a text file of at most 1 MiB.

    Raises:
        ActionError: there is no such file, it is larger, or it is not text.
    """
    found = await file_at(table.jail, name, _READ)
    content = found.content or b""
    if b"\0" in content[:8000]:
        raise ActionError(ActionFault.CANNOT, f"{named(name)} is not a text file ({found.size} bytes)")
    if found.size > _READ:
        left = f"\n[... of {found.size} bytes, these are the first {_READ} ...]"
        return content.decode(errors="replace") + left
    return content.decode(errors="replace")


def line_range(first: int, last: int, there: int) -> tuple[int, int]:
    """Return the first and last line that a range names, counted from 1, both included.

    Args:
        first: the requested first line.
        last: the requested last line.
        there: lines of the file.

    Raises:
        ActionError: the file has no such lines.
    """
    first, last = max(first, 1), min(last, there)
    if last < first:
        raise ActionError(ActionFault.INVALID_INPUT, f"there are no such lines: the file has {there}, counted from 1")
    return first, last


def encoded(text: str) -> bytes:
    """Encode text as UTF-8; halves of surrogate pairs, which a model can write, are kept."""
    return text.encode(errors="surrogatepass")
