"""Which witnessed process is believed, and in which state its run is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.types import Invocation, Process, Status, Witness
from mlbench.verdict.witnessed import PROGRESS_SECONDS, State, mistrust, python_options, runs, state

PATH = "/opt/env/bin:/usr/bin:/bin"
PARSED = Invocation(Status.ACCEPTED, program="train.py", configuration={"lr": 0.5})
PROCESS = Process(
    pid=3,
    parent=2,
    program="/usr/bin/python3.11",
    argv=("python", "train.py"),
    cwd="/workspace",
    env={"PATH": PATH},
    exit_code=0,
    invocations=(PARSED,),
)


def run(words: str, **env: str) -> Process:
    return replace(PROCESS, argv=tuple(words.split()), env={"PATH": PATH, **env})


@pytest.mark.parametrize(
    "words",
    [
        "python train.py",
        "python3 -u train.py -S -c x",
        "/opt/env/bin/python -I -m package.tool -S",
        "python -Wignore -W error::UserWarning -X dev -Xutf8=1 -OO -bb train.py",
        "python --check-hash-based-pycs never -B train.py",
        "python -um package -c",
    ],
)
def test_regular_command_lines(words: str) -> None:
    assert mistrust(run(words)) == ()


@pytest.mark.parametrize(
    "words",
    [
        "python -S train.py",
        "python -uS train.py",
        "python -c import-train",
        "python -Ic import-train",
        "python - --lr 1",
        "python",
        "python -u",
        "python -i train.py",
        "python -x train.py",
        "python -X pycache_prefix=x train.py",
        "python -Xpycache_prefix=x train.py",
        "python -X frozen_modules=off train.py",
        "python -W error::evil.W train.py",
        "python -We::evil.W:: train.py",
        "/usr/bin/python train.py",
        "./python train.py",
        "/opt/env/bin/../../../workspace/python train.py",
        "x/../../opt/env/bin/python train.py",
    ],
)
def test_command_lines_that_let_others_run_first(words: str) -> None:
    assert len(mistrust(run(words))) == 1


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHOME": "/workspace"},
        {"PYTHONPYCACHEPREFIX": "x"},
        {"PYTHONSTARTUP": "x"},
        {"PYTHONINSPECT": "1"},
        {"PYTHONPLATLIBDIR": "x"},
        {"PYTHONBREAKPOINT": "x.y"},
        {"PYTHONWARNINGS": "ignore,error::evil.W"},
        {"LD_PRELOAD": "x.so"},
        {"LD_AUDIT": "x.so"},
        {"LD_LIBRARY_PATH": "/usr/lib:/workspace"},
        {"GCONV_PATH": "x"},
        {"OPENSSL_CONF": "x"},
        {"PATH": f"/workspace/bin:{PATH}"},
        {"PATH": ""},
    ],
)
def test_variables_that_let_others_run_first(env: dict[str, str]) -> None:
    assert len(mistrust(run("python train.py", **env))) == 1


def test_harmless_variables() -> None:
    env = {
        "PYTHONPATH": ".",
        "PYTHONHASHSEED": "0",
        "LD_LIBRARY_PATH": "/usr/local/cuda/lib",
        "PYTHONWARNINGS": "ignore",
    }
    assert mistrust(run("python train.py", **env)) == ()


def test_an_interpreter_by_its_whole_path_does_not_need_the_path_variable() -> None:
    assert mistrust(replace(PROCESS, argv=("/opt/env/bin/python3", "train.py"), env={})) == ()


def test_options_end_where_the_program_begins() -> None:
    assert python_options(("python", "-uW", "ignore", "-X", "dev", "-m", "a.b", "-S")) == [
        ("u", ""),
        ("W", "ignore"),
        ("X", "dev"),
        ("m", "a.b"),
    ]


@pytest.mark.parametrize(
    ("exit_code", "progress", "expected"),
    [
        (0, {}, State.FINISHED),
        (1, {}, State.FAILED),
        (137, {"cpu": PROGRESS_SECONDS}, State.FAILED),
        (None, {"cpu": PROGRESS_SECONDS, "written": 0}, State.RUNNING),
        (None, {"cpu": PROGRESS_SECONDS / 2, "written": 0}, State.STALLED),
        (None, {"cpu": 0, "written": 1}, State.RUNNING),
        (None, {}, State.STALLED),
    ],
)
def test_states(exit_code: int | None, progress: dict[str, float], expected: State) -> None:
    assert state(replace(PROCESS, exit_code=exit_code, progress=progress)) is expected


def test_runs_are_the_repositorys_believed_and_parsed_ones() -> None:
    last = replace(PARSED, configuration={"lr": 0.7})
    elsewhere = replace(PARSED, program="/usr/lib/python3.11/compileall.py")
    refused = replace(PARSED, status=Status.REJECTED)
    processes = (
        replace(PROCESS, pid=1, invocations=(PARSED, last)),
        replace(PROCESS, pid=2, dishonest=("it ran foreign code",)),
        replace(PROCESS, pid=3, invocations=()),
        replace(PROCESS, pid=4, invocations=(elsewhere,)),
        replace(PROCESS, pid=5, invocations=(refused,)),
        replace(PROCESS, pid=6, invocations=(PARSED, elsewhere)),
    )
    assert [(each.process.pid, each.invocation) for each in runs(Witness(processes))] == [(1, last), (6, PARSED)]
