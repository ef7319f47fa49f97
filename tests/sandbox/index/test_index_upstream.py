"""Which index this machine installs from."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.sandbox.index.upstream import PYPI, Upstream, configured, hidden
from mlbench.types import UsageError


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    """A pip.conf with one of everything; the tests read it by PIP_CONFIG_FILE, which holds against all other files."""
    (tmp_path / "wheels").mkdir()
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://mirror/simple\n"
        f"extra-index-url = file:///more/simple\n    https://extra/simple\nfind_links = {tmp_path}/wheels /no/where\n"
        "cert = /ca.pem\n[download]\nindex-url = https://not-this/simple\n"
    )
    return file


def test_without_any_setting_it_is_pypi() -> None:
    assert configured({"PIP_CONFIG_FILE": "/dev/null"}) == Upstream(PYPI)


def test_pips_file_says_it_all(conf: Path) -> None:
    assert configured({"PIP_CONFIG_FILE": str(conf)}) == Upstream(
        "https://mirror/simple/",
        ("file:///more/simple/", "https://extra/simple/"),
        (conf.parent / "wheels",),
        "/ca.pem",
    )


@pytest.mark.parametrize(
    ("env", "index"),
    [
        ({"PIP_INDEX_URL": "https://a/simple", "UV_DEFAULT_INDEX": "https://b/simple"}, "https://a/simple/"),
        ({"UV_DEFAULT_INDEX": "ours=https://b/s=1/simple", "UV_INDEX_URL": "https://c"}, "https://b/s=1/simple/"),
        ({"UV_INDEX_URL": "https://c/simple//"}, "https://c/simple/"),
        ({"PIP_INDEX_URL": ""}, "https://mirror/simple/"),
        ({"PIP_INDEX_URL": "/srv/simple"}, "file:///srv/simple/"),
        ({"PIP_NO_INDEX": "1"}, ""),
        ({"PIP_NO_INDEX": "0"}, "https://mirror/simple/"),
    ],
)
def test_variables_hold_against_the_file(conf: Path, env: dict[str, str], index: str) -> None:
    assert configured({"PIP_CONFIG_FILE": str(conf), **env}).index == index


def test_the_section_of_install_holds_against_global(conf: Path) -> None:
    conf.write_text(conf.read_text() + "[install]\nindex-url = https://nearer/simple\n")
    assert configured({"PIP_CONFIG_FILE": str(conf)}).index == "https://nearer/simple/"


def test_an_impossible_url_is_named_without_its_password() -> None:
    with pytest.raises(UsageError, match="ftp://host/simple is neither") as error:
        configured({"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "ftp://me:secret@host/simple"})
    assert "secret" not in str(error.value)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text("index-url = x\n")
    with pytest.raises(UsageError, match="pip.conf"):
        configured({"PIP_CONFIG_FILE": str(file)})


def test_a_password_is_shown_nowhere() -> None:
    assert hidden("https://me:secret@host:1/a@b/") == "https://host:1/a@b/"
    assert "secret" not in repr(Upstream("https://me:secret@host/simple/", ("https://me:secret@other/",)))
