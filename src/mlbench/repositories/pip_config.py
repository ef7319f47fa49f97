"""The package index of this machine, from environment variables, then pip.conf, then PyPI.

pip reads these itself. uv does not read pip.conf, so it gets the variables of `uv_variables`. The package index for
agents uses `configured`.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from platformdirs import site_config_path, user_config_path

from mlbench.records import UsageError

PYPI = "https://pypi.org/simple/"
_FALSE = ("", "0", "false", "no", "off")


@dataclass(frozen=True)
class Upstream:
    """Where packages come from.

    Attributes:
        index: URL of the main index; empty if pip is configured to use none (`no-index`).
        extras: URLs of further indexes, for packages that the main one does not have.
        links: folders of wheels and sdists, as pip's `find-links`.
        link_pages: URLs of pages with links to wheels and sdists, as pip's `find-links`. Only uv reads them.
        certificates: file or folder with the certificate authorities to trust; empty if pip is given none.
        proxy: URL of the proxy that pip is told to use. A proxy of the environment is preferred: see `proxy_for`.
        trusted: hosts, with or without a port, whose certificate is not checked.
    """

    index: str = field(default=PYPI, repr=False)  # a password may be in it
    extras: tuple[str, ...] = field(default=(), repr=False)
    links: tuple[Path, ...] = ()
    link_pages: tuple[str, ...] = field(default=(), repr=False)
    certificates: str = ""
    proxy: str = field(default="", repr=False)
    trusted: tuple[str, ...] = ()

    def proxy_for(self, url: str) -> str | None:
        """The proxy to ask for a URL: that of HTTPS_PROXY and the like, else pip's; None if NO_PROXY names the host."""
        parts = urlsplit(url)
        if proxy_bypass(parts.hostname or ""):
            return None
        told = getproxies()
        return told.get(parts.scheme) or told.get("all") or self.proxy or None


def configured(env: Mapping[str, str] | None = None) -> Upstream:
    """Return the configuration of this machine.

    Raises:
        UsageError: a URL is neither http, https nor file, or a pip.conf cannot be read.
    """
    env = os.environ if env is None else env
    settings = _pip_settings(env)
    extras = f"{settings.get('extra-index-url', '')} {env.get('UV_EXTRA_INDEX_URL', '')} {env.get('UV_INDEX', '')}"
    links = f"{settings.get('find-links', '')} {env.get('UV_FIND_LINKS', '').replace(',', ' ')}".split()
    folders = (folder_of(link) for link in links)
    index = (
        env.get("PIP_INDEX_URL")
        or env.get("UV_DEFAULT_INDEX")
        or env.get("UV_INDEX_URL")
        or settings.get("index-url")
        or PYPI
    )
    no_index = settings.get("no-index", "").lower() not in _FALSE
    proxy = settings.get("proxy", "")
    return Upstream(
        "" if no_index else _url(index),
        () if no_index else tuple(dict.fromkeys(_url(extra) for extra in extras.split())),
        tuple(folder for folder in folders if folder and folder.is_dir()),
        tuple(link for link in links if link.startswith(("http://", "https://"))),
        settings.get("cert", ""),
        f"http://{proxy}" if proxy and "://" not in proxy else proxy,
        tuple(settings.get("trusted-host", "").split()),
    )


def uv_variables(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return environment variables that give uv pip's settings; uv's own settings are not changed.

    Raises:
        UsageError: see `configured`.
    """
    env = os.environ if env is None else env
    upstream = configured(env)
    told = {
        "UV_FIND_LINKS": ",".join([*map(str, upstream.links), *upstream.link_pages]),
        "SSL_CERT_DIR" if Path(upstream.certificates).is_dir() else "SSL_CERT_FILE": upstream.certificates,
        "UV_INSECURE_HOST": " ".join(upstream.trusted),
        "UV_OFFLINE": "" if upstream.index else "1",
    }
    if upstream.index != PYPI and not env.get("UV_INDEX_URL"):
        told["UV_DEFAULT_INDEX"] = upstream.index
    if not env.get("UV_EXTRA_INDEX_URL"):
        told["UV_INDEX"] = " ".join(upstream.extras)
        told["UV_INDEX_STRATEGY"] = "unsafe-best-match" if upstream.extras else ""  # pip treats all indexes alike
    if not {"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} & {name.upper() for name, value in env.items() if value}:
        told |= {"HTTPS_PROXY": upstream.proxy, "HTTP_PROXY": upstream.proxy}
    return {name: value for name, value in told.items() if value and not env.get(name)}


def folder_of(url: str) -> Path | None:
    """Return the folder of a path or file URL; None for other URLs."""
    if "://" not in url and not url.startswith("file:"):
        return Path(url).expanduser().absolute()
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _url(text: str) -> str:
    """Normalise a URL: with a final slash, without the name that uv allows before it (`name=https://…`)."""
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
    """Return a URL without user and password, which may be shown."""
    head, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{head}{slashes}{host.rpartition('@')[2]}{slash}{path}"


def _pip_settings(env: Mapping[str, str]) -> dict[str, str]:
    """Return pip's options of `[global]` and `[install]`; later files and then variables take precedence."""
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
    """Return pip's configuration files, lowest precedence first (see pip's documentation, Configuration)."""
    told = env.get("PIP_CONFIG_FILE", "")
    if told == os.devnull:
        return []
    home = Path(env.get("HOME") or Path.home())
    user = Path(env["XDG_CONFIG_HOME"], "pip") if env.get("XDG_CONFIG_HOME") else user_config_path("pip", False)
    files = [site_config_path("pip", False) / "pip.conf", Path("/etc/pip.conf")]
    files += [home / ".pip" / "pip.conf", user / "pip.conf", Path(sys.prefix, "pip.conf")]
    return [file for file in [*files, *([Path(told)] if told else [])] if file.is_file()]
