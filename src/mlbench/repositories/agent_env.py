"""Rebuild the environment of an agent from the names and versions of the packages that it installed.

Only these names are taken from the agent: files that it altered, added or compiled are not. Only wheels are installed,
so no code of a package runs on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from mlbench.records import RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.environments import environment_folder, make_environment, with_witness
from mlbench.repositories.uv_client import ONLY_WHEELS, run_uv

MOST_PACKAGES = 500
_DIST_INFO = re.compile(r"([A-Za-z0-9][A-Za-z0-9._]{0,99})-([A-Za-z0-9.!+_]{1,60})\.dist-info")
_MACHINE = re.compile(
    r"Failed to (?:fetch|download)|Network connectivity|error sending request|timed out|No space left|Permission denied"
)
"""Messages of uv that blame the machine or its network; all others blame the package."""

_SEEDS = {"pip"}


@dataclass(frozen=True, order=True)
class Pin:
    """A package and its version, in the spelling of an index."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt environment.

    Attributes:
        folder: its virtual environment.
        left_out: packages that are missing, because no index has wheels of them.
        earlier: packages in an earlier version, because the agent's version does not support this Python.
    """

    folder: Path
    left_out: tuple[Pin, ...] = ()
    earlier: tuple[Pin, ...] = ()


def pins_of(names: Iterable[str]) -> tuple[Pin, ...]:
    """Return the packages of an environment, from the names of the folders in its `site-packages`.

    Returns at most `MOST_PACKAGES`, sorted, with the highest of several versions. pip itself is left out.
    """
    highest: dict[str, Version] = {}
    for name in names:
        if found := _DIST_INFO.fullmatch(name):
            try:
                name, version = canonicalize_name(found[1]), Version(found[2].replace("_", "-"))
            except InvalidVersion:
                continue
            if name not in _SEEDS:
                highest[name] = max(version, highest.get(name, version))
    return tuple(Pin(name, str(highest[name])) for name in sorted(highest)[:MOST_PACKAGES])


def rebuilt(pins: Sequence[Pin], wheels: Sequence[Path] = (), earlier: Sequence[Pin] = ()) -> Rebuilt:
    """Build an environment of exactly these packages, once.

    Args:
        pins: the packages.
        wheels: wheel files for those of `pins` that the index has only as sources.
        earlier: those of `pins` whose newest earlier version is accepted.

    Raises:
        RunError: the index cannot be reached, or this machine cannot build it; quotes uv.
    """
    what = "the environment that the agent installed"
    names = [*map(str, sorted(pins)), *sorted(wheel.name for wheel in wheels), *map(_or_earlier, sorted(earlier))]
    target = environment_folder("\n".join(["wheels", *names]).encode())
    ours = {_name_of(wheel): wheel for wheel in wheels}

    def make(folder: Path) -> None:
        make_environment(folder, what)
        exact = [pin for pin in pins if pin.name not in ours and pin not in earlier]
        left_out = _install(what, folder, exact) + _install(what, folder, list(earlier), _or_earlier)
        if ours:
            run_uv(what, *_install_into(folder), *map(str, ours.values()))
        with_witness(folder)
        (folder / "left_out.txt").write_text("".join(f"{pin.name} {pin.version}\n" for pin in left_out))

    folder = built(target, make)
    lines = (folder / "left_out.txt").read_text().splitlines()
    left_out = tuple(Pin(*line.split()) for line in lines)
    return Rebuilt(folder, left_out, tuple(pin for pin in earlier if pin not in left_out))


def _install(what: str, folder: Path, pins: list[Pin], word: Callable[[Pin], str] = str) -> list[Pin]:
    """Install as many packages as possible and return the others; a list that fails is halved and tried again."""
    if not pins:
        return []
    try:
        run_uv(what, *_install_into(folder), *map(word, pins))
    except RunError as error:
        if _MACHINE.search(str(error)):
            raise
        if len(pins) == 1:
            return pins
        half = len(pins) // 2
        return [*_install(what, folder, pins[:half], word), *_install(what, folder, pins[half:], word)]
    return []


def _or_earlier(pin: Pin) -> str:
    return f"{pin.name}<={pin.version.partition('+')[0]}"


def _install_into(folder: Path) -> list[str]:
    options = ["--quiet", "--no-deps", *ONLY_WHEELS, "--compile-bytecode"]
    return ["pip", "install", *options, "--python", str(folder / "bin" / "python")]


def _name_of(wheel: Path) -> str:
    return canonicalize_name(wheel.name.split("-")[0])
