"""Installing a requirement runs none of its code on this machine."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from mlbench.records import RunError
from mlbench.repositories.environments import environment

_BACKEND = """
from pathlib import Path
Path({marker!r}).write_text("ran")
def build_wheel(*arguments, **settings):
    raise SystemExit("built")
prepare_metadata_for_build_wheel = build_wheel
"""


def test_a_source_distribution_is_refused_and_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """uv built it, and with it ran a suite's code as this user, outside of any sandbox."""
    marker, index = tmp_path / "marker", tmp_path / "index"
    index.mkdir()
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "hook"\nbackend-path = ["."]\n',
        "hook.py": _BACKEND.format(marker=str(marker)),
        "PKG-INFO": "Metadata-Version: 2.1\nName: toad\nVersion: 1.0\n",
    }
    with tarfile.open(index / "toad-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"toad-1.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    for name, value in (("UV_NO_INDEX", "1"), ("UV_FIND_LINKS", str(index)), ("UV_NO_CACHE", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    digest = hashlib.sha256((index / "toad-1.0.tar.gz").read_bytes()).hexdigest()
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(f"toad==1.0 --hash=sha256:{digest}\n")
    with pytest.raises(RunError, match=r"^cannot build the candidates' environment: toad==1\.0 has no wheel for this "):
        environment(requirements)
    assert not marker.exists()
