"""Collect an agent's submission, and run it in a fresh sandbox. It is hostile and never unpacked on the host.

Submissions are collected with the system's tools, from folders that an agent cannot write.
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
"""Largest size of the packed files, in bytes."""
_ARCHIVE = "/tmp/.mlbench-left.tgz"
_PACK_TO = f"""
cd {WORKSPACE} && umask 077
find . -newerct "$1" \\( -type f -o -type l -o -type d -empty \\) \\
    ! -path './.git/*' ! -path '*/__pycache__/*' ! -name __pycache__ -print0 |
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
    """An agent's submission.

    Attributes:
        script: content of `run.sh`; None if there is none.
        archive: changed files as a `.tgz`; empty if they could not be packed.
        packages: packages that the agent installed.
        fault: why the changes could not be packed; empty if they could.
    """

    script: bytes | None
    archive: bytes = b""
    packages: tuple[Pin, ...] = ()
    fault: str = ""


async def clock(box: SandboxEnvironment) -> str:
    """Return the time inside; files that change later were changed by the agent.

    The kernel marks files with the time of its last tick, up to 10 ms ago. So the agent begins two ticks later.
    """
    told = "date -u +'%Y-%m-%d %H:%M:%S.%N UTC'; sleep 0.02"
    seen = await box.exec(["/bin/sh", "-c", told], env=_SYSTEM, timeout=_SECONDS)
    return seen.stdout.strip()


async def left(box: SandboxEnvironment, since: str) -> Submission:
    """Collect the submission of an agent.

    An agent cannot set the time at which an inode changed. Removed files are not noticed.

    Args:
        box: the agent's sandbox.
        since: result of `clock` before the agent began.

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
    """Return a file of the workspace; None if it does not exist or is too large."""
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
    """Unpack a submission in a fresh jail, and run its `run.sh` there with a trace.

    Args:
        place: the sandbox's specification; its time limit applies to the run.
        script: script that replaces the `run.sh` of the archive.
        answer: path and content of the agent's Python file, for a row that asks for one.
        artefacts: globs, relative to `folder`, of files that must exist if the time limit ends the run.
        outputs, claims: see `execute.execute`; files that existed before the run are not collected.

    Raises:
        SandboxUnavailableError: the sandbox failed, not what ran in it.
    """
    jail = await Jail.start(place.mounts(), place.limits, dict(place.env))
    try:
        if fault := await unpack(jail, archive):
            return Execution(ExitKind.EXITED, 1, 0.0, stderr=fault)
        write = f"rm -rf {RUN_SCRIPT}; cat > {RUN_SCRIPT} && stat -c %.9Z {RUN_SCRIPT}"
        written, _ = await jail.run(["/bin/sh", "-c", write], stdin=script, env=_SYSTEM, seconds=_SECONDS)
        since = int(written.stdout.strip().replace(".", "") or 0)  # read before the script can change it
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
    """Unpack files in a workspace; return why that failed in one line, or an empty string."""
    if not archive:
        return ""
    done, _ = await jail.run(_UNPACK, stdin=archive, env=_SYSTEM, seconds=_SECONDS)
    return f"its files cannot be unpacked: {done.stderr.strip()[-300:]}" if done.exit_code else ""


async def pack(jail: Jail, files: Sequence[str], clear: bool = True) -> bytes:
    """Pack the files of a list that exist in a workspace.

    Args:
        jail: of the workspace.
        files: their names.
        clear: whether all other processes are ended first.

    Returns:
        The archive; empty if the files cannot be packed or are too large.
    """
    if clear:
        await jail.clear()
    there = (
        'for file; do [ -e "$file" ] || [ -L "$file" ] && printf "%s\\0" "$file"; done | tar --null -T - -c | gzip -1'
    )
    command = ["/bin/bash", "-c", there, "pack", *files]
    done, data = await jail.run(command, env=_SYSTEM, seconds=_SECONDS, keep=LARGEST)
    return b"" if done.dropped_bytes else data


async def clock_of(jail: Jail) -> str:
    """Return the time inside a jail; see `clock`."""
    done, _ = await jail.run(["/bin/date", "-u", "+%Y-%m-%d %H:%M:%S.%N UTC"], env=_SYSTEM)
    return done.stdout.strip()


async def pack_changes(jail: Jail, since: str, clear: bool = True) -> bytes:
    """Pack the files of a workspace that changed since `clock_of`.

    Args:
        jail: of the workspace.
        since: the sandbox's time.
        clear: whether all other processes are ended first.

    Returns:
        The archive; empty if the files cannot be packed or are too large.
    """
    if clear:
        await jail.clear()
    command = ["/bin/bash", "-o", "pipefail", "-c", _PACK_TO.format(target="cat"), "pack", since]
    done, data = await jail.run(command, env=_SYSTEM, seconds=_SECONDS, keep=LARGEST)
    return b"" if done.dropped_bytes else data


def packed_folder(folder: Path) -> bytes:
    """Pack a trusted folder of the host in the format of `pack`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(folder, ".")
    return buffer.getvalue()
