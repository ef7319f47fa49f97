"""Checkouts of the catalogue in the cache: fetched once, verified against the pinned tree at each use."""

from __future__ import annotations

import json
import os
import posixpath
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlbench.atomic_write import new_folder, write_file
from mlbench.records import RunError, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.catalogue import Pinned, names, pinned
from mlbench.repositories.git import ENV, GitError, git
from mlbench.repositories.git_tree import FILE, LINK, PROGRAM, SUBMODULE, TreeEntry, blob_hash, entries_of, tree_hash


@dataclass(frozen=True)
class Checkout:
    """A verified checkout.

    Attributes:
        absent: files whose content the source lacks (large ones of a partial mirror), and links out of the tree.
    """

    folder: Path
    absent: tuple[str, ...] = ()


def fetch(entry: Pinned, mirror: Path | None = None) -> Checkout:
    """Return the checkout of a repository; fetch it if it is not in the cache.

    Args:
        entry: the repository and its commit.
        mirror: folder of clones, named OWNER+NAME/repo, OWNER+NAME, OWNER/NAME or NAME, bare or not; None fetches from
            the entry's URL (git's `insteadOf` applies).

    Raises:
        UsageError: the mirror has no clone of the repository.
        RunError: git is missing, the source cannot be reached or lacks the commit, or the cache cannot be written.
    """
    if _folder(entry).is_dir():
        try:
            return verified(entry)
        except RunError:  # changed since: fetch it again
            shutil.rmtree(_folder(entry))
    git_dir = _with_commit(clone_in(mirror, entry.url), entry) if mirror else _downloaded(entry)
    try:
        with new_folder(_folder(entry)) as folder:
            left = _write(git_dir, entry, folder)
            write_file(_manifest(entry), json.dumps({path: [e.mode, e.hash] for path, e in sorted(left.items())}))
    except OSError as error:
        raise RunError(f"{entry.name}: cannot write the checkout: {error.strerror}; MLBENCH_CACHE moves it") from error
    verified.cache_clear()
    return verified(entry)


