"""What an agent may try against the workspace's bounds, by actions and by scripts of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from workplace import TRAIN, Workplace, played

from mlbench.sandbox.limits import MIB, Limits

BY_ACTION = ("train.csv", "./train.csv", "a/../train.csv", "/workspace/train.csv", "//workspace//train.csv", "link")
BY_SCRIPT = {
    "open": "open('train.csv', 'w').write('x')",
    "append through the absolute path": "open('/workspace/../workspace/train.csv', 'a').write('x')",
    "symbolic link": "os.symlink('train.csv', 'l'); open('l', 'w').write('x')",
    "hard link": "os.link('train.csv', 'h'); open('h', 'w').write('x')",
    "move over": "open('n', 'w').write('x'); os.replace('n', 'train.csv')",
    "move away": "os.rename('train.csv', 'gone.csv')",
    "unlink and create": "os.unlink('train.csv'); open('train.csv', 'w').write('x')",
    "descriptor": "f = os.open('train.csv', os.O_RDONLY); open(f'/proc/self/fd/{f}', 'w').write('x')",
    "truncate": "os.truncate('train.csv', 0)",
    "mode": "os.chmod('train.csv', 0o777); open('train.csv', 'w').write('x')",
    "remount": "assert not c.mount(None, b'/workspace/train.csv', None, 32 | 4096, None)",
    "unmount": "assert not c.umount2(b'/workspace/train.csv', 2)",
    "new namespace": "assert not c.unshare(0x10020000)",
    "move the folder": "os.rename('/workspace', '/tmp/w')",
}
SECRETS = (
    "/opt/hidden",
    "/opt/problem",
    "/opt/lib",
    "../workspace_secret",
    "/workspace_secret",
    "/proc/1/root/opt/hidden",
)


def test_what_must_not_change_does_not_by_any_action(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.run(
            "import os; os.symlink('train.csv', 'link'); os.symlink('/etc', 'out'); os.symlink('loop', 'loop')"
        )
        await at.do("Write File", file_name="mine", content="x")
        for name in BY_ACTION:
            for action, inputs in (
                ("Write File", {"file_name": name, "content": "x"}),
                ("Append File", {"file_name": name, "content": "x"}),
                ("Copy File", {"source": "mine", "destination": name}),
            ):
                assert "must not change" in await at.do(action, **inputs), (action, name)
        for name in (
            "out/passwd",
            "../workspace_secret",
            "/opt/hidden/y.csv",
            "/proc/self/fd/1",
            "/dev/shm/x",
            "~/../x/../..",
        ):
            seen = await at.do("Write File", file_name=name, content="x")
            assert "is outside of the workspace" in seen, seen
        assert "Too many levels" in await at.do("Write File", file_name="loop", content="x")
        assert await at.do("Read File", file_name="train.csv") == TRAIN
        assert await at.do("List Files", dir_path="out") == "out is outside of the workspace (/workspace)"

    played(scene, tmp_path)
    assert (tmp_path / "workspace_secret").read_text() == "labels"
    assert (tmp_path / "workspace" / "train.csv").read_text() == TRAIN


def test_what_must_not_change_does_not_by_any_script(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        head = "import ctypes, os\nc = ctypes.CDLL(None)\n"
        for name, attack in BY_SCRIPT.items():
            seen = await at.run(head + attack)
            assert seen.startswith("exit code 1 "), (name, seen)
            assert await at.do("Read File", file_name="train.csv") == TRAIN, name
        steps = at.steps.read()
        assert not any("train.csv" in step.changed + step.removed for step in steps)

    played(scene, tmp_path)


def test_nothing_secret_can_be_read(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        for name in (*SECRETS, str(tmp_path / "workspace_secret")):
            assert "is outside of the workspace" in await at.do("Read File", file_name=name)
            seen = await at.run("import os, sys\nprint(os.path.exists(sys.argv[1]))", name)
            assert seen.endswith("\nFalse"), (name, seen)

    played(scene, tmp_path)


@pytest.mark.parametrize("flood", ["folders", "processes"])
def test_floods_end_and_the_record_goes_on(tmp_path: Path, flood: str) -> None:
    scripts = {
        "folders": "import os\nfor n in range(3_000): os.mkdir('d' * 50); os.chdir('d' * 50)",
        "processes": "import os, time\nfor _ in range(3_000): os.fork() or time.sleep(300)",
    }

    async def scene(at: Workplace) -> None:
        await at.run(scripts[flood])
        assert await at.do("Read File", file_name="train.csv") == TRAIN
        assert "exit code 0" in await at.do("Execute Script", script_name="train.py")
        steps = at.steps.read()
        assert len(steps) == 4
        if not steps[-1].unkept:
            at.steps.restore(4)

    played(scene, tmp_path, seconds=5, limits=Limits(written=64 * MIB, processes=64))
