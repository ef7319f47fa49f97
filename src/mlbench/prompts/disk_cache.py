"""A cache on disk of what is computed from a repository, keyed by a hash of its content."""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from mlbench.records import RunError
from mlbench.repositories import documents
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.git_tree import entries_of, tree_hash

T = TypeVar("T")

_SUMS = "sums.json"
_ASIDE = {".git", "__pycache__"}
_TRIES = 3


def kept(kind: str, repository: Path, facts: object, make: Callable[[Path], None], load: Callable[[Path], T]) -> T:
    """Load what `make` wrote into the cache, now or in an earlier run.

    Damaged entries are made again.

    Args:
        kind: the cache's subfolder.
        repository: its checkout.
        facts: what else the result depends on, JSON-serialisable.
        make: fills an empty folder.
        load: reads a folder whose files are as they were written.

    Raises:
        RunError: the cache cannot be written.
    """
    key = hashlib.sha256(json.dumps([content_of(repository), facts, sources()], sort_keys=True).encode()).hexdigest()
    for _ in range(_TRIES):
        try:
            target = cache_folder("prompts", kind) / f"{repository.name}-{key[:16]}"
            folder = built(target, lambda scratch: _sealed(scratch, make))
        except OSError as error:
            raise RunError(
                f"cannot write {cache_folder() / 'prompts'}: {error.strerror}; MLBENCH_CACHE moves the cache"
            ) from error
        if _whole(folder):
            try:
                return load(folder)
            except FileNotFoundError:  # another process found it damaged and removed it
                continue
        shutil.rmtree(folder, ignore_errors=True)
    raise RunError(f"{target} was damaged repeatedly; check the disk, or move the cache with MLBENCH_CACHE")


@cache
def content_of(repository: Path) -> str:
    """A key of a folder's content: a verified checkout's name, or a hash of its files."""
    if repository.parent == cache_folder("checkouts"):
        return repository.name
    if repository.parent == cache_folder("repositories"):  # the manifest beside it lists files that a mirror lacked
        manifest = repository.with_suffix(".json")
        return f"{repository.name}-{zlib.crc32(manifest.read_bytes()) if manifest.is_file() else 0:08x}"
    entries = entries_of(repository).items()
    return tree_hash({path: entry for path, entry in entries if not _ASIDE & set(path.split("/"))})


@cache
def sources() -> str:
    """A hash of the code that makes cache entries; other versions do not share them."""
    digest = hashlib.sha256()
    for file in (*sorted(Path(__file__).parent.glob("*.py")), Path(documents.__file__)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _sealed(folder: Path, make: Callable[[Path], None]) -> None:
    make(folder)
    (folder / _SUMS).write_text(json.dumps({file.name: _sum(file) for file in sorted(folder.iterdir())}))


def _whole(folder: Path) -> bool:
    try:
        sums = json.loads((folder / _SUMS).read_text())
        return isinstance(sums, dict) and all(_sum(folder / name) == wanted for name, wanted in sums.items())
    except (OSError, ValueError):
        return False


def _sum(file: Path) -> list[int]:
    data = file.read_bytes()
    return [len(data), zlib.crc32(data)]
