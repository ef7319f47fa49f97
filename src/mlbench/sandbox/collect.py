"""What an execution left behind in its jail: new and changed files, and the repository's files that are gone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from inspect_ai.util import SandboxUnavailableError

from mlbench.sandbox.jail import HOME, WORKSPACE, Jail
from mlbench.sandbox.view import PRISTINE
from mlbench.types import Ending, Outcome, OutputFile

MOST_FILES = 1000
MOST_BYTES = 48 << 20
"""Bounds of what is looked at: a candidate may leave as much as its sandbox lets it write."""
_SECONDS = 60.0
_LONGEST_HEAD = 8 << 20


async def collect(jail: Jail, first: Iterable[str] = (), skip: Iterable[str] = (), since: int = 0) -> Outcome:
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
    if done.ending is not Ending.EXITED or done.exit_code:
        return Outcome(
            removed=(WORKSPACE,), faults=(f"what it left cannot be read: {done.stderr.strip()[-200:] or done.ending}",)
        )
    return _read(data)


def _read(data: bytes) -> Outcome:
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
    return Outcome(tuple(files), tuple(head["removed"]), tuple(head["altered"]), tuple(head["faults"]))


@cache
def _collector() -> str:
    return Path(__file__).with_name("collector.py").read_text(encoding="utf-8")
