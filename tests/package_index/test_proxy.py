"""An index behind the proxy of pip.conf is reached by uv and by the agents' index."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.repositories.pip_config import configured
from mlbench.repositories.uv_client import run_uv
from tests.package_index.fake_index import FakeIndex, served

ELSEWHERE = "http://packages.invalid"  # a name that nothing resolves: only the proxy can answer for it


@pytest.fixture
def behind_a_proxy(fake: FakeIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeIndex:
    """An index that only answers as a proxy, which a pip.conf names."""
    fake.add("tiny", with_metadata=True)  # else uv asks for a part of the wheel, which this server cannot
    fake.answers |= {f"{ELSEWHERE}{path}": answer for path, answer in fake.answers.items()}
    file = tmp_path / "pip.conf"
    file.write_text(f"[global]\nindex-url = {ELSEWHERE}/simple\nproxy = {fake.host.removeprefix('http://')}\n")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    monkeypatch.setenv("UV_NO_CACHE", "1")
    monkeypatch.setattr("mlbench.repositories.pip_config._pip_files", lambda env: [file])
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX"):
        monkeypatch.delenv(name, raising=False)
    return fake


def test_uv_goes_through_it(behind_a_proxy: FakeIndex, tmp_path: Path) -> None:
    run_uv("a test", "pip", "install", "--quiet", "--target", str(tmp_path / "got"), "tiny")
    assert (tmp_path / "got" / "tiny.py").is_file()
    assert behind_a_proxy.asked[f"{ELSEWHERE}/simple/tiny/"] == 1


def test_the_agents_index_goes_through_it(behind_a_proxy: FakeIndex, tmp_path: Path) -> None:
    with served(configured(), tmp_path / "index") as client:
        assert "tiny-1.0-py3-none-any.whl" in client.get("/simple/tiny/").text
    assert behind_a_proxy.asked[f"{ELSEWHERE}/simple/tiny/"] == 1
