"""Which package index this machine installs from, as its pip and uv are told: variables, then pip.conf, then PyPI."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from platformdirs import site_config_path, user_config_path

from mlbench.types import UsageError

PYPI = "https://pypi.org/simple/"
_FALSE = ("", "0", "false", "no", "off")


@dataclass(frozen=True)
class Upstream:
    """Where packages come from.

    Attributes:
        index: URL of the main index; empty where pip is told to use none (`no-index`).
        extras: URLs of the indexes that are asked for what the main one does not have.
        links: folders of wheels and sdists, as pip's `find-links` (its web pages are not looked at).
        certificates: file with the certificate authorities to trust, where pip is given one; else httpx decides.
    """

    index: str = field(default=PYPI, repr=False)  # a password may be in it
    extras: tuple[str, ...] = field(default=(), repr=False)
    links: tuple[Path, ...] = ()
    certificates: str = ""


def configured(env: Mapping[str, str] | None = None) -> Upstream:
    """What this machine is set up for.

    Raises:
        UsageError: a URL is neither http, https nor file, or a pip.conf cannot be read.
    """
    env = os.environ if env is None else env
    settings = _pip_settings(env)
    extras = f"{settings.get('extra-index-url', '')} {env.get('UV_EXTRA_INDEX_URL', '')} {env.get('UV_INDEX', '')}"
    links = f"{settings.get('find-links', '')} {env.get('UV_FIND_LINKS', '').replace(',', ' ')}".split()
    folders = (folder_of(link) for link in links)
    upstream = Upstream(
        _url(
            env.get("PIP_INDEX_URL")
            or env.get("UV_DEFAULT_INDEX")
            or env.get("UV_INDEX_URL")
            or settings.get("index-url")
            or PYPI
        ),
        tuple(dict.fromkeys(_url(extra) for extra in extras.split())),
        tuple(folder for folder in folders if folder and folder.is_dir()),
        settings.get("cert", ""),
    )
    if settings.get("no-index", "").lower() not in _FALSE:
        return Upstream("", (), upstream.links, upstream.certificates)
    return upstream


def folder_of(url: str) -> Path | None:
    """The folder that a path or a file URL names; None for what lies elsewhere."""
    if "://" not in url and not url.startswith("file:"):
        return Path(url).expanduser().absolute()
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _url(text: str) -> str:
    """With a slash at the end, and without the name that uv allows before it (`name=https://…`)."""
    head, _, rest = text.partition("=")
    url = rest if rest and "/" not in head else text
    folder = folder_of(url)
    url = folder.as_uri() if folder else url
    if urlsplit(url).scheme not in ("http", "https", "file"):
        raise UsageError(
            f"the package index {hidden(url)} is neither http, https nor file: see PIP_INDEX_URL, pip.conf"
        )
    return url.rstrip("/") + "/"


def hidden(url: str) -> str:
    """A URL as it may be shown: without user and password."""
    head, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{head}{slashes}{host.rpartition('@')[2]}{slash}{path}"


def _pip_settings(env: Mapping[str, str]) -> dict[str, str]:
    """pip's options of `[global]` and `[install]`, the later file before the earlier, variables before all."""
    settings: dict[str, str] = {}
    for file in _pip_files(env):
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read pip's settings in {file}: {' '.join(str(error).split())}") from error
        for section in ("global", "install"):
            if parser.has_section(section):
                settings |= {name.replace("_", "-").removeprefix("--"): value for name, value in parser.items(section)}
    for name, value in env.items():
        if name.startswith("PIP_") and value:
            settings[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return settings


def _pip_files(env: Mapping[str, str]) -> list[Path]:
    """Where pip looks, what is found later holds (pip's documentation, Configuration, Location and Precedence)."""
    told = env.get("PIP_CONFIG_FILE", "")
    if told == os.devnull:
        return []
    home = Path(env.get("HOME") or Path.home())
    user = Path(env["XDG_CONFIG_HOME"], "pip") if env.get("XDG_CONFIG_HOME") else user_config_path("pip", False)
    files = [site_config_path("pip", False) / "pip.conf", Path("/etc/pip.conf")]
    files += [home / ".pip" / "pip.conf", user / "pip.conf", Path(sys.prefix, "pip.conf")]
    return [file for file in [*files, *([Path(told)] if told else [])] if file.is_file()]
