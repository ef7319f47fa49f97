"""The catalogue of real repositories: one YAML file each, pinned to a commit.

What enters: the name of a repository. What leaves: its URL, commit, tree hash and requirements.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from mlbench.records import UsageError

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
_FOLDER = Path(__file__).parent


class RepoSpec(BaseModel):
    """Requirements for running a repository's programs; the interface check does not need them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    python: str
    packages: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    weights: str = ""
    data: str = ""
    gpu: bool = False


class Pinned(BaseModel):
    """One repository at one commit.

    Attributes:
        tree: git's hash of the tree; a checkout with another hash is refused.
        documents: globs of its documentation.
        committed: the day of the commit, YYYY-MM-DD; empty if it is not known.
        files, bytes: size of a complete checkout; 0 bytes if it is not known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    url: Annotated[str, StringConstraints(pattern=r"^https://[\w.-]+/[\w.-]+/[\w.-]+$")]
    commit: Hash
    tree: Hash
    domain: str
    licence: str
    documents: tuple[str, ...] = ("**/*.md", "**/*.rst")
    environment: RepoSpec
    committed: str = ""
    files: int = Field(gt=0)
    bytes: int = Field(default=0, ge=0)

    @property
    def full_name(self) -> str:
        """OWNER/NAME."""
        return "/".join(self.url.split("/")[-2:])

    @property
    def lock(self) -> Path | None:
        """File of the locked packages with hashes, for Linux on x86-64; None if they are not locked."""
        return _lock(f"{self.name}.txt")

    @property
    def cpu_lock(self) -> Path | None:
        """File of locked packages with which its programs run without a GPU, complete; None if there is none."""
        return _lock(f"{self.name}.cpu.txt")


def _lock(name: str) -> Path | None:
    file = _FOLDER / "locks" / name
    return file if file.is_file() else None


def names() -> list[str]:
    """Return the names of all repositories, sorted without regard to case."""
    return sorted((file.stem for file in _FOLDER.glob("*.yaml")), key=str.lower)


@cache
def pinned(name: str) -> Pinned:
    """Return the entry of this name.

    Raises:
        UsageError: there is no such entry, or its file is malformed.
    """
    if name not in names():
        raise UsageError(f"no repository {name!r} in the catalogue; it has: {', '.join(names())}")
    return read_entry(_FOLDER / f"{name}.yaml")


def read_entry(file: Path) -> Pinned:
    """Read the entry in a file; the file's name is the entry's name.

    Raises:
        UsageError: the file does not exist or is malformed.
    """
    try:
        return Pinned.model_validate({"name": file.stem, **yaml.safe_load(file.read_text(encoding="utf-8"))})
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, TypeError, ValidationError) as error:
        raise UsageError(f"{file}: {' '.join(str(error).split())[:300]}") from error


def write_entry(entry: Pinned, file: Path) -> None:
    """Write an entry to a file in the format of the catalogue.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    fields = entry.model_dump(mode="json", exclude={"name"}, exclude_defaults=True)
    file.write_text(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True), encoding="utf-8")
