"""The settings: which documents of the repository a model is shown (ML-Bench, section 3; `readme`: v1's Raw README)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2

from mlbench.types import Sample, Setting, UsageError


@dataclass(frozen=True)
class Document:
    """A text that a model is shown, and where it stands in the repository."""

    path: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What is sent to a model."""

    system: str
    user: str


def oracle(sample: Sample, repository: Path) -> list[Document]:
    """The segment that a person would need, as recorded with the sample."""
    return [Document(_file_of(sample.oracle, repository), sample.oracle.rstrip())]


def readme(sample: Sample, repository: Path) -> list[Document]:
    """Every README of the repository: the root's first, then by depth and name."""
    return _readmes(repository)


SETTINGS: dict[Setting, Callable[[Sample, Path], list[Document]]] = {"oracle": oracle, "readme": readme}


def render(sample: Sample, repository: Path, name: str, setting: Setting) -> Prompt:
    """The prompt for a sample.

    Args:
        repository: its checkout.
        name: what the repository is called.
    """
    documents = SETTINGS[setting](sample, repository)
    fields = {
        "documents": documents,
        "repository": name,
        "path": sample.path,
        "prefix_code": sample.prefix_code,
        "instruction": sample.instruction,
        "type": sample.type,
    }
    return Prompt(_template("system").render(fields).strip(), _template("user").render(fields).strip())


def known_setting(name: str) -> Setting:
    """The setting of this name.

    Raises:
        UsageError: there is none.
    """
    for setting in SETTINGS:
        if setting == name:
            return setting
    raise UsageError(f"no setting {name!r}; there are: {', '.join(SETTINGS)}")


@cache
def _readmes(repository: Path) -> list[Document]:
    files = [file for file in repository.rglob("*") if file.name.lower().startswith("readme") and file.is_file()]
    files.sort(key=lambda file: (len(file.parts), file.as_posix()))
    return [
        Document(f.relative_to(repository).as_posix(), f.read_text(encoding="utf-8", errors="replace").rstrip())
        for f in files
    ]


@cache
def _file_of(segment: str, repository: Path) -> str:
    """The file of the repository in which a segment stands."""
    for suffix in ("*.md", "*.rst", "*.txt", "*"):
        for file in sorted(repository.rglob(suffix)):
            if file.is_file() and segment in file.read_text(encoding="utf-8", errors="replace"):
                return file.relative_to(repository).as_posix()
    return "documentation"


@cache
def _template(name: str) -> jinja2.Template:
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    return jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, autoescape=False).get_template(
        f"{name}.jinja"
    )
