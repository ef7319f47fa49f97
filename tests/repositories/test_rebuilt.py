"""The environment that is built from the names of what an agent installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import RunError
from mlbench.repositories import agent_env as module
from mlbench.repositories.agent_env import MOST_PACKAGES, Pin, pins_of, rebuilt


def test_only_names_that_an_index_could_know_are_taken() -> None:
    names = [
        "numpy-1.26.4.dist-info",
        "Ruamel.Yaml-0.18.dist-info",
        "torch-2.3.0+cpu.dist-info",
        "pip-24.0.dist-info",
        "numpy",
        "a;id-1.0.dist-info",
        "--index-url-1.0.dist-info",
        "../x-1.0.dist-info",
        "x-not.a.version!.dist-info",
        "",
    ]
    assert pins_of(names) == (Pin("numpy", "1.26.4"), Pin("ruamel-yaml", "0.18"), Pin("torch", "2.3.0+cpu"))


def test_of_two_versions_the_higher_is_taken() -> None:
    assert pins_of(["six-1.9.dist-info", "six-1.16.dist-info", "Six-1.2.dist-info"]) == (Pin("six", "1.16"),)


def test_their_number_is_bounded() -> None:
    assert len(pins_of(f"p{number}-1.0.dist-info" for number in range(2 * MOST_PACKAGES))) == MOST_PACKAGES


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """Stands in for uv: `good` can be had, `down` needs a network, all else is unknown."""
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path))
    calls: list[tuple[str, ...]] = []

    def run(what: str, *arguments: str) -> None:
        if arguments[0] == "venv":
            packages = Path(arguments[-1], "lib", "python3", "site-packages")
            packages.mkdir(parents=True)
            return
        wanted = [word for word in arguments if "==" in word]
        calls.append(tuple(wanted))
        for word in wanted:
            if word.startswith("down"):
                raise RunError("cannot build: uv pip: Failed to fetch `down`")
            if not word.startswith("good"):
                raise RunError("cannot build: uv pip: there is no version of " + word)

    monkeypatch.setattr(module, "run_uv", run)
    monkeypatch.setattr("mlbench.repositories.environments.run_uv", run)
    return calls


def test_what_no_index_has_is_left_out_and_said(asked: list[tuple[str, ...]]) -> None:
    pins = [Pin("bad", "1"), Pin("good", "1"), Pin("goodness", "2"), Pin("worse", "3")]
    made = rebuilt(pins)
    assert made.left_out == (Pin("bad", "1"), Pin("worse", "3"))
    assert ("good==1", "goodness==2") not in asked[:1]
    count = len(asked)
    assert rebuilt(pins) == made
    assert len(asked) == count, "what is built is not built again"


def test_without_the_index_nobody_is_blamed(asked: list[tuple[str, ...]]) -> None:
    with pytest.raises(RunError, match="Failed to fetch"):
        rebuilt([Pin("down", "1")])
    with pytest.raises(RunError, match="Failed to fetch"):
        rebuilt([Pin("down", "1")])


def test_what_there_is_not_for_this_python_is_taken_in_an_earlier_version(asked: list[tuple[str, ...]]) -> None:
    """A container's Python 3.13 installed a numpy that knows no 3.11: the judge had none, and `gold` failed."""
    pins = [Pin("bad", "1"), Pin("good", "1")]
    made = rebuilt(pins, (), [Pin("bad", "1")])
    assert (made.left_out, made.earlier) == ((), (Pin("bad", "1"),))
    assert asked[:1] == [("good==1",)]
    assert made.folder != rebuilt(pins).folder
