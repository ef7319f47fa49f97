"""The environment that an agent made for itself, built anew from the names and versions of what it installed.

Nothing of the agent's is taken over but these names: what it altered, planted or compiled stays behind. Only wheels are
installed, so that no code of a package runs on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from mlbench.repositories.building import built, run_uv
from mlbench.repositories.environments import environment_folder, make_environment, with_witness
from mlbench.types import RunError

MOST_PACKAGES = 500
_DIST_INFO = re.compile(r"([A-Za-z0-9][A-Za-z0-9._]{0,99})-([A-Za-z0-9.!+_]{1,60})\.dist-info")
_NOT_THERE = ("was not found in the package registry", "there is no version", "no wheels", "No solution found", "only ")
_SEEDS = {"pip"}


@dataclass(frozen=True, order=True)
class Pin:
    """A package and its version, as an index knows them."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Rebuilt:
    """The folder of an environment, and the packages that no index has as wheels: those are not in it."""

    folder: Path
    left_out: tuple[Pin, ...] = ()


def pins_of(names: Iterable[str]) -> tuple[Pin, ...]:
    """The packages of an environment from the names of the folders in its `site-packages`; other names are ignored.

    At most `MOST_PACKAGES`, sorted; pip itself is in every environment and no package of the agent's.
    """
    pins = set()
    for name in names:
        if found := _DIST_INFO.fullmatch(name):
            try:
                pin = Pin(canonicalize_name(found[1]), str(Version(found[2].replace("_", "-"))))
            except InvalidVersion:
                continue
            if pin.name not in _SEEDS:
                pins.add(pin)
    return tuple(sorted(pins)[:MOST_PACKAGES])


def rebuilt(pins: Sequence[Pin], wheels: Sequence[Path] = ()) -> Rebuilt:
    """An environment of just these packages, built once.

    Args:
        wheels: files for packages that the index does not have as wheels; each is of one of `pins`.

    Raises:
        RunError: the index cannot be reached, or the machine cannot build it; says what uv said.
    """
    what = "the environment that the agent installed"
    names = [*map(str, sorted(pins)), *sorted(wheel.name for wheel in wheels)]
    target = environment_folder("\n".join(["wheels", *names]).encode())
    ours = {_name_of(wheel): wheel for wheel in wheels}

    def make(folder: Path) -> None:
        make_environment(folder, what)
        left_out = _install(what, folder, [pin for pin in pins if pin.name not in ours])
        if ours:
            run_uv(what, *_install_into(folder), *map(str, ours.values()))
        with_witness(folder)
        (folder / "left_out.txt").write_text("".join(f"{pin.name} {pin.version}\n" for pin in left_out))

    folder = built(target, make)
    lines = (folder / "left_out.txt").read_text().splitlines()
    return Rebuilt(folder, tuple(Pin(*line.split()) for line in lines))


def _install(what: str, folder: Path, pins: list[Pin]) -> list[Pin]:
    """Install what can be had; the others are returned. All at once is fast, one by one finds who is to blame."""
    if not pins:
        return []
    try:
        run_uv(what, *_install_into(folder), *map(str, pins))
    except RunError as error:
        if not any(sign in str(error) for sign in _NOT_THERE):
            raise
        if len(pins) == 1:
            return pins
        half = len(pins) // 2
        return [*_install(what, folder, pins[:half]), *_install(what, folder, pins[half:])]
    return []


def _install_into(folder: Path) -> list[str]:
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--compile-bytecode"]
    return ["pip", "install", *options, "--python", str(folder / "bin" / "python")]


def _name_of(wheel: Path) -> str:
    return canonicalize_name(wheel.name.split("-")[0])
