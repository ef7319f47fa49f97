"""What an execution left behind in its jail, whatever it put there."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from inspect_ai.util import ExecResult, SandboxEnvironment

from mlbench.records import LeftBehind
from mlbench.sandbox import collect as collecting
from mlbench.sandbox.collect import collect, collect_outside
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits

pytestmark = pytest.mark.anyio


async def left(repository: Path, code: str, marked: bool = False) -> LeftBehind:
    jail = await Jail.start(Mounts(repository), Limits(seconds=10))
    try:
        done, _ = await jail.run(["bash", "-c", code])
        assert done.exit_code == 0, done.stderr
        mark, _ = await jail.run(["stat", "-c", "%.9Z", "/workspace/mark"])
        since = int(mark.stdout.replace(".", "")) if marked else 0
        return await collect(jail, ["/workspace/out/*"], ["/workspace/own.sh"], since)
    finally:
        await jail.close()


async def test_new_changed_and_removed_files(repository: Path) -> None:
    code = "mkdir out; echo a > out/a.txt; echo x > b; echo y > own.sh; echo z > /tmp/t; echo more >> data.txt"
    found = await left(repository, code)
    contents = {file.path: file.content for file in found.files}
    assert contents["/workspace/out/a.txt"] == b"a\n"
    assert found.files[0].path == "/workspace/out/a.txt"  # what matters most comes first
    assert contents["/tmp/t"] == b"z\n"
    assert "/workspace/own.sh" not in contents
    assert found.altered == ("/workspace/data.txt",)
    assert (repository / "data.txt").read_text() != (contents["/workspace/data.txt"] or b"").decode()


async def test_what_is_put_back_with_its_old_time_is_seen(repository: Path) -> None:
    code = "cp -p data.txt /tmp/o; s=$(stat -c %s data.txt); head -c $s /dev/zero > data.txt; touch -r /tmp/o data.txt"
    assert (await left(repository, code)).altered == ("/workspace/data.txt",)
    code = "cp -p data.txt /tmp/o; echo > data.txt; cat /tmp/o > data.txt"
    assert (await left(repository, code)).altered == ()


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("mkfifo out/x", "is a FIFO"),
        ("ln -s /dev/zero out/x", "is a link to /dev/zero"),
        ("ln -s /etc/passwd out/x", "is a link to /etc/passwd"),
        ("ln -s out/x out/x", "is a link to"),
        ("truncate -s 100M out/x", "is too large: 104857600 bytes"),
    ],
)
async def test_what_is_no_file_to_read_is_named_at_once(repository: Path, code: str, fault: str) -> None:
    found = await left(repository, f"mkdir out; {code}")
    [file] = [file for file in found.files if file.path == "/workspace/out/x"]
    assert file.content is None
    assert fault in file.fault or "cannot be read" in file.fault


async def test_a_link_within_is_followed(repository: Path) -> None:
    found = await left(repository, "mkdir out; echo a > /tmp/real; ln -s /tmp/real out/x")
    assert [file.content for file in found.files if file.path == "/workspace/out/x"] == [b"a\n"]


async def test_what_a_background_process_still_writes_does_not_count(repository: Path) -> None:
    code = "mkdir out; (while true; do date +%N > out/x; rm -f out/x; done) & sleep 0.1; echo done > out/y"
    found = await left(repository, code)
    assert [file.content for file in found.files if file.path == "/workspace/out/y"] == [b"done\n"]


async def test_what_was_there_before_a_trial_is_not_its_doing(repository: Path) -> None:
    code = "mkdir out; echo old > out/old; sleep 0.05; touch mark; sleep 0.05; echo new > out/new"
    found = await left(repository, code, marked=True)
    assert [file.path for file in found.files] == ["/workspace/out/new"]


async def test_very_many_files_are_bounded(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "MOST_FILES", 5)
    found = await left(repository, "mkdir out; for i in $(seq 20); do echo > f$i; done; echo a > out/a")
    assert len(found.files) == 5
    assert found.files[0].path == "/workspace/out/a"
    assert found.faults == ("21 files; the first 5 are looked at",)


async def test_what_cannot_be_read_is_gone(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer after which nobody can look has not left the repository as it was."""
    monkeypatch.setattr(collecting, "_collector", lambda: "raise SystemExit('no memory')")
    found = await left(repository, "true")
    assert (found.removed, found.faults) == (("/workspace",), ("what it left cannot be read: no memory",))


class Outside:
    """A sandbox that is no jail, as far as collecting needs one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def exec(self, cmd: list[str], input: str, **options: Any) -> ExecResult[str]:
        done = subprocess.run(cmd, input=input, capture_output=True, text=True, cwd=self.folder, check=False)
        return ExecResult(done.returncode == 0, done.returncode, done.stdout, done.stderr)


async def test_what_is_left_in_a_sandbox_that_is_no_jail(tmp_path: Path) -> None:
    """It is named as in a jail; contents may be any bytes; links of the repository are not put into such a sandbox."""
    pristine, root = tmp_path / "pristine", tmp_path / "root"
    for folder in (pristine, root):
        (folder / "ex").mkdir(parents=True)
        for name in ("a.py", "gone.py", "changed.py"):
            (folder / "ex" / name).write_text("1")
    (pristine / "link").symlink_to("ex")
    (root / "ex" / "gone.py").unlink()
    (root / "ex" / "changed.py").write_text("2")
    (root / "ex" / "x.bin").write_bytes(bytes(range(256)))
    (root / "ex" / "own.sh").write_text("echo")
    box = cast(SandboxEnvironment, Outside(root))
    left = await collect_outside(box, str(root), str(pristine), ["/workspace/ex/*.bin"], ["/workspace/ex/own.sh"])
    assert left is not None
    assert (left.files[0].path, left.files[0].content) == ("/workspace/ex/x.bin", bytes(range(256)))
    assert left.removed == ("/workspace/ex/gone.py",) and left.altered == ("/workspace/ex/changed.py",)
    assert "/workspace/ex/own.sh" not in [file.path for file in left.files]


async def test_what_cannot_be_read_outside_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_collector", lambda: "print('x')")
    assert await collect_outside(cast(SandboxEnvironment, Outside(tmp_path)), str(tmp_path), str(tmp_path)) is None
