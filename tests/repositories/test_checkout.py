"""Checkouts are verified copies; a damaged one is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import RunError
from mlbench.repositories.checkout import checkout, tree_hash
from mlbench.repositories.environments import console_scripts


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_checkout_is_a_copy_named_after_its_hash(repository: Path) -> None:
    (repository / "run.sh").write_text("echo\n")
    (repository / "run.sh").chmod(0o755)
    copy = checkout(repository)
    assert copy.name == f"repository-{tree_hash(repository)[:16]}"
    assert tree_hash(copy) == tree_hash(repository)
    assert (copy / "run.sh").stat().st_mode & 0o111
    assert checkout(repository) == copy


def test_a_damaged_checkout_is_made_anew(repository: Path) -> None:
    copy = checkout(repository)
    (copy / "data.txt").write_text("tampered\n")
    assert (checkout(repository) / "data.txt").read_text() == "original\n"


@pytest.mark.parametrize("change", ["contents", "name", "mode", "extra"])
def test_the_hash_sees_every_change(repository: Path, change: str) -> None:
    before = tree_hash(repository)
    file = repository / "data.txt"
    match change:
        case "contents":
            file.write_text("other\n")
        case "name":
            file.rename(repository / "renamed.txt")
        case "mode":
            file.chmod(0o755)
        case "extra":
            (repository / "more").touch()
    assert tree_hash(repository) != before


def test_what_python_leaves_behind_is_not_part_of_a_repository(repository: Path) -> None:
    before = tree_hash(repository)
    (repository / "__pycache__").mkdir()
    (repository / "__pycache__" / "x.pyc").touch()
    (repository / "link").symlink_to("/etc/passwd")
    assert tree_hash(repository) == before
    assert not (checkout(repository) / "link").exists()


def test_a_cache_that_cannot_be_written_is_said(repository: Path, cache: Path) -> None:
    (cache / "checkouts").mkdir(parents=True)
    (cache / "checkouts" / f"repository-{tree_hash(repository)[:16]}").write_text("a file in the way")
    with pytest.raises(RunError, match="cannot write the checkout .*; MLBENCH_CACHE moves the cache"):
        checkout(repository)


def test_console_scripts_are_those_that_the_repository_declares(repository: Path) -> None:
    assert console_scripts(repository) is None
    (repository / "pyproject.toml").write_text('[project]\nname="x"\n[project.scripts]\nloom = "pkg.cli:main"\n')
    folder = console_scripts(repository)
    assert folder is not None
    assert [file.name for file in folder.iterdir()] == ["loom"]
    assert "from pkg.cli import main" in (folder / "loom").read_text()
    assert (folder / "loom").stat().st_mode & 0o111
