"""Checkouts of the catalogue: what is pinned and nothing else, from git itself or from a folder of clones."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.records import RunError, UsageError
from mlbench.repositories import catalogue
from mlbench.repositories.catalogue import Pinned, RepoSpec
from mlbench.repositories.fetch import fetch, state, verified


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    verified.cache_clear()
    yield
    verified.cache_clear()


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.check_output(["git", *who, *arguments], cwd=folder, text=True).strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a tree can hold: programs, folders that sort oddly, links, what Python left behind, a submodule."""
    folder = tmp_path / "clones" / "owner+name" / "repo"
    (folder / "a" / "b").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "a.py").write_text("print(1)\n")
    (folder / "a" / "b" / "é.txt").write_text("text\r\n")
    (folder / "a" / "__pycache__").mkdir()
    (folder / "a" / "__pycache__" / "x.pyc").write_bytes(b"\0")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "inside").symlink_to("a/b")
    (folder / "outside").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("a/../../x")
    (folder / "large.bin").write_bytes(b"large" * 1000)
    git(folder, "add", "-A")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},third_party/lib")
    git(folder, "commit", "--quiet", "-m", "all")
    return folder


def pin(clone: Path, **changes: str) -> Pinned:
    fields = {"commit": git(clone, "rev-parse", "HEAD"), "tree": git(clone, "rev-parse", "HEAD^{tree}"), **changes}
    url = "https://example.org/owner/name"
    about = {"domain": "d", "licence": "MIT", "environment": RepoSpec(python="3.11"), "files": 1, "bytes": 1}
    return Pinned.model_validate({"name": "name", "url": url, **about, **fields})


def test_a_checkout_is_the_pinned_tree(clone: Path, tmp_path: Path) -> None:
    found = fetch(pin(clone), tmp_path / "clones")
    assert (found.folder / "a" / "b" / "é.txt").read_bytes() == b"text\r\n"
    assert os.access(found.folder / "run.sh", os.X_OK) and not os.access(found.folder / "a.py", os.X_OK)
    assert (found.folder / "inside" / "é.txt").is_file()
    assert (found.folder / "a" / "__pycache__" / "x.pyc").is_file()
    assert found.absent == ("outside", "up")  # links that lead out are left out, and said
    assert not os.path.lexists(found.folder / "outside") and not (found.folder / ".git").exists()
    assert state(pin(clone)) == "here, 2 lacking"


def test_it_comes_by_gits_own_ways(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pin(clone)
    (clone / "a.py").write_text("print(2)\n")
    git(clone, "commit", "--quiet", "-am", "later")
    git(clone, "config", "uploadpack.allowAnySHA1InWant", "true")
    for number, (key, value) in enumerate([(f"url.file://{clone}.insteadOf", entry.url), ("safe.directory", "*")]):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    assert (fetch(entry).folder / "a.py").read_text() == "print(1)\n"
    assert fetch(entry) == verified(entry)  # a second time nothing is asked for


def test_a_blob_that_the_mirror_lacks_is_said_and_the_rest_is_there(clone: Path, tmp_path: Path) -> None:
    blob = git(clone, "rev-parse", "HEAD:large.bin")
    (clone / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = fetch(pin(clone), tmp_path / "clones")
    assert "large.bin" in found.absent and not (found.folder / "large.bin").exists()


@pytest.mark.parametrize("deed", ["content", "new", "gone", "mode", "link"])
def test_what_was_changed_is_refused_and_made_anew(clone: Path, tmp_path: Path, deed: str) -> None:
    entry = pin(clone)
    folder = fetch(entry, tmp_path / "clones").folder
    if deed == "content":
        (folder / "a.py").write_text("print(3)\n")
    elif deed == "new":
        (folder / "sitecustomize.py").touch()
    elif deed == "gone":
        (folder / "a.py").unlink()
    elif deed == "mode":
        (folder / "a.py").chmod(0o755)
    else:
        (folder / "inside").unlink()
        (folder / "inside").symlink_to("a")
    verified.cache_clear()
    assert state(entry) == "changed"
    with pytest.raises(RunError, match="is not owner/name at"):
        verified(entry)
    fetch(entry, tmp_path / "clones")
    assert state(entry).startswith("here")


def test_bad_input_is_said(clone: Path, tmp_path: Path) -> None:
    entry = pin(clone)
    with pytest.raises(UsageError, match="the repository name is not here yet: `mlbench repos fetch --suite DIR`"):
        verified(entry)
    with pytest.raises(UsageError, match="has no clone of owner/name; looked for owner\\+name/repo"):
        fetch(entry, tmp_path)
    with pytest.raises(RunError, match="lacks the commit"):
        fetch(pin(clone, commit="2" * 40), tmp_path / "clones")
    with pytest.raises(RunError, match="is not owner/name at"):
        fetch(pin(clone, tree="3" * 40), tmp_path / "clones")
    with pytest.raises(UsageError, match="no repository 'nothing' in the catalogue; it has: bert, dgl"):
        catalogue.pinned("nothing")


def test_the_catalogue_is_whole() -> None:
    entries = [catalogue.pinned(name) for name in catalogue.names()]
    assert len(entries) == 18
    assert len({entry.tree for entry in entries}) == len({entry.commit for entry in entries}) == 18


def test_every_entry_has_its_packages_locked_by_hash() -> None:
    for entry in (catalogue.pinned(name) for name in catalogue.names()):
        assert entry.lock is not None, entry.name
        text = entry.lock.read_text()
        locked = {line.partition("==")[0].lower().replace("_", "-") for line in text.splitlines() if "==" in line}
        wanted = {re.split(r"[<>=!]", package)[0].lower().replace("_", "-") for package in entry.environment.packages}
        assert wanted <= locked, entry.name
        assert text.count("--hash=sha256:") >= len(locked) and "://" not in text
