"""The witness of real executions: what runs show, and that who speaks in a recorder's place is found out."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mlbench.judging.process_evidence import RunState, runs
from mlbench.records import Execution, ExitKind, TracedProcess
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits

pytestmark = pytest.mark.anyio

FILES = {
    "train.py": """
        import argparse
        import os
        import time

        import helper

        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float, default=0.1)
        parser.add_argument("--spin", type=float, default=0.0)
        parser.add_argument("--sleep", type=float, default=0.0)
        parser.add_argument("--text", default="0")
        arguments = parser.parse_args()
        eval(arguments.text)
        end = time.process_time() + arguments.spin
        while time.process_time() < end:
            pass
        time.sleep(arguments.sleep)
        print(helper.NAME)
        """,
    "helper.py": "NAME = 'helped'\n",
    "package/__init__.py": "",
    "package/tool.py": "import train\n",
    "answers.py": "def double(number, *, by=2):\n    return number * by\n",
}
RUN = "python train.py --lr 0.5"


@pytest.fixture(scope="module")
def candidates_environment(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    requirements = tmp_path_factory.mktemp("suite") / "requirements.txt"
    requirements.write_text("")
    return environment(requirements)


@pytest.fixture
async def jail(candidates_environment: Path, tmp_path: Path) -> AsyncIterator[Jail]:
    for name, text in FILES.items():
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    jail = await Jail.start(Mounts(tmp_path / "repository", candidates_environment), Limits())
    yield jail
    await jail.close()


async def witnessed(jail: Jail, script: str, seconds: float = 20.0) -> Execution:
    execution, _ = await jail.run(["bash", "-c", textwrap.dedent(script)], seconds=seconds, witnessed=True)
    assert execution.witness is not None
    return execution


def pythons(execution: Execution) -> list[TracedProcess]:
    """Each process that is an interpreter by its name, or by its file."""
    assert execution.witness is not None
    return [each for each in execution.witness.processes if "python" in each.program or "python" in each.argv[0]]


def tampering(execution: Execution) -> str:
    assert execution.witness is not None
    return "\n".join(line for process in execution.witness.processes for line in process.tampering)


def used(execution: Execution) -> set[str]:
    """The repository's files whose code ran in any of the processes."""
    assert execution.witness is not None
    return {file for process in execution.witness.processes for file in process.used}


@pytest.mark.parametrize(
    "line",
    [
        "python ./train.py --lr 0.5",
        "python $PWD/package/../train.py --lr 0.5",
    ],
)
async def test_a_program_is_named_by_its_file(jail: Jail, line: str) -> None:
    """`python ./train.py` was another program than `train.py`."""
    execution = await witnessed(jail, line)
    assert execution.witness is not None
    assert [run.invocation.program for run in runs(execution.witness)] == ["train.py"]


async def test_a_program_behind_a_link_is_not_named_by_its_words(jail: Jail) -> None:
    copy = "mkdir -p /tmp/o/sub; cp *.py /tmp/o; echo pass >> /tmp/o/train.py; ln -s /tmp/o/sub x"
    script = f"{copy}; python x/../train.py --lr 0.5"
    execution = await witnessed(jail, script)
    assert execution.exit_code == 0 and execution.witness is not None
    assert "train.py" not in [run.invocation.program for run in runs(execution.witness)]


async def test_an_honest_run(jail: Jail) -> None:
    execution = await witnessed(jail, RUN)
    assert execution.witness is not None and execution.witness.faults == ()
    (run,) = runs(execution.witness)
    assert run.state is RunState.FINISHED
    assert (run.invocation.program, run.invocation.configuration["lr"]) == ("train.py", 0.5)
    assert run.invocation.given == ("lr",)