@cache
def verified(entry: Pinned) -> Checkout:
    """Return the checkout in the cache after comparing it with the pinned tree.

    Raises:
        UsageError: the repository has not been fetched.
        RunError: the checkout differs from the pinned tree.
    """
    folder = _folder(entry)
    ours = entry.name in names() and pinned(entry.name) == entry
    again = f"`mlbench repos fetch {entry.name if ours else '--suite DIR'}`"
    if not is_here(entry):
        raise UsageError(f"the repository {entry.name} is not here yet: {again}")
    try:
        left = {path: TreeEntry(*about) for path, about in json.loads(_manifest(entry).read_text()).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise RunError(f"{_manifest(entry)} is damaged; {again} makes it anew") from error
    if tree_hash({**entries_of(folder), **left}) != entry.tree:
        raise RunError(f"{folder} is not {entry.full_name} at {entry.commit[:12]}; {again} makes it anew")
    return Checkout(folder, tuple(path for path, about in left.items() if about.mode != SUBMODULE))


def is_here(entry: Pinned) -> bool:
    """Return whether the cache holds a checkout; it is not verified."""
    return _folder(entry).is_dir() and _manifest(entry).is_file()


def stored_parts(entry: Pinned) -> tuple[Path, Path]:
    """Return a checkout's folder in the cache, and the file beside it that lists the parts it lacks.

    Both together, copied into `repositories/` of another cache, are a checkout there.

    Raises:
        UsageError, RunError: see `verified`.
    """
    return verified(entry).folder, _manifest(entry)


def state(entry: Pinned) -> str:
    """Return the state of a checkout: here, not here, changed, or here without some files."""
    try:
        absent = verified(entry).absent
    except UsageError:
        return "not here"
    except RunError:
        return "changed"
    return f"here, {len(absent)} lacking" if absent else "here"


def checkout_of(name: str) -> Path:
    """Return the folder of a verified checkout, by the repository's name in the catalogue.

    Raises:
        UsageError, RunError: see `verified`.
    """
    return verified(pinned(name)).folder


def _folder(entry: Pinned) -> Path:
    return cache_folder("repositories") / f"{entry.name}-{entry.commit[:12]}"


def _manifest(entry: Pinned) -> Path:
    """Return the file that lists the parts of the pinned tree that are not in the checkout."""
    return _folder(entry).with_suffix(".json")


def _downloaded(entry: Pinned) -> Path:
    """Return a stored bare clone that holds only the pinned commit, without history."""
    git_dir = cache_folder("git") / f"{entry.name}.git"
    if not (git_dir / "HEAD").is_file():
        _git("init", "--quiet", "--bare", str(git_dir), what=entry)
    if not _has(git_dir, entry.commit):
        _git("--git-dir", str(git_dir), "fetch", "--quiet", "--depth", "1", entry.url, entry.commit, what=entry)
    return git_dir


def clone_in(mirror: Path, url: str) -> Path:
    """Return the git folder of a repository in a folder of clones.

    Raises:
        UsageError: the folder does not exist or has no clone of the repository.
    """
    if not mirror.is_dir():
        raise UsageError(f"--mirror {mirror}: no such folder")
    owner, name = url.split("/")[-2:]
    places = [f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}", f"{owner}/{name}.git", name, f"{name}.git"]
    for place in places:
        for git_dir in (mirror / place / ".git", mirror / place):
            if (git_dir / "HEAD").is_file():
                return git_dir
    raise UsageError(f"{mirror} has no clone of {owner}/{name}; looked for {', '.join(places)}")


def _with_commit(git_dir: Path, entry: Pinned) -> Path:
    if not _has(git_dir, entry.commit):
        raise RunError(f"{git_dir} lacks the commit {entry.commit} of {entry.full_name}; fetch it there")
    return git_dir


def _has(git_dir: Path, commit: str) -> bool:
    try:
        git("--git-dir", str(git_dir), "cat-file", "-e", f"{commit}^{{tree}}")
    except GitError:
        return False
    return True


def _git(*words: str, what: Pinned) -> bytes:
    try:
        return git(*words)
    except GitError as error:
        raise RunError(f"{what.name}: {error}; without a network: --mirror DIR with clones") from error


def _write(git_dir: Path, entry: Pinned, target: Path) -> dict[str, TreeEntry]:
    """Write the pinned tree; return the entries that could not or must not be written."""
    where = ["--git-dir", str(git_dir)]
    rows = _git(*where, "ls-tree", "-rz", entry.commit, what=entry).split(b"\0")
    left: dict[str, TreeEntry] = {}
    with subprocess.Popen(
        ["git", *where, "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ENV},
    ) as batch:
        assert batch.stdin and batch.stdout
        for row in filter(None, rows):
            about, _, name = row.partition(b"\t")
            mode, _, known = about.decode().split()
            path = os.fsdecode(name)
            if mode not in (FILE, PROGRAM, LINK):
                left[path] = TreeEntry(mode, known)
                continue
            batch.stdin.write(known.encode() + b"\n")
            batch.stdin.flush()
            answer = batch.stdout.readline().split()
            content = None
            if len(answer) == 3:  # hash, kind, size
                content = batch.stdout.read(int(answer[2]))
                batch.stdout.read(1)
            if content is None or not _written(target, path, mode, content):
                left[path] = TreeEntry(mode, known)
            elif blob_hash(content) != known:
                raise RunError(f"{entry.name}: {path} is damaged in {git_dir}")
    return left


def _written(target: Path, path: str, mode: str, content: bytes) -> bool:
    """Write one file or link; refuse links that lead out of the tree, and paths in `.git`."""
    parts = path.split("/")
    if posixpath.isabs(path) or ".." in parts or ".git" in parts:
        return False
    file = target / path
    if mode == LINK:
        leads = posixpath.normpath(posixpath.join(posixpath.dirname(path), os.fsdecode(content)))
        if posixpath.isabs(leads) or leads == ".." or leads.startswith("../"):
            return False
    if file.parent.resolve() != target.resolve() / posixpath.dirname(path):  # its parent is behind a link
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    if mode == LINK:
        file.symlink_to(os.fsdecode(content))
    else:
        file.write_bytes(content)
        file.chmod(0o755 if mode == PROGRAM else 0o644)
    return True
