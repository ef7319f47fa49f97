"""Environments in which the programs of real repositories run without a GPU: one for each repository.

An environment is built from a complete, hash-locked list of packages. Its files are hard links to uv's cache, so that
packages which several environments share are stored once.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mlbench.records import RunError
from mlbench.repositories import seeded_imports
from mlbench.repositories.build_once import built
from mlbench.repositories.environments import environment_folder, make_environment, with_witness
from mlbench.repositories.uv_client import run_uv

CPU_BUILDS = "https://download.pytorch.org/whl/cpu/torch/"
"""PyTorch's page of wheels without CUDA, which PyPI does not have."""
_SEEDS = Path(str(seeded_imports.__file__))


def repo_environment(lock: Path) -> Path:
    """Return the environment of a lock, built once per Python and lock.

    Raises:
        RunError: a package cannot be had for this platform; quotes uv.
    """
    what = f"the environment of {lock.name.removesuffix('.cpu.txt')}"

    def make(folder: Path) -> None:
        make_environment(folder, what)
        options = ["--quiet", "--no-deps", "--require-hashes", "--link-mode", "hardlink", "--compile-bytecode"]
        words = ["pip", "install", *options, "--python", str(folder / "bin" / "python"), "-r", str(lock)]
        try:
            run_uv(what, *words)
        except RunError as error:
            try:
                run_uv(what, *words, "--find-links", CPU_BUILDS)
            except RunError:
                raise error from None
        with_witness(folder)
        _with_seeds(folder)

    return built(repo_environment_folder(lock), make)


def repo_environment_folder(lock: Path) -> Path:
    """Return where the environment of a lock is, or will be."""
    return environment_folder(b"cpu\0" + _SEEDS.read_bytes() + b"\0" + lock.read_bytes())


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
