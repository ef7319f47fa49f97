"""Snapshots: what each step keeps, what comes back, and that nothing finished is lost or believed unread."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench import snapshots, workspace_diff
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.evals.mlagentbench.workspace_diff import DiffPart, Increment, merged
from mlbench.records import RunError
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.submission import unpack
from tests.mlagentbench.problem_fixtures import Workplace, played


def contents(archive: bytes) -> dict[str, str]:
    """Each member of an archive with its contents, or its link."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            assert member.name.startswith("./")
            file = tar.extractfile(member) if member.isreg() else None
            found[member.name[2:]] = file.read().decode() if file else member.linkname
    return found


def packed(**files: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def test_each_step_is_restored_as_it_was(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="a b\n.py", content="one")
        await at.do("Write File", file_name="sub/c.py", content="c")
        await at.run(
            "import os\nos.rename('sub', 'moved'); open('a b\\n.py', 'w').write('two')\n"
            "os.symlink('/opt/hidden/y', 'link'); os.mkdir('empty'); os.mkfifo('pipe'); open('h1', 'w').write('h')\n"
            "os.link('h1', 'h2'); open('k1', 'w').write('k'); os.link('k1', 'k2'); open(b'\\xff', 'w').write('odd')\n"
            "os.chmod('h1', 0)"
        )
        await at.do("Read File", file_name="train.py")
        await at.run(
            "import os\nos.remove('moved/c.py'); os.rmdir('moved'); os.remove('h1'); os.mkdir('h1'); os.remove('k1')"
        )
        steps = at.steps.read()
        assert [step.number for step in steps] == list(range(1, 8))
        assert steps[4].changed == ()  # of what only reads, nothing is kept
        assert not (at.steps.folder / "step-005.tgz").exists()
        assert contents(at.steps.restore(0)) == {}
        assert contents(at.steps.restore(1)) == {"a b\n.py": "one"}
        assert contents(at.steps.restore(2)) == {"a b\n.py": "one", "sub": "", "sub/c.py": "c"}
        later = contents(at.steps.restore(4))
        assert later["a b\n.py"] == "two"
        assert later["moved/c.py"] == "c" and "sub" not in later and "sub/c.py" not in later
        assert later["k1"] == later["k2"] == "k"
        assert later["link"] == "/opt/hidden/y"
        assert later["\udcff"] == "odd"
        assert "pipe" not in later
        assert "empty" in later
        assert contents(at.steps.restore(5)) == later
        last = contents(at.steps.restore(7))
        assert sorted(last) == ["a b\n.py", "attack.py", "empty", "h1", "k2", "link", "\udcff"]
        assert last["k2"] == "k"
        assert steps[-1].files == 8  # with h2, which nobody can read: it is not in the archive

    played(scene, tmp_path)


def test_a_restored_workspace_is_unpacked_like_any_other(tmp_path: Path) -> None:
    kept: list[bytes] = []

    async def scene(at: Workplace) -> None:
        await at.run(
            "import os\nfor n in range(3): open(f'{n}.txt', 'w').write(str(n))\n"
            "os.remove('train.py')\nos.mkdir('e', 0o500)"
        )
        kept.append(at.steps.restore(2))
        jail = await Jail.start(Mounts(tmp_path / "workspace"), Limits())
        try:
            assert await unpack(jail, kept[0]) == ""
            done, _ = await jail.run(["/bin/sh", "-c", "ls; cat 2.txt"])
            assert (
                done.stdout == "0.txt\n1.txt\n2.txt\nattack.py\ne\ntrain.csv\ntrain.py\n2"
            )  # removed, and there again
        finally:
            await jail.close()

    played(scene, tmp_path)


def test_a_background_script_goes_on_while_snapshots_are_taken(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        count = "n = 0\nwhile True:\n    n += 1\n    open('n.txt', 'w').write(str(n))"
        await at.do("Write File", file_name="count.py", content=count)
        await at.do("Execute Script", script_name="count.py", background=True)
        seen = []
        while len(seen) < 3:
            await at.do("List Files", dir_path=".")
            text = contents(at.steps.restore(len(at.steps.read()))).get("n.txt", "")
            seen += [text] if text and text not in seen else []

    played(scene, tmp_path)


def test_a_workspace_beyond_the_bounds_is_said_and_recovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_diff, "MOST", 50)
    monkeypatch.setattr(workspace_diff, "LARGEST", 1 << 20)

    async def scene(at: Workplace) -> None:
        await at.run("open('a', 'w').write('a'); open('large', 'wb').write(bytes(2 << 20))")
        assert at.steps.read()[-1].left_out == ("large",)
        assert sorted(contents(at.steps.restore(2))) == ["a", "attack.py"]
        await at.run("import os\nfor n in range(100): open(f'{n}.txt', 'w')\nos.remove('a')")
        assert at.steps.read()[-1].unkept == "it changed 100 files; at most 50 can be kept"
        with pytest.raises(RunError, match="step 4 was not kept: it changed 100 files"):
            at.steps.restore(4)
        await at.run("import os\nfor n in range(99): os.remove(f'{n}.txt')")
        assert sorted(contents(at.steps.restore(6))) == ["99.txt", "attack.py"]

    played(scene, tmp_path)


def test_more_than_a_run_may_keep_is_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "LARGEST_RUN", 10)
    step = Steps(tmp_path).add(SnapshotStep(1, "write_file"), Increment(packed(a="1"), ("a",)))
    assert (step.left_out, step.digest) == (("a",), "")
    assert contents(Steps(tmp_path).restore(1)) == {}


