"""Scripts: what is returned of them, their limit, the background, and that nothing outlives its time."""

from __future__ import annotations

from pathlib import Path

import anyio

from mlbench.evals.mlagentbench.snapshots import errors_by_kind
from mlbench.sandbox.limits import MIB, Limits
from tests.mlagentbench.problem_fixtures import Workplace, played

SLOW = "import time\nprint('begun', flush=True)\ntime.sleep(300)\n"
DAEMON = """import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.environ.clear()
        while True:
            open('/workspace/alive', 'a').write('.')
            time.sleep(0.01)
    os._exit(0)
os.wait()
time.sleep(0.1)
print('gone')
"""


def test_a_script_gets_its_arguments_and_both_streams_come_back(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        show = "import sys\nprint(sys.argv[1:])\nprint('oh', file=sys.stderr)\nsys.exit(3)"
        await at.do("Write File", file_name="a.py;id", content=show)
        seen = await at.do("Execute Script", script_name="a.py;id", arguments=["--n", "1; id", "$(id)", ""])
        assert seen.startswith("exit code 3 after ")
        assert seen.endswith("stdout:\n['--n', '1; id', '$(id)', '']\nstderr:\noh")
        await at.do("Write File", file_name="-c.sh", content='echo "$BASH" "$1"')
        assert "bash -x" in await at.do("Execute Script", script_name="-c.sh", arguments=["-x"])
        assert "nothing was printed" in await at.do("Execute Script", script_name="quiet.py")
        assert "there is no file none.py" in await at.do("Execute Script", script_name="none.py")
        assert "is outside" in await at.do("Execute Script", script_name="/usr/bin/id")
        assert "NUL" in await at.do("Execute Script", script_name="quiet.py", arguments=["a\0b"])
        assert errors_by_kind(at.steps.read()) == {
            "invalid-input": 1,
            "failed-script": 1,
            "no-such-file": 1,
            "refused-path": 1,
        }
        ran = at.steps.read()[1]
        assert (ran.action, ran.inputs["script_name"]) == ("execute_script", "a.py;id")
        assert "['--n'" in ran.observation

    played(scene, tmp_path, files={"quiet.py": b""})


def test_a_time_out_ends_the_whole_tree_and_shows_what_was_printed(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        slow = DAEMON.replace("time.sleep(0.1)", "") + SLOW.replace("300", "15")
        await at.do("Write File", file_name="slow.py", content=slow)
        seen = await at.do("Execute Script", script_name="slow.py")
        assert seen.startswith("ended after 2 s, the limit of a script, with everything that it started\n")
        assert "gone\nbegun" in seen
        assert at.steps.read()[-1].error == "time-out"
        await _nothing_grows(at)

    played(scene, tmp_path, seconds=2)


def test_what_forks_past_the_end_is_ended(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        assert "gone" in await at.run(DAEMON)
        await _nothing_grows(at)

    played(scene, tmp_path)


async def _nothing_grows(at: Workplace) -> None:
    before = await at.do("List Files", dir_path=".")
    assert "alive (" in before
    await anyio.sleep(0.2)
    assert await at.do("List Files", dir_path=".") == before


def test_a_flood_of_output_is_bounded(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        seen = await at.run("print('first')\nfor _ in range(100): print('x' * (1 << 20))\nprint('last')")
        assert len(seen) < 7_000
        assert "first\n" in seen
        assert "bytes left out" in seen
        assert seen.endswith("last")

    played(scene, tmp_path)


def test_scripts_run_in_the_background_with_a_handle(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="slow.py", content=SLOW)
        started = await at.do("Execute Script", script_name="slow.py", background=True)
        assert started == "slow.py runs in the background; its handle is script-1"
        while "begun" not in (seen := await at.do("Script Status", handle="script-1")):
            await anyio.sleep(0.05)
        assert seen.startswith("script-1 runs since ")
        assert "exit code 0" in await at.do("Execute Script", script_name="train.py")  # does not end the other one
        assert "runs since" in await at.do("Script Status", handle="script-1")
        assert (await at.do("Stop Script", handle="script-1")).startswith("script-1 was stopped after ")
        assert "was stopped" in await at.do("Script Status", handle="script-1")
        await at.do("Execute Script", script_name="train.py", background=True)
        while "runs since" in (seen := await at.do("Script Status", handle="script-2")):
            await anyio.sleep(0.05)
        assert seen.startswith("exit code 0 after ")
        assert seen.endswith("stdout:\nscore 0.5")
        for _ in range(4):
            assert "handle" in await at.do("Execute Script", script_name="slow.py", background=True)
        assert "4 scripts run already" in await at.do("Execute Script", script_name="slow.py", background=True)
        await at.do("Final Answer", final_answer="done")
        assert "was stopped" in await at.do("Script Status", handle="script-6")
        processes, _ = await at.jail.run(["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"])
        assert "slow.py" not in processes.stdout

    played(scene, tmp_path)


def test_a_script_that_still_runs_at_the_end_of_the_sample_does_no_harm(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="slow.py", content=SLOW)
        await at.do("Execute Script", script_name="slow.py", background=True)

    played(scene, tmp_path)


def test_a_full_disk_loses_no_file_and_no_step(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="a.py", content="print('mine')")
        fill = "with open('/tmp/fill', 'wb', 0) as f:\n    while True: f.write(b'x' * 65536)"
        assert "No space left on device" in await at.run(fill)
        seen = await at.do("Write File", file_name="a.py", content="x" * (5 << 20))
        assert "No space left on device" in seen, seen
        assert await at.do("Read File", file_name="a.py") == "print('mine')"
        assert [step.unkept for step in at.steps.read()] == [""] * len(at.steps.read())

    played(scene, tmp_path, limits=Limits(written=8 * MIB))


def test_memory_has_an_end(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        assert "for the memory that it took" in await at.run(
            "x = bytearray(1 << 30); x[::4096] = b'1' * len(x[::4096])"
        )
        assert at.steps.read()[-1].error == "memory-limit"

    played(scene, tmp_path, limits=Limits(memory=256 * MIB))


def test_statements_run_in_the_workspace_and_are_recorded(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        seen = await at.do("Python REPL", command="import os\nx = 3\nprint(sorted(os.listdir()), x)")
        assert seen.startswith("exit code 0 ") and seen.endswith("stdout:\n['quiet.py', 'train.csv', 'train.py'] 3")
        assert "NameError" in await at.do("Python REPL", command="print(x)")
        assert "NUL" in await at.do("Python REPL", command="print('\0')")
        assert [step.action for step in at.steps.read()] == ["python_repl"] * 3
        assert errors_by_kind(at.steps.read()) == {"failed-script": 1, "invalid-input": 1}

    played(scene, tmp_path, files={"quiet.py": b""})
