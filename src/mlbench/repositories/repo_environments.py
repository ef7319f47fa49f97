"""Environments in which the programs of real repositories run without a GPU: one for each repository.

An environment is built from a complete, hash-locked list of packages. Its files are hard links to uv's cache, so that
packages which several environments share are stored once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from mlbench.records import RunError
from mlbench.repositories import seeded_imports
from mlbench.repositories.build_once import built
from mlbench.repositories.environments import environment_folder, make_environment, with_witness
from mlbench.repositories.uv_client import ONLY_WHEELS, NoWheelError, run_uv

CPU_BUILDS = "https://download.pytorch.org/whl/cpu/torch/"
"""PyTorch's page of wheels without CUDA, which PyPI does not have."""
_SEEDS = Path(str(seeded_imports.__file__))


WheelBuilder = Callable[[str], Path | None]
"""Builds the wheel of a locked requirement without running its code outside of a sandbox; None if it cannot."""


def repo_environment(lock: Path, build: WheelBuilder | None = None, seeded: bool = True) -> Path:
    """Return the environment of a lock, built once per Python and lock.

    Args:
        lock: the locked requirements.
        build: builds packages that have no wheel; None to refuse them.
        seeded: whether libraries that draw random numbers are seeded when they are loaded.

    Raises:
        NoWheelError: a package has no wheel, and none can be built.
        RunError: a package cannot be had for this platform; quotes uv.
    """
    what = f"the environment of {lock.name.removesuffix('.cpu.txt')}"

    def make(folder: Path) -> None:
        make_environment(folder, what)
        built_here = _install(what, folder, lock, build)
        if built_here:
            run_uv(what, *_words(folder), "--no-deps", *map(str, built_here))
        with_witness(folder)
        if seeded:
            _with_seeds(folder)

    return built(repo_environment_folder(lock, seeded), make)


def _install(what: str, folder: Path, lock: Path, build: WheelBuilder | None) -> list[Path]:
    """Install what has wheels; return the wheels that were built for the rest."""
    wanted = requirements(lock.read_text(encoding="utf-8"))
    wheels: list[Path] = []
    while True:
        try:
            with tempfile.NamedTemporaryFile("w", prefix="mlbench-", suffix=".txt", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in wanted))
                file.flush()
                _from_index(what, *_words(folder), "--no-deps", "--require-hashes", "-r", file.name)
            return wheels
        except NoWheelError as error:
            pin = f"{error.name}=={error.version}"
            line = next((line for line in wanted if line.split()[0] == pin), None)
            wheel = build(line) if build and line else None
            if wheel is None or line is None:
                raise
            wanted.remove(line)
            wheels.append(wheel)


def _words(folder: Path) -> list[str]:
    options = ["--quiet", *ONLY_WHEELS, "--link-mode", "hardlink", "--compile-bytecode"]
    return ["pip", "install", *options, "--python", str(folder / "bin" / "python")]


def _from_index(what: str, *words: str) -> None:
    """Install from the index, or, if it lacks a package, from PyTorch's wheels without CUDA too."""
    try:
        run_uv(what, *words)
    except RunError as error:
        try:
            run_uv(what, *words, "--find-links", CPU_BUILDS)
        except NoWheelError:
            raise
        except RunError:
            raise error from None


def requirements(lock: str) -> list[str]:
    """Return each requirement of a lock with its hashes on one line."""
    lines = lock.replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip() and not line.lstrip().startswith("#")]


def repo_environment_folder(lock: Path, seeded: bool = True) -> Path:
    """Return where the environment of a lock is, or will be."""
    return environment_folder(b"cpu\0" + (_SEEDS.read_bytes() if seeded else b"") + b"\0" + lock.read_bytes())


def is_installed(lock: Path) -> bool:
    """Return whether the environment of a lock is built."""
    return repo_environment_folder(lock).is_dir()


def own_bytes(folder: Path, seen: set[int] | None = None) -> int:
    """Return the bytes of a folder's files.

    Args:
        folder: the folder.
        seen: inodes that were counted before; a file with several names is counted once.
    """
    seen = set() if seen is None else seen
    size = 0
    for root, _, files in os.walk(folder):
        for name in files:
            about = os.lstat(os.path.join(root, name))
            if about.st_ino not in seen:
                seen.add(about.st_ino)
                size += about.st_size
    return size


def _with_seeds(folder: Path) -> None:
    """Make this environment's Python seed the libraries that draw random numbers."""
    (packages,) = (folder / "lib").glob("python*/site-packages")
    shutil.copyfile(_SEEDS, packages / "mlbench_seeds.py")
    (packages / "mlbench_seeds.pth").write_text("import mlbench_seeds\n")