@pytest.mark.parametrize(
    "script",
    [
        f"cd package; PYTHONPATH=. {RUN.replace('train', '../train')}",
        "python -m train --lr 0.5",
        "python -u -m package.tool --lr 0.5",
        "env -i /opt/env/bin/python -I train.py; PYTHONPATH=/workspace /opt/env/bin/python -E train.py --lr 0.5",
        f"bash -c 'exec {RUN}'",
        f"({RUN}) | cat",
        f"{RUN} & wait",
        f"timeout 10 {RUN} > log; cat log",
        f"nohup setsid -w {RUN}",
        f"unset PYTHONDONTWRITEBYTECODE; {RUN}; {RUN}",
        "python -W ignore -X dev train.py --lr 0.5",
        'python -c \'import subprocess, sys; subprocess.run([sys.executable, "train.py", "--lr", "0.5"])\'',
        f'python - <<< \'import os; os.fork() and os.wait() or os.execvp("python", "{RUN}".split())\'',
    ],
)
async def test_honest_ways_to_run_a_program(jail: Jail, script: str) -> None:
    execution = await witnessed(jail, script)
    assert execution.exit_code == 0, execution
    assert execution.witness is not None and execution.witness.faults == ()
    run = runs(execution.witness)[-1]
    assert (run.state, run.invocation.configuration["lr"]) == (RunState.FINISHED, 0.5)
    assert tampering(execution) == ""


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (RUN, {"train.py", "helper.py"}),
        ("python -c 'import helper'", {"helper.py"}),
        ("cd /; PYTHONPATH=/workspace python -m package.tool", {"package/__init__.py", "package/tool.py"}),
        ("cp *.py /tmp; cd /tmp; python train.py", {"train.py", "helper.py"}),
        ("cp -r . /tmp/copy; cd /tmp/copy; python -m package.tool", {"package/tool.py", "train.py", "helper.py"}),
        ("echo 'print(1)' > mine.py; cp helper.py other.py; python mine.py; python other.py", set()),
    ],
)
async def test_whose_code_ran(jail: Jail, script: str, wanted: set[str]) -> None:
    """The repository's own, wherever an identical copy of it stands under its name."""
    found = used(await witnessed(jail, script))
    assert found >= wanted
    assert wanted or not found


@pytest.mark.parametrize(
    "script",
    [
        "echo 'NAME = 1' > helper.py; python -c 'import helper'",
        "mkdir /tmp/c; echo 'NAME = 1' > /tmp/c/helper.py; cd /tmp/c; python -c 'import helper'",
        "mkdir -p /tmp/o/sub; echo 'NAME = 1' > /tmp/o/helper.py; ln -s /tmp/o/sub x; python x/../helper.py",
        "sed -i 's/default=0.1/default=0.2/' train.py; python train.py",
        "cp train.py /tmp; echo pass >> /tmp/train.py; PYTHONPATH=/workspace python /tmp/train.py",
    ],
)
async def test_a_changed_file_is_not_the_repositorys(jail: Jail, script: str) -> None:
    assert used(await witnessed(jail, script)) <= ({"helper.py"} if "train.py" in script else set())


SEND = """
import socket, struct, time
channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
channel.bind("")
channel.connect("\\0mlbench-witness")
parse = '{"status": "accepted", "main": "/workspace/train.py", "parser": "argparse", "configuration": {"lr": 0.5}}'
for data in ("hello", "parse\\0" + parse, "end\\0"):
    channel.send(data.encode())
"""


@pytest.mark.parametrize(
    ("script", "word"),
    [
        (f"python - <<'E'\n{SEND}\nE", "pretended to be a recorder"),
        (f"python -S - <<'E'\n{SEND}\nE", "did not see"),
        (
            'perl -MSocket -e \'socket(S, AF_UNIX, SOCK_DGRAM, 0); my $to = pack("Sa*", 1, "\\0mlbench-witness");'
            'send(S, "hello", 0, $to); send(S, "parse\\0{}", 0, $to); exec("python", "-S", "train.py")\'',
            "pretended to be a recorder",
        ),
        (
            "cat > f.py <<'E'\nimport os\nif os.fork():\n    os.wait()\nelse:\n"
            f"    exec(r'''{SEND}''')\nE\npython f.py",
            "pretended to be a recorder",
        ),
    ],
    ids=["beside the recorder", "without it", "no Python", "forked"],
)
async def test_who_speaks_in_the_recorders_place_is_found_out(jail: Jail, script: str, word: str) -> None:
    execution = await witnessed(jail, script)
    assert execution.witness is not None
    assert runs(execution.witness) == ()
    assert word in tampering(execution), execution


@pytest.mark.parametrize(
    "script",
    [
        "python -S train.py --lr 0.5",
        "python -uSE train.py --lr 0.5",
        "$(readlink -f /opt/env/bin/python) train.py --lr 0.5",
        "mkdir f; printf '#!/bin/sh\\nexit 0\\n' > f/python; chmod +x f/python; PATH=/workspace/f:$PATH;" + RUN,
        "echo 'print(1)' > argparse.py; python train.py --lr 0.5",
        f"kill -9 1; kill -STOP 1; python -S {RUN[7:]}",
    ],
)
async def test_nothing_is_claimed_of_what_no_recorder_sees(jail: Jail, script: str) -> None:
    execution = await witnessed(jail, script)
    assert execution.witness is not None and runs(execution.witness) == ()


