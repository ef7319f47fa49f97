"""`mlbench.check` and batches: what is asked comes back in order, and a bad line ends nothing."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.util import SandboxUnavailableError

import mlbench
from mlbench.interface_check.api import described, json_of, probe_batch
from mlbench.interface_check.check_server import CheckServer
from mlbench.records import Check, CheckStatus, Invocation, RepositoryCall, RunError, UsageError

PROGRAM = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\np.parse_args()\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    (root / "run.py").write_text(PROGRAM)
    (root / "sleeps.py").write_text("import time\ntime.sleep(60)\n")
    (root / "sub").mkdir()
    return root


def batch(root: Path, file: Path, *lines: str, workers: int | None = 2) -> tuple[list[dict[str, Any]], list[str]]:
    file.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    results = list(probe_batch(root, file, None, workers))
    return [json.loads(line.encode("utf-8")) for line, _ in results], [fault for _, fault in results if fault]


def line(**fields: Any) -> str:
    return json.dumps(fields)


def test_one_question_from_python(root: Path) -> None:
    found = mlbench.check(root, "python run.py --n 3")
    assert (found.status, found.invocations[0].configuration) == (CheckStatus.ACCEPTED, {"n": 3})
    assert mlbench.check(str(root), ["python", "run.py", "--n", "a b"]).reason == "invalid-type"
    assert mlbench.check(root, "python ../run.py", cwd="sub").invocations[0].program == "run.py"


@pytest.mark.parametrize(
    ("folder", "more", "said"),
    [
        ("nowhere", {}, "no such folder"),
        ("run.py", {}, "is no folder"),
        (".", {"cwd": ".."}, "outside of the repository"),
        (".", {"environment": "sub"}, "no virtual environment"),
    ],
)
def test_a_question_that_makes_no_sense(root: Path, folder: str, more: dict[str, str], said: str) -> None:
    more = {name: str(root / value) if name == "environment" else value for name, value in more.items()}
    with pytest.raises(UsageError, match=said):
        mlbench.check(root / folder, "python run.py", **more)  # type: ignore[arg-type]


def test_an_empty_folder_has_no_program(tmp_path: Path) -> None:
    assert mlbench.check(tmp_path, "python run.py").reason == "no-such-file"


def test_a_machine_without_sandbox_is_one_line(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no(*_: object, **__: object) -> None:
        raise SandboxUnavailableError("there is no bubblewrap")

    monkeypatch.setattr(CheckServer, "start", no)
    with pytest.raises(RunError, match="there is no bubblewrap"):
        mlbench.check(root, "python run.py")
    with pytest.raises(RunError, match="there is no bubblewrap"):
        batch(root, tmp_path / "batch.jsonl", line(code="python run.py"))


def test_several_words_are_one_command_and_one_word_is_a_script(root: Path) -> None:
    found = mlbench.check(root, ["python", "run.py", "--n", "3"])
    assert json.loads(json_of(found))["configuration"] == {"n": 3}
    assert json.loads(json_of(mlbench.check(root, "cd sub; python ../run.py --n 4")))["configuration"] == {"n": 4}


def test_the_result_names_what_decides() -> None:
    good = Invocation(CheckStatus.ACCEPTED, program="a.py", configuration={"n": 1, "m": 2}, given=("n",))
    bad = Invocation(CheckStatus.REJECTED, "usage", "no", program="b.py", configuration={"n": 3})
    result = described(Check(CheckStatus.REJECTED, "usage", "no", (bad, good), 0.123456))
    assert (result["program"], result["seconds"], len(result["invocations"])) == ("b.py", 0.1235, 2)
    result = described(Check(CheckStatus.ACCEPTED, invocations=(good, good)))
    assert (result["configuration"], result["given"], result["defaults"]) == ({"n": 1, "m": 2}, ["n"], ["m"])
    code = Invocation(CheckStatus.ACCEPTED, how="code", calls=(RepositoryCall("lib.f", {"x": 1}, ("x",)),))
    result = json.loads(json.dumps(described(Check(CheckStatus.ACCEPTED, invocations=(code,)))))
    assert result["invocations"][0]["calls"] == [{"function": "lib.f", "arguments": {"x": 1}, "given": ["x"]}]
    assert described(Check(CheckStatus.REJECTED, "nothing"))["program"] == ""


def test_results_come_in_the_order_of_the_lines_with_what_else_stood_there(root: Path, tmp_path: Path) -> None:
    lines = [line(id=number, code=f"python run.py --n {number}", status="mine") for number in range(20)]
    lines.insert(0, line(id="slow", code="sleep 5; cat run.py; python run.py --n 99"))
    results, faults = batch(root, tmp_path / "batch.jsonl", *lines)
    assert [each["id"] for each in results] == ["slow", *range(20)]
    assert [each["configuration"]["n"] for each in results] == [99, *range(20)]
    assert {each["status"] for each in results} == {"accepted"}
    assert faults == []


@pytest.mark.parametrize("workers", [1, 3])
def test_a_bad_line_has_a_result_and_the_rest_goes_on(root: Path, tmp_path: Path, workers: int) -> None:
    lines = [
        '{"code": ',
        "[1]",
        line(cod="python run.py"),
        line(code=3),
        line(code="python run.py", cwd=3),
        line(code="python run.py", kind="perl"),
        line(code="python run.py", cwd="../.."),
        line(code="python run.py", cwd="x" * 5000),
        '{"code": "python run.py", "x": ' + "[" * 100_000,
        "\udc80\0",
        "",
        line(code="python run.py --n 5", cwd="sub/.."),
        line(code="python run.py --n \ud800", note="\ud800"),
    ]
    results, faults = batch(root, tmp_path / "batch.jsonl", *lines, workers=workers)
    assert [each["reason"] for each in results] == ["malformed-line"] * 10 + ["", "pasted-characters"]
    assert [each.get("line") for each in results[:10]] == list(range(1, 11))
    assert results[10]["configuration"] == {"n": 5}
    assert len(faults) == 10
    assert faults[2].startswith('line 3: expected an object with "code"')
    assert "outside of the repository" in faults[6]


def test_an_empty_batch_is_said(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is empty"):
        batch(root, tmp_path / "batch.jsonl", "", " ")
    with pytest.raises(UsageError, match="cannot read"):
        next(probe_batch(root, tmp_path, None, None))


def test_who_stops_to_listen_waits_for_nothing(root: Path, tmp_path: Path) -> None:
    """A closed output once let every line be checked to its end."""
    file = tmp_path / "batch.jsonl"
    sleeping = [line(code=f"python sleeps.py {number}") for number in range(4)]
    file.write_text("\n".join([line(code="python run.py"), *sleeping]))
    before = threading.active_count()
    results = probe_batch(root, file, None, 2)
    assert json.loads(next(results)[0])["status"] == "accepted"
    closing = threading.Thread(target=results.close)  # type: ignore[attr-defined]
    closing.start()
    closing.join(20)  # the bound of one of them is 30 seconds
    assert not closing.is_alive()
    assert threading.active_count() == before


def test_a_console_script_of_a_package_that_is_installed_from_another_folder(tmp_path: Path) -> None:
    """As esm has it: `esm.scripts` stands in `scripts/`."""
    (tmp_path / "setup.py").write_text(
        'from setuptools import setup\nS = {"lib": "lib", "lib.scripts": "scripts"}\n'
        'setup(packages=S.keys(), package_dir=S, entry_points={"console_scripts": ["fold=lib.scripts.fold:main"]})\n'
    )
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").touch()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "fold.py").write_text(
        "import argparse, torch\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('-n', type=int)\n"
        "    torch.set(p.parse_args().n)\n"
    )
    found = mlbench.check(tmp_path, "fold -n 3")
    assert (found.status, found.invocations[0].program) == ("accepted", "scripts/fold.py")
    assert found.invocations[0].configuration == {"n": 3}
    assert mlbench.check(tmp_path, "fold -n x").reason == "invalid-type"


def test_of_two_projects_with_one_package_the_one_that_is_worked_in_is_meant(tmp_path: Path) -> None:
    """`EVA-01/det` and `EVA-02/det` both hold `detectron2`: 13 commands of the second took the first's."""
    for name, text in (("first", ""), ("second", "decay = 0.9\n")):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "setup.py").touch()
        (tmp_path / name / "lib" / "__init__.py").write_text(text)
    (tmp_path / "second" / "tools").mkdir()
    (tmp_path / "second" / "tools" / "train.py").write_text(
        "import argparse\nfrom lib import decay\np = argparse.ArgumentParser()\n"
        "p.add_argument('-n', type=int)\np.parse_args()\n"
    )
    assert mlbench.check(tmp_path, "cd second && python tools/train.py -n 3").status == "accepted"


def test_a_result_that_is_tested_for_under_set_e(tmp_path: Path) -> None:
    """`test -s out.json` ended the text: no program is run here, and under `set -e` the test's failure was the end."""
    program = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nprint(p.parse_args().n)\n"
    )
    (tmp_path / "run.py").write_text(program)
    found = mlbench.check(tmp_path, "set -e\npython run.py --n 1\ntest -s out.json\npython run.py --n 2")
    assert [each.configuration for each in found.invocations] == [{"n": 1}, {"n": 2}]
