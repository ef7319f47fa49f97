import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.invocations import kit
from mlbench.types import RunError


def test_the_kit_is_built_once_and_imports_without_anything_else() -> None:
    folder = kit.parser_kit()
    assert folder == kit.parser_kit(Path(sys.executable))
    program = "import sys; sys.path.append(sys.argv[1]); import absl.app, click, docopt, fire, hydra, omegaconf, typer"
    subprocess.run([sys.executable, "-I", "-S", "-c", program, str(folder)], check=True)


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("docopt==0.6.2\n")  # without its hash
    monkeypatch.setattr(kit, "LOCK", lock)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RunError, match="cannot build the parser kit"):
        kit.parser_kit()
    assert [entry for entry in (tmp_path / "cache" / "parsers").iterdir() if entry.is_dir()] == []
