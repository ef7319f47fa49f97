"""Writes the copy of a repository in which names are others."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from mlbench.atomic_write import SCRATCH, write_file
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.checkout import link_or_copy
from mlbench.repositories.git_tree import entries_of, tree_hash
from mlbench.repositories.renamed import renamed_folder
from mlbench.suites.twin_file import RenamedRepository
from mlbench.twins.repo_texts import RepoTexts
from mlbench.twins.rewrite import Rewriter


def rename_in_place(folder: Path, repo: RepoTexts, rewriter: Rewriter) -> dict[str, str]:
    """Rewrite a copy of a repository; returns the new path of each file that is called otherwise.

    Args:
        folder: the copy; files that change are replaced, never written to, because they may be hard links.
        repo: the texts of the original.
        rewriter: what is written instead.
    """
    moved = {path: new for path in sorted(repo.paths) if (new := rewriter.path(path)) != path}
    for path, text in repo.texts.items():
        new = rewriter.file(path, text) if rewriter.touches(repo.words_of[path]) else text
        if new == text:
            continue
        file = folder / path
        write_file(file, new.encode(), mode=file.stat().st_mode & 0o777)
    for path, new in moved.items():
        (folder / path).rename(folder / new)
    return moved


def renamed_in_cache(name: str, source: Path, repo: RepoTexts, rewriter: Rewriter) -> RenamedRepository:
    """A renamed copy of a checkout in the cache, in a folder named after its content.

    Files that do not change are hard links.

    Args:
        name: the repository's name.
        source: its checkout.
        repo: the texts of the checkout.
        rewriter: what is written instead.

    Raises:
        OSError: the cache cannot be written.
    """
    scratch = Path(tempfile.mkdtemp(dir=cache_folder("twins"), prefix=SCRATCH))
    try:
        shutil.copytree(source, scratch, symlinks=True, copy_function=link_or_copy, dirs_exist_ok=True)
        moved = rename_in_place(scratch, repo, rewriter)
        tree = tree_hash(entries_of(scratch))
        target = renamed_folder(name, tree)
        if not target.is_dir():
            scratch.chmod(0o755)
            scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return RenamedRepository(names=dict(rewriter.names), files=moved, tree=tree)
