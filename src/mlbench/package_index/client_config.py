"""How pip and uv inside a sandbox are made to find the index: a mount, a command and environment variables."""

from __future__ import annotations

import os

from mlbench.package_index.http_index import FILE_SECONDS, PAGE_SECONDS

MOUNT_POINT = "/run/index"  # the folder of the socket has to be mounted here
PORT = 3141  # of the sandbox's loopback interface
SOCKET = "socket"
FORWARDER = "forwarder.py"


def forwarder_command(python: str = "python3") -> list[str]:
    """The command that has to run in the sandbox all the time, as any user. It prints "ready" once the port is open.

    Args:
        python: an interpreter inside the sandbox, version 3.6 or later.
    """
    return [python, "-I", "-S", f"{MOUNT_POINT}/{FORWARDER}", str(PORT), f"{MOUNT_POINT}/{SOCKET}"]


def environment_variables() -> dict[str, str]:
    """Variables for every command inside that may install packages. They say nothing about the host."""
    url = f"http://127.0.0.1:{PORT}/simple/"
    seconds = str(int(FILE_SECONDS + PAGE_SECONDS))  # a file is sent only after all of it has arrived here
    return {
        "PIP_INDEX_URL": url,
        "PIP_CONFIG_FILE": os.devnull,  # an image's own settings name hosts that cannot be reached
        "PIP_DEFAULT_TIMEOUT": seconds,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",  # the host keeps every file, and space inside is limited
        "PIP_NO_INPUT": "1",
        "PIP_PROGRESS_BAR": "off",  # it prints the speed: another one each time, which a resumed agent would notice
        "UV_DEFAULT_INDEX": url,
        "UV_HTTP_TIMEOUT": seconds,
        "UV_NO_CACHE": "1",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "NO_PROXY": "127.0.0.1,localhost",  # Docker passes its own proxies to containers
        "no_proxy": "127.0.0.1,localhost",
    }
