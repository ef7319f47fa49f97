"""What an agent left in its sandbox, and its trial in a fresh one. All of it is hostile: it is never unpacked here.

The tools that look are the system's, found in folders that an agent cannot write.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment

from mlbench.records import Execution, ExitKind
from mlbench.repositories.agent_env import Pin, pins_of
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.collect import collect
from mlbench.sandbox.execute import CLAIMS, absent
from mlbench.sandbox.jail import ENVIRONMENT, WORKSPACE, Jail

RUN_SCRIPT = f"{WORKSPACE}/run.sh"
_SYSTEM = {"PATH": "/usr/bin:/bin", "LD_PRELOAD": "", "LD_LIBRARY_PATH": ""}
_SECONDS = 120
LARGEST = 100 << 20
"""Bytes of packed files that are carried."""
_ARCHIVE = "/tmp/.mlbench-left.tgz"
_PACK_TO = f"""
cd {WORKSPACE} && umask 077
find . -newerct "$1" \\( -type f -o -type l -o -type d -empty \\) ! -path './.git/*' -print0 |
    tar --null --no-recursion -T - -c --warning=no-file-changed | gzip -1 | {{target}}
"""
_PACK = f"rm -rf {_ARCHIVE}\n" + _PACK_TO.format(target=f"cat > {_ARCHIVE}")
_LIST = f"""
cd {ENVIRONMENT}/lib || exit 0
for folder in python*/site-packages/*.dist-info; do basename "$folder"; done | head -n 2000
"""
_UNPACK = ["/bin/tar", "--extract", "--gzip", "--file=-", "--no-same-owner", "--directory", WORKSPACE]


@dataclass(frozen=True)
class Submission:
    """What an agent left: its `run.sh` (None where there is none), the changed files as a `.tgz`, its packages.

    `fault` says why the changes could not be packed; `archive` is then empty.
    """

    script: bytes | None
    archive: bytes = b""
    packages: tuple[Pin, ...] = ()
    fault: str = ""


async def clock(box: SandboxEnvironment) -> str:
    """The time inside, as `Submission` needs it: what is changed later than this is what the agent did."""
    seen = await box.exec(["/bin/sh", "-c", "date -u +'%Y-%m-%d %H:%M:%S.%N UTC'"], env=_SYSTEM, timeout=_SECONDS)
    return seen.stdout.strip()


async def left(box: SandboxEnvironment, since: str) -> Submission:
    """Look at what is there.

    The time at which an inode changed cannot be set by who works inside. What was removed is not noticed.

    Args:
        since: what `clock` said before the agent began.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    script = await _script(box)
    names = await box.exec(["/bin/sh", "-c", _LIST], env=_SYSTEM, timeout=_SECONDS)
    packages = pins_of(names.stdout.split())
    try:
        packed = await box.exec(
            ["/bin/bash", "-o", "pipefail", "-c", _PACK, "pack", since], env=_SYSTEM, timeout=_SECONDS
        )
        if not packed.success:
            return Submission(script, b"", packages, f"its files cannot be packed: {packed.stderr.strip()[-300:]}")
        return Submission(script, await box.read_file(_ARCHIVE, text=False), packages)
    except OutputLimitExceededError:
        return Submission(script, b"", packages, "it left more than 100 MiB (compressed) of files")
    except (TimeoutError, OSError) as error:
        return Submission(script, b"", packages, f"its files cannot be packed: {error}")


async def _script(box: SandboxEnvironment) -> bytes | None:
    try:
        return await box.read_file(RUN_SCRIPT, text=False)
    except OutputLimitExceededError:
        return b""
    except (OSError, TimeoutError):
        return None


async def file_left(box: SandboxEnvironment, path: str) -> bytes | None:
    """A file of the workspace as the agent left it; None where there is none, or none of a size to look at."""
    try:
        return await box.read_file(f"{WORKSPACE}/{path}", text=False)
    except (OSError, TimeoutError, OutputLimitExceededError):
        return None


async def trial(
    place: BubblewrapConfig,
    archive: bytes,
    script: bytes,
    answer: tuple[str, bytes] | None = None,
    artefacts: Sequence[str] = (),
    folder: str = ".",
    outputs: Sequence[str] | None = None,
    claims: bool = False,
) -> Execution:
    """Run a `run.sh` in a fresh jail, witnessed, after what the agent left has been put into it.

    Args:
        place: the jail; its time limit is the trial's.
        script: what is run in place of the `run.sh` in the archive.
        answer: the agent's own Python file that a row wants, with its contents.
        artefacts: globs, from `folder` of the workspace, of what has to be there where the time limit ends it.
        outputs, claims: as in `candidates.execute`; what was there before the trial is not what it left.

    Raises:
        SandboxUnavailableError: the sandbox failed, not what ran in it.
    """
    jail = await Jail.start(place.mounts(), place.limits, dict(place.env))
    try:
        if fault := await unpack(jail, archive):
            return Execution(ExitKind.EXITED, 1, 0.0, stderr=fault)
        write = f"rm -rf {RUN_SCRIPT}; cat > {RUN_SCRIPT} && stat -c %.9Z {RUN_SCRIPT}"
        written, _ = await jail.run(["/bin/sh", "-c", write], stdin=script, env=_SYSTEM, seconds=_SECONDS)
        since = int(written.stdout.strip().replace(".", "") or 0)  # kept here: the script may remove or change itself
        seconds = place.limits.seconds
        env = {"MLBENCH_CLAIMS": CLAIMS} if claims else {}
        execution, _ = await jail.run(["bash", "run.sh"], env=env, seconds=seconds, witnessed=True, answer=answer)
        if artefacts and execution.ending is ExitKind.TIMEOUT:
            execution = replace(execution, absent=await absent(jail, artefacts, f"{WORKSPACE}/{folder}"))
        if outputs is not None and execution.ending is not ExitKind.MEMORY:
            first = [*outputs, f"{CLAIMS}/*"]
            execution = replace(execution, outcome=await collect(jail, first, [RUN_SCRIPT], since))
        return execution
    finally:
        await jail.close()


async def unpack(jail: Jail, archive: bytes) -> str:
    """Put packed files into a workspace. Why that cannot be, in a line; empty where it can."""
    if not archive:
        return ""
    done, _ = await jail.run(_UNPACK, stdin=archive, env=_SYSTEM, seconds=_SECONDS)
    return f"its files cannot be unpacked: {done.stderr.strip()[-300:]}" if done.exit_code else ""


async def pack(jail: Jail, files: Sequence[str]) -> bytes:
    """Those of some files of a workspace that are there, packed. Every other process in it is ended before.

    Empty where they cannot be packed, or are more than can be carried.
    """
    await jail.clear()
    there = (
        'for file; do [ -e "$file" ] || [ -L "$file" ] && printf "%s\\0" "$file"; done | tar --null -T - -c | gzip -1'
    )
    command = ["/bin/bash", "-c", there, "pack", *files]
    done, data = await jail.run(command, env=_SYSTEM, seconds=_SECONDS, keep=LARGEST)
    return b"" if done.dropped_bytes else data


async def clock_of(jail: Jail) -> str:
    """As `clock`, of a jail."""
    done, _ = await jail.run(["/bin/date", "-u", "+%Y-%m-%d %H:%M:%S.%N UTC"], env=_SYSTEM)
    return done.stdout.strip()


async def pack_changes(jail: Jail, since: str) -> bytes:
    """What changed in a workspace since `clock_of`, packed. Every other process in it is ended before.

    Empty where it cannot be packed, or is more than can be carried.
    """
    await jail.clear()
    command = ["/bin/bash", "-o", "pipefail", "-c", _PACK_TO.format(target="cat"), "pack", since]
    done, data = await jail.run(command, env=_SYSTEM, seconds=_SECONDS, keep=LARGEST)
    return b"" if done.dropped_bytes else data


def packed_folder(folder: Path) -> bytes:
    """A folder of ours, as `pack` would pack it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(folder, ".")
    return buffer.getvalue()
