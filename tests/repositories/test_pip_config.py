"""Which index this machine installs from."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.repositories.pip_config import PYPI, Upstream, configured, hidden, uv_variables


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    """A pip.conf with one of everything; the tests read it by PIP_CONFIG_FILE, which holds against all other files."""
    (tmp_path / "wheels").mkdir()
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://mirror/simple\n"
        "extra-index-url = file:///more/simple\n    https://extra/simple\n"
        f"find_links = {tmp_path}/wheels /no/where\n    https://links/all.html\n"
        "cert = /ca.pem\nproxy = me:secret@proxy:3128\ntrusted-host = mirror\n    extra:8443\n"
        "[download]\nindex-url = https://not-this/simple\n"
    )
    return file


def test_without_any_setting_it_is_pypi() -> None:
    assert configured({"PIP_CONFIG_FILE": "/dev/null"}) == Upstream(PYPI)


def test_pips_file_says_it_all(conf: Path) -> None:
    assert configured({"PIP_CONFIG_FILE": str(conf)}) == Upstream(
        "https://mirror/simple/",
        ("file:///more/simple/", "https://extra/simple/"),
        (conf.parent / "wheels",),
        ("https://links/all.html",),
        "/ca.pem",
        "http://me:secret@proxy:3128",
        ("mirror", "extra:8443"),
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
    assert "secret" not in repr(Upstream("", proxy="http://me:secret@proxy"))


def test_uv_is_told_what_pip_is_told(conf: Path) -> None:
    """uv does not read pip.conf: behind a proxy or with a CA of one's own, `make demo` could install nothing."""
    assert uv_variables({"PIP_CONFIG_FILE": str(conf)}) == {
        "UV_DEFAULT_INDEX": "https://mirror/simple/",
        "UV_INDEX": "file:///more/simple/ https://extra/simple/",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": f"{conf.parent}/wheels,https://links/all.html",
        "SSL_CERT_FILE": "/ca.pem",
        "HTTPS_PROXY": "http://me:secret@proxy:3128",
        "HTTP_PROXY": "http://me:secret@proxy:3128",
        "UV_INSECURE_HOST": "mirror extra:8443",
    }


def test_uv_is_told_nothing_if_pip_is_told_nothing() -> None:
    assert uv_variables({"PIP_CONFIG_FILE": "/dev/null"}) == {}


def test_a_folder_of_certificates_and_no_index_at_all(tmp_path: Path) -> None:
    env = {"PIP_CONFIG_FILE": "/dev/null", "PIP_CERT": str(tmp_path), "PIP_NO_INDEX": "1"}
    assert uv_variables(env) == {"SSL_CERT_DIR": str(tmp_path), "UV_OFFLINE": "1"}


@pytest.mark.parametrize(
    ("env", "left"),
    [
        ({"UV_DEFAULT_INDEX": "https://b"}, {"UV_DEFAULT_INDEX"}),
        ({"UV_INDEX_URL": "https://b"}, {"UV_DEFAULT_INDEX"}),
        ({"UV_INDEX": "ours=https://b", "UV_INDEX_STRATEGY": "first-index"}, {"UV_INDEX", "UV_INDEX_STRATEGY"}),
        ({"UV_EXTRA_INDEX_URL": "https://b"}, {"UV_INDEX", "UV_INDEX_STRATEGY"}),
        ({"UV_FIND_LINKS": "/b"}, {"UV_FIND_LINKS"}),
        ({"SSL_CERT_FILE": "/b.pem"}, {"SSL_CERT_FILE"}),
        ({"https_proxy": "http://b"}, {"HTTPS_PROXY", "HTTP_PROXY"}),
        ({"UV_INSECURE_HOST": "b"}, {"UV_INSECURE_HOST"}),
    ],
)
def test_what_uv_is_told_itself_holds(conf: Path, env: dict[str, str], left: set[str]) -> None:
    file = {"PIP_CONFIG_FILE": str(conf)}
    assert uv_variables(file).keys() - uv_variables({**file, **env}).keys() == left


def test_a_proxy_of_the_environment_holds_against_pips(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    upstream = Upstream(PYPI, proxy="http://pip:1")
    assert upstream.proxy_for("https://host/simple/") == "http://pip:1"
    monkeypatch.setenv("HTTPS_PROXY", "http://environment:1")
    assert upstream.proxy_for("https://host/simple/") == "http://environment:1"
    assert upstream.proxy_for("http://host/simple/") == "http://pip:1"
    monkeypatch.setenv("NO_PROXY", "host")
    assert upstream.proxy_for("https://host/simple/") is None
