"""Environments of foreign agents: what stands in them, for whom they are, and what is said where there is none."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inspect_ai.agent import is_agent

from mlbench.agents import agent_envs
from mlbench.agents.agent_envs import FOREIGN, Interpreter, agent_environment, lock, of_image, why_not
from mlbench.agents.registry import entry
from mlbench.records import RunError, UsageError

Docker = Callable[[str], None]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    of_image.cache_clear()
    yield
    of_image.cache_clear()


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Installs one module instead of hundreds of megabytes; returns what it was told."""
    told: list[tuple[str, ...]] = []

    def install(what: str, *arguments: str) -> None:
        told.append(arguments)
        packages = Path(arguments[arguments.index("--target") + 1])
        packages.mkdir(parents=True)
        (packages / "installed_here.py").write_text("WORD = 'there'\n")

    monkeypatch.setattr(agent_envs, "run_uv", install)
    return told


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    """Puts a program of that name first in PATH."""

    def put(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "docker").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "docker").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return put


def answer(*fields: object) -> str:
    return f"echo '{json.dumps(fields)}'"


@pytest.mark.parametrize("name", FOREIGN)
def test_each_has_a_lock_a_driver_and_an_agent(name: str) -> None:
    assert is_agent(entry(name).make("pocket"))
    assert agent_envs._driver(name).is_file()
    text = lock(name).read_text()
    pins = re.findall(r"^(\S+?)==\S+", text, re.MULTILINE)
    assert FOREIGN[name].package in pins
    assert text.count(" \\\n    --hash=sha256:") >= len(pins)
    assert "://" not in text and "index-url" not in text


def test_what_openhands_does_without_is_not_locked() -> None:
    """A package under the LGPL, to be built from sources, and a proprietary one were in its lock, and never used."""
    left_out = re.findall(r"^([\w-]+)", lock("openhands").with_suffix(".without").read_text(), re.MULTILINE)
    pins = re.findall(r"^(\S+?)==", lock("openhands").read_text(), re.MULTILINE)
    assert {"lmnr", "func-timeout"} <= set(left_out)
    assert not {*left_out, "lmnr-claude-code-proxy", "posthog"} & set(pins)


def test_an_environment_runs_the_agent_by_the_jail_s_python(uv: list[tuple[str, ...]]) -> None:
    folder = agent_environment("autogen")
    assert list(folder.rglob("installed_here.*.pyc"))  # where it is read-only, nothing is compiled later
    python = os.popen(f"{folder}/bin/python -I -c 'import installed_here as i, sys; print(i.WORD, sys.prefix)'").read()
    assert python.split() == ["there", str(folder)]
    assert (folder / "driver.py").read_bytes() == agent_envs._driver("autogen").read_bytes()
    assert "--require-hashes" in uv[0] and "--python-platform" not in uv[0]
    assert uv[0][uv[0].index("--only-binary") + 1] == ":all:"  # sources would run code of theirs on this machine
    assert agent_environment("autogen") == folder and len(uv) == 1


def test_another_driver_makes_another_environment(
    uv: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = agent_environment("autogen")
    (tmp_path / "driver.py").write_text("print('changed')\n")
    monkeypatch.setattr(agent_envs, "_driver", lambda name: tmp_path / "driver.py")
    assert agent_environment("autogen") != first


def test_nothing_half_built_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(what: str, *arguments: str) -> None:
        raise RunError(f"cannot build {what}: no network")

    monkeypatch.setattr(agent_envs, "run_uv", fail)
    with pytest.raises(RunError, match="cannot build the agent autogen: no network"):
        agent_environment("autogen")
    assert why_not("autogen") == "the agent autogen is not installed: mlbench agents install autogen"


def test_one_that_is_installed_can_run(uv: list[tuple[str, ...]]) -> None:
    assert why_not("autogen") is not None
    agent_environment("autogen")
    assert why_not("autogen") is None


def test_the_python_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def older() -> Interpreter:
        return Interpreter(sys.executable, (3, 11), "x86_64")

    monkeypatch.setattr(agent_envs, "of_jail", older)
    reason = why_not("openhands")
    assert reason and "needs Python >= 3.12, this is 3.11" in reason and "--sandbox docker" in reason
    with pytest.raises(RunError, match="needs Python >= 3.12"):
        agent_environment("openhands")


def test_an_image_is_asked_for_its_python_and_filled_from_outside(docker: Docker, uv: list[tuple[str, ...]]) -> None:
    docker(answer("/usr/bin/python3.13", 3, 13, "x86_64", "glibc"))
    assert why_not("aider", "some:1") == (
        "the agent aider needs Python >= 3.11, < 3.13, the image some:1 has 3.13: give an image that has one"
    )
    assert str(why_not("openhands", "some:1")).endswith("mlbench agents install openhands --image some:1")
    folder = agent_environment("openhands", "some:1")
    assert os.readlink(folder / "bin" / "python") == "/usr/bin/python3.13"
    assert "home = /usr/bin\n" in (folder / "pyvenv.cfg").read_text()
    assert (folder / "lib" / "python3.13" / "site-packages" / "installed_here.py").is_file()
    assert {"3.13", "x86_64-manylinux_2_28"} <= set(uv[0])


def test_an_image_without_glibc_is_refused(docker: Docker) -> None:
    docker(answer("/usr/bin/python3", 3, 13, "x86_64", ""))
    with pytest.raises(RunError, match="the image alpine:1 has no glibc"):
        why_not("autogen", "alpine:1")


def test_an_image_that_is_missing_is_named(docker: Docker) -> None:
    docker("echo \"Unable to find image 'none:1' locally\" >&2; exit 125")
    with pytest.raises(RunError, match="cannot ask the image none:1 for its Python: Unable to find image 'none:1'"):
        why_not("autogen", "none:1")


def test_an_unknown_agent_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no foreign agent 'devin'; there are aider, autogen"):
        agent_environment("devin")
