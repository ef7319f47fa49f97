"""Pin a repository that is not in the catalogue: find its current commit and make an entry of it."""

from __future__ import annotations

import re
import tempfile
from datetime import date
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.repositories.catalogue import Pinned, RepoSpec
from mlbench.repositories.fetch import clone_in
from mlbench.repositories.git import GitError, git

_URL = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]+?(?:\.git)?/?")
_LOGIN = re.compile(r"could not read (?:Username|Password)|Authentication failed|returned error: 40[134]|not found")


def is_url(text: str) -> bool:
    return "://" in text


def day_of(text: str) -> str:
    """Return a day as YYYY-MM-DD.

    Raises:
        UsageError: it is not a day in this form.
    """
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise UsageError(f"{text}: expected a date such as 2025-01-31") from error


def pin(url: str, revision: str = "HEAD", mirror: Path | None = None) -> Pinned:
    """Return an entry for a repository at the commit that a revision has now.

    Args:
        url: `https://HOST/OWNER/NAME`.
        revision: a branch, a tag, or a full commit hash.
        mirror: folder of clones to use instead of the network.

    Raises:
        UsageError: the URL has another form, or the revision or the clone does not exist.
        RunError: git is not installed, or the URL does not answer.
    """
    if not _URL.fullmatch(url):
        raise UsageError(f"{url}: expected an address such as https://github.com/OWNER/NAME, or a folder")
    url = url.rstrip("/").removesuffix(".git")
    name = url.rpartition("/")[2]
    if mirror is not None:
        return _entry(url, name, clone_in(mirror, url), revision)
    with tempfile.TemporaryDirectory(prefix="mlbench-pin-") as folder:
        git_dir = Path(folder)
        git("init", "--quiet", "--bare", folder)
        try:
            _git(git_dir, "fetch", "--quiet", "--depth", "1", "--filter=blob:none", url, revision)
        except GitError as error:
            if _LOGIN.search(str(error)):
                said = "it is private or does not exist; clone it with your login and name the folder"
                raise RunError(f"{url}: {said} ({error})") from error
            raise RunError(f"{url}: {error}; without a network: --mirror DIR with clones") from error
        return _entry(url, name, git_dir, "FETCH_HEAD")


def _entry(url: str, name: str, git_dir: Path, revision: str) -> Pinned:
    try:
        commit = _git(git_dir, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()
    except GitError as error:
        raise UsageError(f"{url}: no revision {revision!r}; name a branch, a tag or a commit") from error
    listed = [row.split(None, 4) for row in _git(git_dir, "ls-tree", "-r", commit).splitlines()]
    files = [row for row in listed if row[1] == "blob"]
    if not files:
        raise UsageError(f"{url}: holds no file at {commit[:12]}")
    return Pinned(
        name=name,
        url=url,
        commit=commit,
        tree=_git(git_dir, "rev-parse", f"{commit}^{{tree}}").strip(),
        domain="unknown",
        licence="unknown",
        environment=RepoSpec(python=">=3"),
        files=len(files),
        committed=_git(git_dir, "show", "--no-patch", "--format=%cs", commit).strip(),
    )


def _git(git_dir: Path, *words: str) -> str:
    return git("--git-dir", str(git_dir), *words).decode("utf-8", "replace")
