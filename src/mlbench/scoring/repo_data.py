"""Small data for the programs of a repository, made once by its script and laid over the checkout.

A suite's file `recipes/NAME/make_data.py` is called with the checkout and an empty folder. What it writes there are
files by their path in the repository, below `home/` by their path in the user's home, and below `root/` by their
absolute path. It runs in a jail, so its content is not trusted either.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspect_ai.util import SandboxUnavailableError

from mlbench.records import ExitKind, RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.checkout import link_or_copy
from mlbench.sandbox.archives import extract_tar
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.mounts import WORKSPACE
from mlbench.sandbox.preflight import why_not
from mlbench.sandbox.runtime import RunSetup

_SCRIPT = "/opt/data/make_data.py"
_MAKE = f"mkdir /tmp/made && python {_SCRIPT} {WORKSPACE} /tmp/made >&2 && exec tar -C /tmp/made -cf - ."
_SECONDS = 300.0
_MOST_BYTES = 64 * MIB
_SYSTEM = frozenset(
    [
        "bin",
        "dev",
        "etc",
        "home",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "opt",
        "proc",
        "sbin",
        "sys",
        "tmp",
        "usr",
        "var",
        "workspace",
    ]
)


def run_setup(checkout: Path, environment: Path, script: Path) -> RunSetup:
    """Return where answers for a repository run: its environment, and its checkout with data.

    Args:
        checkout: the verified checkout.
        environment: the repository's environment.
        script: the script that makes the data; it need not exist.

    Raises:
        RunError: the script fails, or what it makes cannot be laid over the checkout.
    """
    if not script.is_file():
        return RunSetup(environment, checkout)
    digest = hashlib.sha256(b"\0".join([checkout.name.encode(), environment.name.encode(), script.read_bytes()]))
    key = f"{checkout.name}-{digest.hexdigest()[:12]}"
    made = built(cache_folder("data") / key, lambda folder: _make(folder, checkout, environment, script))
    home, root = made / "home", made / "root"
    together = built(cache_folder("checkouts") / key, lambda folder: _overlay(checkout, made, folder))
    shown = [(str(entry), f"/{entry.name}") for entry in sorted(root.iterdir())] if root.is_dir() else []
    if system := [place for _, place in shown if place.removeprefix("/") in _SYSTEM]:
        raise RunError(f"{script}: it makes {', '.join(system)} below root/, but each sandbox has its own")
    return RunSetup(environment, together, home if home.is_dir() else None, tuple(shown))


def _make(folder: Path, checkout: Path, environment: Path, script: Path) -> None:
    async def run() -> bytes:
        if reason := await why_not():
            raise RunError(reason)
        mounts = Mounts(checkout, environment, shown=((script, _SCRIPT),))
        jail = await Jail.start(mounts, Limits(seconds=_SECONDS), {"PYTHONHASHSEED": "0"})
        try:
            execution, printed = await jail.run(["/bin/bash", "-c", _MAKE], seconds=_SECONDS, keep=None)
        finally:
            await jail.close()
        if execution.ending is not ExitKind.EXITED or execution.exit_code:
            words = (execution.stderr.strip().splitlines() or [f"ended by {execution.ending}"])[-1][:300]
            raise RunError(f"{script} failed: {words}; run it by hand: python make_data.py CHECKOUT FOLDER")
        return printed

    try:
        with ThreadPoolExecutor(1) as own_loop:  # the caller may be inside of a loop
            archive = own_loop.submit(asyncio.run, run()).result()
    except SandboxUnavailableError as error:
        raise RunError(f"{script} cannot be run on this machine: {error}") from error
    extract_tar(io.BytesIO(archive), folder, _MOST_BYTES)


def _overlay(checkout: Path, made: Path, folder: Path) -> None:
    """Fill a folder with hard links to a checkout's files and the made ones; made files come first."""
    shutil.copytree(checkout, folder, symlinks=True, copy_function=link_or_copy, dirs_exist_ok=True)
    for file in sorted(path for path in made.rglob("*") if path.is_file() and not path.is_symlink()):
        path = file.relative_to(made)
        if path.parts[0] in ("home", "root"):
            continue
        target = folder / path
        if any((folder / parent).is_symlink() for parent in path.parents):
            raise RunError(f"{made.name}: {path} lies behind a link of the repository")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        link_or_copy(str(file), str(target))
