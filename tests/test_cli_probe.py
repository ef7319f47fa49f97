"""`mlbench probe`, as a user meets it: text or JSON on the output, the verdict as exit code, faults in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench import cli
from mlbench.cli.probe_text import text_of
from mlbench.interface_check.check_server import CheckServer
from mlbench.records import Check, CheckStatus, Invocation
from tests import command_line

Main = Callable[..., tuple[int, str, str]]
PROGRAM = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\np.parse_args()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    files = {"run.py": PROGRAM, "sleeps.py": "import time\ntime.sleep(60)\n"}
    files |= {
        "by_hand.py": "import sys\nprint([each for each in sys.argv[1:]])\n",
        "broken.py": "from json import no_such_name\n",
    }
    for name, text in files.items():
        (folder / "repo").mkdir(exist_ok=True)
        (folder / "repo" / name).write_text(text)
    asked = [*({"id": n, "code": f"python run.py --n {n}"} for n in range(3)), {"cod": ""}]
    (folder / "batch.jsonl").write_text("\n".join(json.dumps(each) for each in asked))
    slow = [json.dumps({"code": f"python {name}.py"}) for name in ("run", *["sleeps"] * 4)]
    (folder / "slow.jsonl").write_text("\n".join(slow))
    (folder / "empty.jsonl").touch()
    return folder


@pytest.fixture
def main(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Main:
    """The command line in this process: exit code, output, errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mlbench", "probe", *arguments])
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        said = capsys.readouterr()
        return int(leaving.value.code or 0), said.out, said.err

    monkeypatch.chdir(folder)
    return run


def test_a_command_gives_its_configuration(folder: Path) -> None:
    done = command_line.mlbench(*["probe", "repo", "--json", "--", "python", "run.py", "--n", "3"], cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert (result["status"], result["program"], result["configuration"]) == ("accepted", "run.py", {"n": 3})
    assert (result["given"], result["defaults"], result["seconds"] > 0) == (["n"], [], True)


def test_text_is_for_people(main: Main) -> None:
    code, output, said = main("repo", "--", "python", "run.py", "--n", "3")
    assert (code, said) == (0, "")
    first, *rest = output.splitlines()
    assert first == "accepted"
    assert rest == ["", "run.py --n 3", "  configuration (argparse; * given by the command):", "  * n  3"]


@pytest.mark.parametrize(
    ("command", "code", "first"),
    [
        ("python run.py", 0, "accepted"),
        ("cd nowhere && python run.py", 1, "rejected: no-such-folder"),
        ("python run.py --n x", 1, "rejected: invalid-type"),
        ("python by_hand.py 3", 3, "undecided: reads-argv-by-hand"),
        ("python broken.py", 3, "broken: import-fails"),
    ],
)
def test_the_exit_code_tells_the_verdict(main: Main, command: str, code: int, first: str) -> None:
    ended, output, said = main("repo", "--", command)
    assert (ended, output.splitlines()[0], said) == (code, first, "")
    ended, output, said = main("repo", "--json", "--", command)
    assert (ended, ": ".join(filter(None, map(json.loads(output).get, ("status", "reason")))), said) == (
        code,
        first,
        "",
    )


def test_without_a_sandbox_the_exit_code_is_no_verdict(main: Main, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no(*_: object, **__: object) -> None:
        raise SandboxUnavailableError("there is no bubblewrap")

    monkeypatch.setattr(CheckServer, "start", no)
    assert main("repo", "--", "python run.py") == (4, "", "mlbench: there is no bubblewrap\n")


def test_text_marks_what_is_ignored_and_open_and_cannot_steer_a_terminal() -> None:
    configuration = {"n": 1, "path": {"!": "path", "value": "a/b"}}
    one = Invocation(
        CheckStatus.ACCEPTED,
        program="run.py",
        cwd="sub",
        argv=("--n", "1"),
        parser="argparse",
        configuration=configuration,
        given=("n",),
        ignored=("--m", "2"),
        unchecked=("after parsing: x\x1b[31m",),
    )
    other = Invocation(CheckStatus.REJECTED, "raised", "no\nwords", program="b.py")
    assert text_of(Check(CheckStatus.REJECTED, "raised", "no\nwords", (one, other))).splitlines() == [
        "rejected: raised",
        "  no",
        "  words",
        "",
        "run.py --n 1 (in sub)",
        "  accepted",
        "  configuration (argparse; * given by the command):",
        "  * n     1",
        '    path  "a/b" (path)',
        "  ignored: --m 2 (the program accepts these words and does not use them)",
        "  unchecked: after parsing: x\\x1b[31m",
        "",
        "b.py",
        "  rejected: raised",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("nowhere -- python run.py", "nowhere: no such folder"),
        ("batch.jsonl -- python run.py", "batch.jsonl: is no folder"),
        ("repo", "give either"),
        ("repo --batch batch.jsonl -- python run.py", "give either"),
        ("repo --cwd .. -- python run.py", "the folder .. is outside of the repository"),
        ("repo --batch nowhere.jsonl", "cannot read nowhere.jsonl: No such file"),
        ("repo --batch empty.jsonl", "empty.jsonl is empty"),
        ("repo --environment . -- python run.py", "no virtual environment"),
        ("repo --batch batch.jsonl --workers 0", "--workers 0: at least 1"),
    ],
)
def test_a_question_that_makes_no_sense_is_one_clear_line(main: Main, arguments: str, said: str) -> None:
    code, output, errors = main(*arguments.split())
    assert (code, output) == (2, "")
    assert errors.count("\n") == 1
    assert errors.startswith("mlbench: ")
    assert said in errors


def test_a_batch_goes_on_after_a_bad_line_and_says_so_at_its_end(main: Main) -> None:
    code, output, said = main("repo", "--batch", "batch.jsonl")
    results = [json.loads(line) for line in output.splitlines()]
    assert [each.get("id") for each in results] == [0, 1, 2, None]
    assert [each["reason"] for each in results] == ["", "", "", "malformed-line"]
    assert code == 1
    assert [line.partition(":")[0] for line in said.splitlines()] == ["mlbench", "mlbench"]
    assert "1 malformed line in batch.jsonl; the rest was checked" in said


def test_ctrl_c_ends_a_batch_at_once_without_a_traceback(folder: Path) -> None:
    command = [str(command_line.MLBENCH), "probe", "repo", "--batch", "slow.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["status"] == "accepted"
        os.kill(process.pid, signal.SIGINT)
        rest, said = process.communicate(timeout=25)  # the bound of one of the programs is 30 seconds
    assert (process.returncode, rest) == (130, "")
    assert said.startswith("mlbench: stopped")
    assert said.count("\n") == 1


def test_a_closed_output_ends_a_batch_quietly(folder: Path) -> None:
    command = [str(command_line.MLBENCH), "probe", "repo", "--batch", "slow.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=25) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""
