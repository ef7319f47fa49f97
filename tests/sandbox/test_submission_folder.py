"""Folders that another harness left: what is carried over, and what a hostile folder cannot do."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.sandbox.submission_folder import FolderSandbox, SubmissionFolder, packages_of, packed_changes


@pytest.fixture
def workspace(tmp_path: Path, repository: Path) -> Path:
    """A copy of `repository` with a run.sh and a file of the agent's own."""
    folder = tmp_path / "left" / "workspace"
    (folder / "own" / "empty").mkdir(parents=True)
    (folder / "data.txt").write_bytes((repository / "data.txt").read_bytes())
    (folder / "own" / "new.txt").write_text("new\n")
    (folder / "run.sh").write_text("echo hello\n")
    return folder


def names(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return sorted(tar.getnames())


def test_only_what_the_repository_does_not_have_is_packed(workspace: Path, repository: Path) -> None:
    assert names(packed_changes(workspace, repository)) == ["own/empty", "own/new.txt", "run.sh"]
    (workspace / "data.txt").write_text("changed!\n")
    (workspace / ".git").mkdir()
    (workspace / ".git" / "config").write_text("")
    assert names(packed_changes(workspace, repository)) == ["data.txt", "own/empty", "own/new.txt", "run.sh"]


def test_links_are_carried_as_links_and_devices_not_at_all(workspace: Path, repository: Path) -> None:
    (workspace / "secret").symlink_to("/etc/passwd")
    (workspace / "folder").symlink_to("/etc")
    os.mkfifo(workspace / "pipe")
    archive = packed_changes(workspace, repository)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert {each.name for each in tar if each.issym()} == {"secret", "folder"}
    assert "pipe" not in names(archive)


def test_a_link_of_the_repository_is_no_change(workspace: Path, repository: Path) -> None:
    """Links of a repository were packed as changes of the agent, even if they led where the repository's lead."""
    for name, target in (("same", "data.txt"), ("other", "data.txt"), ("file", "data.txt")):
        (repository / name).symlink_to(target)
    (workspace / "same").symlink_to("data.txt")
    (workspace / "other").symlink_to("own/new.txt")
    (workspace / "file").write_bytes((repository / "data.txt").read_bytes())
    assert names(packed_changes(workspace, repository)) == ["file", "other", "own/empty", "own/new.txt", "run.sh"]


def test_a_link_out_of_the_folder_is_not_read(workspace: Path, repository: Path) -> None:
    (workspace / "run.sh").unlink()
    (workspace / "run.sh").symlink_to("/etc/hostname")
    (workspace.parent / "packages.txt").symlink_to("/etc/passwd")
    submission = SubmissionFolder.of(workspace.parent).submission(repository)
    assert submission.script is None
    assert submission.packages == ()


@pytest.mark.anyio
async def test_the_folder_as_a_sandbox_can_only_be_read(workspace: Path) -> None:
    box = FolderSandbox(workspace)
    assert await box.read_file("/workspace/own/new.txt") == "new\n"
    for name in ("/workspace/../../../etc/passwd", "/etc/passwd", "/workspace/own"):
        with pytest.raises(FileNotFoundError):
            await box.read_file(name, text=False)
    with pytest.raises(NotImplementedError):
        await box.exec(["true"])


def test_packages_are_read_in_the_words_of_pip_and_as_folders() -> None:
    text = "numpy==2.1.0 \\\n    --hash=sha256:00\nscikit_learn-1.5.0.dist-info\n-e git+https://x\npip==25.0\n# x\n"
    assert [str(pin) for pin in packages_of(text)] == ["numpy==2.1.0", "scikit-learn==1.5.0"]


def test_a_package_for_another_python_is_left_out() -> None:
    """A lock names numpy twice; the higher version was taken although this Python cannot have it."""
    text = "numpy==9.9.0 ; python_full_version < '3'\nnumpy==2.1.0 ; python_full_version >= '3' \\\nx==1 ; nonsense\n"
    assert [str(pin) for pin in packages_of(text)] == ["numpy==2.1.0"]


def test_the_suites_packages_are_used_only_if_nobody_wrote_a_list(
    workspace: Path, repository: Path, tmp_path: Path
) -> None:
    (locked := tmp_path / "requirements.txt").write_text("numpy==2.1.0\n")
    of = SubmissionFolder.of(workspace.parent)
    assert [str(pin) for pin in of.submission(repository, locked).packages] == ["numpy==2.1.0"]
    (workspace.parent / "packages.txt").write_text("")
    assert SubmissionFolder.of(workspace.parent).submission(repository, locked).packages == ()


def test_a_folder_with_a_run_script_is_the_workspace_itself(workspace: Path) -> None:
    assert SubmissionFolder.of(workspace).workspace == workspace
    assert SubmissionFolder.of(workspace.parent).workspace == workspace
    (workspace / "workspace").mkdir()
    assert SubmissionFolder.of(workspace).workspace == workspace
    with pytest.raises(UsageError, match="no such folder"):
        SubmissionFolder.of(workspace / "absent")
