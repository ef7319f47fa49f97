"""What a sandbox needs so that pip and uv inside it find the index: one folder in view, one command, some variables."""

from __future__ import annotations

import os

from mlbench.package_index.http_index import FILE_SECONDS, PAGE_SECONDS

PLACE = "/run/index"  # where the folder of the socket is to be shown
PORT = 3141
SOCKET = "socket"
FORWARDER = "forwarder.py"


def command(python: str = "python3", port: int = PORT) -> list[str]:
    """What is to run inside all the while, as any user; prints "ready" once the port is open.

    Args:
        python: an interpreter inside, 3.6 or later.
    """
    return [python, "-I", "-S", f"{PLACE}/{FORWARDER}", str(port), f"{PLACE}/{SOCKET}"]


def variables(port: int = PORT) -> dict[str, str]:
    """For every command inside that may install something. Nothing of the host is in it."""
    url = f"http://127.0.0.1:{port}/simple/"
    patience = str(int(FILE_SECONDS + PAGE_SECONDS))  # a file is sent once we have all of it
    return {
        "PIP_INDEX_URL": url,
        "PIP_CONFIG_FILE": os.devnull,  # what an image has there leads into a network that is not
        "PIP_DEFAULT_TIMEOUT": patience,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",  # the host keeps all of it, and room is scarce inside
        "PIP_NO_INPUT": "1",
        "UV_DEFAULT_INDEX": url,
        "UV_HTTP_TIMEOUT": patience,
        "UV_NO_CACHE": "1",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "NO_PROXY": "127.0.0.1,localhost",  # Docker hands its own proxies to containers
        "no_proxy": "127.0.0.1,localhost",
    }
