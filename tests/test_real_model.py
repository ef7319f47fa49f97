"""`make real-model`: its server ends with whoever started it, however that ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.real_model import serving


def server(folder: Path, body: str) -> Path:
    """A program in the place of the server's Python; it notes its process number."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\n{body}\n")
    program.chmod(0o755)
    return program


def runs(folder: Path) -> bool:
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_the_server_ends_with_the_evaluation(tmp_path: Path) -> None:
    python = server(tmp_path, "echo http://127.0.0.1:8000; cat > /dev/null")
    with serving(python, tmp_path / "log") as url:
        assert url == "http://127.0.0.1:8000/v1" and runs(tmp_path)
    assert not runs(tmp_path)


def test_the_server_ends_when_the_evaluation_is_stopped(tmp_path: Path) -> None:
    python = server(tmp_path, "echo http://127.0.0.1:8000; cat > /dev/null")
    with pytest.raises(KeyboardInterrupt), serving(python, tmp_path / "log"):
        raise KeyboardInterrupt
    assert not runs(tmp_path)


def test_a_server_that_does_not_start_says_where_to_look(tmp_path: Path) -> None:
    python = server(tmp_path, "echo 'no model' >&2; exit 1")
    with pytest.raises(RuntimeError, match="did not start: .*log says why"), serving(python, tmp_path / "log"):
        pass
    assert (tmp_path / "log").read_text() == "no model\n"
