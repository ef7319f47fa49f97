"""The catalogue: real repositories by name, each pinned to a commit (one YAML file each)."""

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
    """What a repository wants so that its programs can do their work; the interface check needs none of it."""

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
        tree: git's hash of everything in it; a checkout that does not have it is refused.
        documents: globs of its documentation.
        files, bytes: how much a complete checkout holds; 0 bytes where nobody has counted.
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
    files: int = Field(gt=0)
    bytes: int = Field(default=0, ge=0)

    @property
    def full_name(self) -> str:
        """OWNER/NAME."""
        return "/".join(self.url.split("/")[-2:])

    @property
    def lock(self) -> Path | None:
        """Its packages by name, version and hash, for Linux on x86-64; None where nobody has locked them."""
        file = _FOLDER / "locks" / f"{self.name}.txt"
        return file if file.is_file() else None


def names() -> list[str]:
    """Every repository of the catalogue, without regard to case."""
    return sorted((file.stem for file in _FOLDER.glob("*.yaml")), key=str.lower)


@cache
def pinned(name: str) -> Pinned:
    """The entry of this name.

    Raises:
        UsageError: there is none, or it is malformed.
    """
    if name not in names():
        raise UsageError(f"no repository {name!r} in the catalogue; it has: {', '.join(names())}")
    return read_entry(_FOLDER / f"{name}.yaml")


def read_entry(file: Path) -> Pinned:
    """The entry in a file, which bears its name.

    Raises:
        UsageError: there is no such file, or it is malformed.
    """
    try:
        return Pinned.model_validate({"name": file.stem, **yaml.safe_load(file.read_text(encoding="utf-8"))})
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except (yaml.YAMLError, TypeError, ValidationError) as error:
        raise UsageError(f"{file}: {' '.join(str(error).split())[:300]}") from error


def write_entry(entry: Pinned, file: Path) -> None:
    """Write an entry as one of a catalogue's files.

    Raises:
        OSError: it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    fields = entry.model_dump(mode="json", exclude={"name"}, exclude_defaults=True)
    file.write_text(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True), encoding="utf-8")