def test_a_killed_run_loses_no_finished_step(tmp_path: Path) -> None:
    script = f"""
import os, signal, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[2])]!r}
from tests.mlagentbench.test_snapshots import *
steps = Steps(Path({str(tmp_path)!r}))
steps.begin()
for number in range(1, 6):
    steps.add(SnapshotStep(number, "write_file", observation="\\udcff"), Increment(packed(a=str(number)), ("a",)))
(steps.folder / "step-006.tgz").write_bytes(packed(a="6")[:20])
with open(steps.folder / "steps.jsonl", "a") as file:
    file.write('{{"number": 6, "act')
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    steps = Steps(tmp_path)
    assert [step.observation for step in steps.read()] == ["\udcff"] * 5
    assert contents(steps.restore(5)) == {"a": "5"}
    steps.begin()  # the run is resumed: it does its steps again
    assert steps.read() == []
    steps.add(SnapshotStep(1, "write_file"), Increment(packed(a="again"), ("a",)))
    assert contents(steps.restore(1)) == {"a": "again"}
    assert contents(Steps(tmp_path / "earlier-1").restore(5)) == {"a": "5"}
    steps.begin()
    assert sorted(os.listdir(tmp_path)) == ["earlier-1", "earlier-2"]


def test_what_is_not_there_or_has_changed_is_said(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    with pytest.raises(RunError, match="there is no step 1; there are 0"):
        steps.restore(1)
    steps.add(SnapshotStep(1, "write_file"), Increment(packed(a="1"), ("a",)))
    for number in (-1, 2):
        with pytest.raises(RunError, match=f"there is no step {number}"):
            steps.restore(number)
    (tmp_path / "step-001.tgz").write_bytes(packed(a="2"))
    with pytest.raises(RunError, match="step-001.tgz: is missing, or is not what was written"):
        steps.restore(1)
    for line in ("no step", "[]", '{"unknown": 1}'):
        (tmp_path / "steps.jsonl").write_text(f"{line}\n")
        with pytest.raises(RunError, match=r"steps.jsonl: a line is not a step"):
            steps.read()


@pytest.mark.parametrize(
    "spoilt",
    [b"", b"no archive", packed(a="1")[:30], packed(**{"../a": "x", "b/../../a": "x"})],
    ids=["empty", "no archive", "cut", "names"],
)
def test_a_spoilt_archive_gives_what_can_be_read_of_it(tmp_path: Path, spoilt: bytes) -> None:
    (tmp_path / "step.tgz").write_bytes(spoilt)
    (tmp_path / "good.tgz").write_bytes(packed(c="3", d="4"))
    wanted = frozenset({"a", "../a", "b/../../a"})
    parts = [DiffPart(tmp_path / "step.tgz", wanted), DiffPart(tmp_path / "good.tgz", frozenset({"c"}))]
    assert contents(merged(parts)) == {"c": "3"}


def test_a_few_bytes_do_not_become_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_diff, "LARGEST", 1 << 20)
    monkeypatch.setattr(workspace_diff, "_SLACK", 1 << 20)
    (tmp_path / "bomb.tgz").write_bytes(packed(a="1", bomb="0" * (8 << 20), b="2"))
    assert contents(merged([DiffPart(tmp_path / "bomb.tgz", frozenset({"a", "bomb", "b"}))])) == {"a": "1"}
