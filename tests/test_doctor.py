"""`mlbench doctor`: what is missing is named with the line that mends it; values of keys are never shown."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from mlbench import doctor
from mlbench.cli import main
from mlbench.doctor import Finding, State, before_first_run
from mlbench.records import RunError
from mlbench.sandbox.docker.engine import answering

ROOT = Path(__file__).resolve().parents[1]


def examined(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[object, dict[str, dict[str, str]], str]:
    """The exit code, the findings by name, and all that was printed."""
    monkeypatch.setattr(sys, "argv", ["mlbench", "doctor", "--json"])
    with pytest.raises(SystemExit) as leaving:
        main()
    out = capsys.readouterr().out
    return leaving.value.code, {each["name"]: each for each in json.loads(out)}, out


def test_it_says_what_is_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SOME_API_KEY", "a secret")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    code, found, out = examined(monkeypatch, capsys)
    needed = ("system", "bubblewrap", "user namespaces", "uv", "cache", "disk")
    assert set(needed) | {"cgroups", "docker", "keys", *(f"extra {name}" for name in extras)} <= set(found)
    assert code == int(any(found[name]["state"] == "missing" for name in needed))
    assert "SOME_API_KEY" in found["keys"]["detail"] and "a secret" not in out
    assert all(bool(each["remedy"]) == (each["state"] != "ok") for each in found.values())


def test_what_is_missing_is_an_exit_code_and_a_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "file" / "below"))
    (tmp_path / "file").touch()
    answering.cache_clear()
    code, found, _ = examined(monkeypatch, capsys)
    assert code == 1
    assert (found["bubblewrap"]["state"], found["bubblewrap"]["remedy"]) == (
        "missing",
        "sudo apt-get install bubblewrap",
    )
    assert found["cache"]["state"] == "missing" and "MLBENCH_CACHE" in found["cache"]["remedy"]
    assert found["docker"]["state"] == "absent" and "docs.docker.com" in found["docker"]["remedy"]


def test_the_quick_part_runs_before_a_first_evaluation_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path))
    looked: list[str] = []

    def sound() -> list[Finding]:
        looked.append("once")
        return [Finding("bubblewrap", State.OK, "here")]

    monkeypatch.setattr(doctor, "needed", lambda: [Finding("bubblewrap", State.MISSING, "not installed", "get it")])
    before_first_run("docker")  # it needs no bubblewrap
    with pytest.raises(RunError, match="bubblewrap: not installed: get it; `mlbench doctor`"):
        before_first_run()
    monkeypatch.setattr(doctor, "needed", sound)
    before_first_run()
    before_first_run()
    assert looked == ["once"]
