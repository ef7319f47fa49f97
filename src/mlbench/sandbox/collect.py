"""What an execution left behind in its jail: new and changed files, and the repository's files that are gone."""

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
"""Bounds of what is looked at: a candidate may leave as much as its sandbox lets it write."""
_SECONDS = 60.0
_MOST_OUTSIDE = 6 << 20  # bytes: Inspect's sandboxes hand out 10 MiB of text
_LONGEST_HEAD = 8 << 20


async def collect(jail: Jail, first: Iterable[str] = (), skip: Iterable[str] = (), since: int = 0) -> LeftBehind:
    """End every process in a jail and read what is there beyond the repository.

    A workspace that cannot be read counts as gone.

    Args:
        first: globs of absolute paths that are read before all others.
        skip: absolute paths that do not count: what we put there ourselves.
        since: nanoseconds by the clock inside; new files whose inodes have not changed later do not count.

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
    """As `collect`, in a sandbox that is no jail: what is there is named as if it stood in `/workspace`.

    Args:
        root: where the repository stands inside.
        pristine: where it stands unchanged, readable from inside.
        first, skip: globs and paths as a jail has them.

    Returns:
        What was left; None if it cannot be read.
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
    gone = tuple(path for path in map(inside, found.removed) if path in parts)  # links are not put into a sandbox
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
        raise SandboxUnavailableError(f"what an execution left cannot be read: {error}") from error
    return LeftBehind(tuple(files), tuple(head["removed"]), tuple(head["altered"]), tuple(head["faults"]))


@cache
def _collector() -> str:
    return Path(__file__).with_name("collector.py").read_text(encoding="utf-8")
