"""Which `pip install` uv may do in pip's place, and what it says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlbench.repositories.environments import bare_environment
from mlbench.repositories.pip_by_uv import as_pip, uv_arguments


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["install", "numpy"], ["numpy"]),
        (["install", "-q", "--no-cache-dir", "rich>=13", "numpy==2.4.6"], ["-q", "rich>=13", "numpy==2.4.6"]),
        (["install"], []),
        (["download", "numpy"], None),
        (["install", "-e", "."], None),
        (["install", "."], None),
        (["install", "./a.whl"], None),
        (["install", "git+https://example.org/a"], None),
        (["install", "--target", "here", "numpy"], None),
        (["install", "--index-url", "https://example.org", "numpy"], None),
        (["install", "-r", "no-such-file.txt"], None),
        (["-q", "install", "numpy"], None),
        ([], None),
    ],
)
def test_pip_itself_does_what_uv_would_do_otherwise(given: list[str], expected: list[str] | None) -> None:
    assert uv_arguments(given) == expected


def test_a_file_of_requirements_is_passed_on(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.touch()
    assert uv_arguments(["install", "--no-deps", "-r", str(file)]) == ["--no-deps", "-r", str(file)]


def test_the_words_are_those_of_pip_and_hold_no_time() -> None:
    said = "Resolved 2 packages in 26ms\nInstalled 2 packages in 1.59s\n + a==1.0\n + b-c==2.0\n"
    assert as_pip(said, ["a"]) == "Successfully installed a-1.0 b-c-2.0"
    assert as_pip("Checked 1 package in 2ms\n", ["a", "--upgrade"]) == "Requirement already satisfied: a"


def test_the_pip_of_other_environments_stays_as_it_is() -> None:
    """The line was once added to a link to uv's cache, and so to pip in every environment."""
    (start,) = bare_environment().glob("lib/python*/site-packages/pip/__init__.py")
    assert "mlbench_uv" in start.read_text()
    assert os.stat(start).st_nlink == 1
