"""The parser kit: libraries that parse command lines, for programs whose environment is not installed.

The kit is a folder, not an environment. It is last on the module search path, so the program's own modules come first.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import mlbench.interface_check.runtime
from mlbench.records import RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.uv_client import run_uv

_without: set[Path] = set()
"""Interpreters for which no kit can be built."""
LOCK = Path(mlbench.interface_check.runtime.__file__).with_name("requirements.txt")


def parser_kit(python: Path | None = None) -> Path:
    """Return the folder of parser libraries for an interpreter, built once per version and lock.

    Args:
        python: an interpreter; None for the one that runs mlbench.

    Raises:
        RunError: it cannot be built. The message has uv's error.
    """
    version = _version(python)
    key = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    target = cache_folder("parsers") / f"{key}-{platform.machine()}-{version}"
    # not only wheels: one package of this package's own list, whose content is locked by hash, has none
    install = ["pip", "install", "--quiet", "--require-hashes", "--compile-bytecode", "-r", str(LOCK)]

    def make(folder: Path) -> None:
        where = ["--python", str(python or sys.executable), "--target", str(folder)]
        run_uv("the parser kit", *install, *where)
        shutil.rmtree(folder / "bin", ignore_errors=True)

    return built(target, make)


def spare_kit(python: Path) -> Path | None:
    """Return the kit for an environment; None if none can be built for its interpreter."""
    if python not in _without:
        try:
            return parser_kit(python)
        except (RunError, OSError):
            _without.add(python)
    return None


def _version(python: Path | None) -> str:
    """The version of an interpreter, such as `3.11.7`."""
    if python is None or python.resolve() == Path(sys.executable).resolve():
        return platform.python_version()
    command = [str(python), "-I", "-S", "-c", "import platform; print(platform.python_version())"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"cannot build the parser kit: {python} does not start")
    return done.stdout.strip()
