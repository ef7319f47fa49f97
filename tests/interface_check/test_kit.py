import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.interface_check import parser_env
from mlbench.records import RunError


def test_the_kit_is_built_once_and_imports_without_anything_else() -> None:
    folder = parser_env.parser_kit()
    assert folder == parser_env.parser_kit(Path(sys.executable))
    program = "import sys; sys.path.append(sys.argv[1]); import absl.app, click, docopt, fire, hydra, omegaconf, typer"
    subprocess.run([sys.executable, "-I", "-S", "-c", program, str(folder)], check=True)


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("docopt==0.6.2\n")  # without its hash
    monkeypatch.setattr(parser_env, "LOCK", lock)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RunError, match="cannot build the parser kit"):
        parser_env.parser_kit()
    assert [entry for entry in (tmp_path / "cache" / "parsers").iterdir() if entry.is_dir()] == []


def test_an_environment_for_which_none_can_be_built_is_asked_once(tmp_path: Path) -> None:
    """It may have all it needs; without network each of its jails would wait for a build that fails."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexit 1\n")
    python.chmod(0o755)
    assert [parser_env.spare_kit(python), parser_env.spare_kit(python)] == [None, None]
    assert (tmp_path / "asked").read_text() == "asked\n"
    assert parser_env.spare_kit(tmp_path / "nowhere") is None
    assert parser_env.spare_kit(Path(sys.executable)) == parser_env.parser_kit()
