"""`mlbench probe`, as a user meets it: JSON on the output, faults in one line, whatever is asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlbench import cli

Main = Callable[..., tuple[int, str, str]]
MLBENCH = str(Path(sys.executable).parent / "mlbench")
PROGRAM = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\np.parse_args()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    for name, text in {"run.py": PROGRAM, "sleeps.py": "import time\ntime.sleep(60)\n"}.items():
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
    command = [MLBENCH, "probe", "repo", "--", "python", "run.py", "--n", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert (result["status"], result["program"], result["configuration"]) == ("accepted", "run.py", {"n": 3})
    assert (result["given"], result["defaults"], result["seconds"] > 0) == (["n"], [], True)


def test_a_rejected_command_is_no_failure_of_ours(main: Main) -> None:
    code, output, said = main("repo", "--cwd", ".", "--", "cd nowhere && python run.py")
    assert (code, json.loads(output)["reason"], said) == (0, "no-such-folder", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("nowhere -- python run.py", "no folder nowhere"),
        ("batch.jsonl -- python run.py", "batch.jsonl is no folder"),
        ("repo", "one of both"),
        ("repo --batch batch.jsonl -- python run.py", "one of both"),
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
    command = [MLBENCH, "probe", "repo", "--batch", "slow.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["status"] == "accepted"
        os.kill(process.pid, signal.SIGINT)
        rest, said = process.communicate(timeout=25)  # the bound of one of the programs is 30 seconds
    assert (process.returncode, rest) == (130, "")
    assert said.startswith("mlbench: stopped")
    assert said.count("\n") == 1


def test_a_closed_output_ends_a_batch_quietly(folder: Path) -> None:
    command = [MLBENCH, "probe", "repo", "--batch", "slow.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=25) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""
