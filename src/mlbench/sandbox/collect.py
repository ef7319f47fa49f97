"""Collect the files that an execution created, changed or removed in its jail."""

from __future__ import annotations

import base64
import binascii
import json
import posixpath
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment, SandboxUnavailableError

from mlbench.records import ExitKind, LeftBehind, OutputFile
from mlbench.repositories.checkout import files_of
from mlbench.sandbox.jail import HOME, WORKSPACE, Jail
from mlbench.sandbox.mounts import PRISTINE

MOST_FILES = 1000
MOST_BYTES = 48 << 20
"""Limits of what is read, because a candidate may write as much as its sandbox allows."""
_SECONDS = 60.0
_MOST_OUTSIDE = 6 << 20  # bytes: Inspect's sandboxes return at most 10 MiB of text
_LONGEST_HEAD = 8 << 20


async def collect(jail: Jail, first: Iterable[str] = (), skip: Iterable[str] = (), since: int = 0) -> LeftBehind:
    """End every process in a jail and read the files that are not the repository's.

    A workspace that cannot be read counts as removed.

    Args:
        jail: the jail of the execution.
        first: globs of absolute paths that are read before all others.
        skip: absolute paths to leave out, because we created them ourselves.
        since: nanoseconds of the clock inside; new files whose inodes did not change later are left out.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    await jail.clear()
    request = {
        "roots": [WORKSPACE, "/tmp", HOME],
        "workspace": WORKSPACE,
        "pristine": PRISTINE,
        "first": list(first),
        "skip": list(skip),
        "since": since,
        "files": MOST_FILES,
        "bytes": MOST_BYTES,
    }
    done, data = await jail.run(
        [jail.python, "-I", "-S", "-c", _collector()],
        stdin=json.dumps(request).encode(),
        cwd="/",
        seconds=_SECONDS,
        keep=MOST_BYTES + _LONGEST_HEAD,
    )
    if done.ending is not ExitKind.EXITED or done.exit_code:
        return LeftBehind(
            removed=(WORKSPACE,), faults=(f"what it left cannot be read: {done.stderr.strip()[-200:] or done.ending}",)
        )
    return _read(data)


async def collect_outside(
    sandbox: SandboxEnvironment, root: str, pristine: str, first: Iterable[str] = (), skip: Iterable[str] = ()
) -> LeftBehind | None:
    """Collect files in a sandbox that is not a jail; their paths are given as in `/workspace`.

    Args:
        root: folder of the repository inside.
        pristine: folder of the unchanged repository, readable from inside.
        first, skip: globs and paths as in a jail (see `collect`).

    Returns:
        The files; None if they cannot be read.
    """

    def outside(path: str) -> str:
        return posixpath.normpath(root + path.removeprefix(WORKSPACE)) if path.startswith(WORKSPACE) else path

    request = {
        "roots": [root],
        "workspace": root,
        "pristine": pristine,
        "first": [outside(path) for path in first],
        "skip": [outside(path) for path in skip],
        "since": 0,
        "files": MOST_FILES,
        "bytes": _MOST_OUTSIDE,
    }
    command = ["bash", "-c", 'set -o pipefail; python3 -I -S -c "$1" | base64 -w 0', "-", _collector()]
    try:
        done = await sandbox.exec(command, input=json.dumps(request), timeout=round(_SECONDS), timeout_retry=False)
        found = _read(base64.b64decode(done.stdout, validate=True)) if done.success else None
    except (TimeoutError, OutputLimitExceededError, SandboxUnavailableError, UnicodeDecodeError, binascii.Error):
        return None
    if found is None:
        return None

    def inside(path: str) -> str:
        return WORKSPACE + path.removeprefix(root)

    files = tuple(replace(file, path=inside(file.path)) for file in found.files)
    parts = {f"{WORKSPACE}/{file.relative_to(pristine).as_posix()}" for file in files_of(Path(pristine))}
    gone = tuple(path for path in map(inside, found.removed) if path in parts)  # links are not copied into a sandbox
    return LeftBehind(files, gone, tuple(map(inside, found.altered)), found.faults)


def _read(data: bytes) -> LeftBehind:
    try:
        line, _, rest = data.partition(b"\n")
        head = json.loads(line)
        files = []
        for each in head["files"]:
            kept, content = each["kept"], None
            if kept is not None:
                content, rest = rest[:kept], rest[kept:]
            files.append(OutputFile(str(each["path"]), int(each["size"]), content, str(each["fault"])))
    except (ValueError, KeyError, TypeError) as error:
        raise SandboxUnavailableError(f"the files that an execution left cannot be read: {error}") from error
    return LeftBehind(tuple(files), tuple(head["removed"]), tuple(head["altered"]), tuple(head["faults"]))


@cache
def _collector() -> str:
    return Path(__file__).with_name("collector.py").read_text(encoding="utf-8")