ATTACH = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pid, place = int(sys.argv[1]), ctypes.create_string_buffer(8)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(place), 8)
for name, arguments in {
    "attach": (16, pid, 0, 0),
    "seize": (0x4206, pid, 0, 0),
}.items():
    print(name, libc.ptrace(*arguments))
print("write", libc.process_vm_writev(pid, vector, 1, vector, 1, 0), os.strerror(ctypes.get_errno()))
print("pidfd_getfd", libc.syscall(438, os.pidfd_open(pid), 0, 0), os.strerror(ctypes.get_errno()))
try:
    os.open(f"/proc/{pid}/mem", os.O_RDWR)
except OSError as error:
    print("mem", error.strerror)
"""


async def test_nobody_attaches_to_a_run_nor_writes_into_its_memory(jail: Jail) -> None:
    execution = await witnessed(jail, f"{RUN} --sleep 1 > out & python - $! <<'E'\n{ATTACH}\nE\nwait")
    assert execution.stdout.splitlines() == [
        "attach -1",
        "seize -1",
        "write -1 Function not implemented",
        "pidfd_getfd -1 Function not implemented",
        "mem Read-only file system",
    ]
    assert execution.witness is not None and len(runs(execution.witness)) == 1


async def test_progress_after_parsing_at_the_time_limit(jail: Jail) -> None:
    execution = await witnessed(jail, f"{RUN} --sleep 30 & {RUN} --spin 30", seconds=2.5)
    assert execution.ending is ExitKind.TIMEOUT and execution.witness is not None
    assert {run.invocation.configuration["spin"]: run.state for run in runs(execution.witness)} == {
        0.0: RunState.STALLED,
        30.0: RunState.WORKING,
    }


async def test_a_failure_after_parsing_is_one(jail: Jail) -> None:
    execution = await witnessed(jail, f"{RUN} --text 'lr' || true")
    assert execution.exit_code == 0 and execution.witness is not None
    assert [run.state for run in runs(execution.witness)] == [RunState.FAILED]


async def test_what_the_parser_refuses_is_reported(jail: Jail) -> None:
    execution = await witnessed(jail, "python train.py --lr x; true")
    (process,) = pythons(execution)
    assert [(each.status, each.reason) for each in process.invocations] == [("rejected", "invalid-type")]
    assert process.exit_code == 2


async def test_stops_continues_signals_threads_and_exit_codes_are_as_ever(jail: Jail) -> None:
    script = """
        sleep 9 & kill -STOP $!; sleep 0.1; grep State /proc/$!/status; kill -CONT $!; sleep 0.1
        grep State /proc/$!/status; kill -TERM $!; wait $!; echo $?
        python -c 'import os, signal; os.kill(os.getpid(), signal.SIGTRAP)'; echo $?
        bash -c 'trap "echo trapped" USR1; kill -USR1 $$'
        python -c 'import threading as t; [x.start() or x.join() for x in [t.Thread(target=print) for _ in range(20)]]'
        python -c 'import threading, os; threading.Thread(target=os.execvp, args=("echo", ["echo", "execed"])).start()'
        exit 7
        """
    execution = await witnessed(jail, script)
    lines = [line for line in execution.stdout.splitlines() if line]
    assert lines == ["State:\tt (tracing stop)", "State:\tS (sleeping)", "143", "133", "trapped", "execed"], execution
    assert execution.exit_code == 7


async def test_a_flood_of_processes_and_reports_is_bounded(jail: Jail) -> None:
    flood = SEND + "\nfor _ in range(5000): channel.send(b'parse\\0' + b'x' * 100000)"
    execution = await witnessed(jail, f"for i in $(seq 1100); do /bin/true; done; python - <<'E'\n{flood}\nE")
    assert execution.exit_code == 0 and execution.witness is not None
    assert any("more than" in fault for fault in execution.witness.faults)
    assert runs(execution.witness) == ()


async def test_a_fork_bomb_ends_with_its_command(jail: Jail) -> None:
    execution = await witnessed(jail, "f() { f | f & }; f; sleep 60", seconds=1)
    assert execution.ending is not ExitKind.EXITED or execution.exit_code
    assert (await jail.run(["true"]))[0].exit_code == 0


FILL = """
import os
import signal
import time

children = []
for _ in range({}):
    try:
        child = os.fork()
    except OSError:
        break
    if not child:
        time.sleep(60)
    children.append(child)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.wait()
"""


@pytest.mark.parametrize(("forks", "excess"), [(400, True), (100, False)])
async def test_who_runs_as_many_processes_as_there_may_be_is_named(jail: Jail, forks: int, excess: bool) -> None:
    execution = await witnessed(jail, f"python - <<'E'\n{FILL.format(forks)}\nE")
    assert execution.exit_code == 0 and execution.witness is not None
    assert bool(execution.witness.excess) is excess


async def test_nothing_that_is_sent_ends_the_agent(jail: Jail) -> None:
    """A `hello` from a socket without a name once ended the agent, and the sandbox with it."""
    send = """
        import os, socket
        for name in (None, b"x" * 107, b"s\\xff", b"\\0\\xff"):
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            if name:
                channel.bind(name)
            channel.connect("\\0mlbench-witness")
            for data in (b"hello", b"", b"\\0", b"\\xff" * 1000, b"parse\\0{}", b"parse\\0" + b"[" * 99999):
                channel.send(data)
                os.fork() or (channel.send(data), os._exit(0))
            socket.send_fds(channel, [b"parse"], [0, 1, 2])
        os.symlink(b"\\xff", "link")
        os.mkdir(b"\\xff")
        os.chdir(b"\\xff")
        os.execve("/bin/true", [b"\\xff", b""], {b"PYTHONPATH": b"\\xff:" * 9000, b"\\xff": b"1"})
        """
    for interpreter in ("python", "python -S"):
        execution = await witnessed(jail, f"cd $(mktemp -d); {interpreter} - <<'E'\n{textwrap.dedent(send)}\nE")
        assert execution.exit_code == 0, execution.stderr
        assert execution.witness is not None and runs(execution.witness) == ()


ANSWER = b"from answers import double\nprint(double(21))\n"


async def ask(jail: Jail, code: bytes, given: bytes | None = None) -> Execution:
    await jail.run(["bash", "-c", "cat > answer.py"], stdin=code)
    answer = ("/workspace/answer.py", code if given is None else given)
    execution, _ = await jail.run(
        ["python", "/opt/probe/run_instrumented.py", "answer.py"], witnessed=True, answer=answer
    )
    return execution


async def test_a_python_answer_is_reported_with_its_calls(jail: Jail) -> None:
    execution = await ask(jail, ANSWER)
    assert (execution.stdout, execution.exit_code) == ("42\n", 0) and execution.witness is not None
    (run,) = runs(execution.witness)
    assert run.state is RunState.FINISHED
    (call,) = run.invocation.calls
    assert (call.function, call.arguments, call.given) == ("answers.double", {"number": 21, "by": 2}, ("number",))


async def test_another_python_answer_than_the_given_one(jail: Jail) -> None:
    execution = await ask(jail, ANSWER, given=b"pass\n")
    assert execution.witness is not None and runs(execution.witness) == ()


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (b"import sys; sys.audit('mlbench.answer', __file__, b'', print)", "mlbench.answer"),
        (
            b"import os\nfor n in range(3, 20):\n    try: os.write(n, b'call\\0{}')\n    except OSError: pass",
            "did not see",
        ),
        (
            b"import os, socket, fcntl\na, b = socket.socketpair(1, 2)\n"
            b"kept = {n: fcntl.fcntl(n, 0, 50) for n in map(int, os.listdir('/proc/self/fd')) if 2 < n < 50 and\n"
            b"    n not in (a.fileno(), b.fileno()) and os.path.exists(f'/proc/self/fd/{n}')}\n"
            b"for n in kept: os.dup2(a.fileno(), n)\n"
            b"double(1)\n"
            b"for n in kept: os.dup2(kept[n], n)",
            "was lost",
        ),
    ],
)
async def test_a_python_answer_that_speaks_in_the_recorders_place(jail: Jail, code: bytes, word: str) -> None:
    assert word in tampering(await ask(jail, ANSWER + code))


async def test_an_execution_without_a_witness_has_none(jail: Jail) -> None:
    execution, _ = await jail.run(["bash", "-c", RUN])
    assert (execution.exit_code, execution.witness, execution.stderr) == (0, None, "")
