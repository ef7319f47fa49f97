"""Run uv with pip's settings: its index, certificates and proxy.

python -m mlbench.repositories.uv_client pip compile pyproject.toml
"""

from __future__ import annotations

import os
import subprocess
import sys

import uv

from mlbench.records import RunError, UsageError
from mlbench.repositories.pip_config import uv_variables


def run_uv(what: str, *arguments: str) -> None:
    """Run uv.

    Args:
        what: name of what is built, for error messages.
        arguments: command line of uv.

    Raises:
        RunError: uv failed; quotes its message.
        UsageError: pip's settings cannot be read.
    """
    env = {**os.environ, **uv_variables()}
    done = subprocess.run([uv.find_uv_bin(), *arguments], capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        last = [line for line in done.stderr.strip().splitlines() if line.strip()][-3:]
        raise RunError(f"cannot build {what}: uv {arguments[0]}: {' '.join(last) or 'no output'}")


def main() -> None:
    """Replace this process by uv, with the arguments of the command line."""
    try:
        variables = uv_variables()
    except UsageError as error:
        sys.exit(f"uv_client: {error}")
    os.execve(uv.find_uv_bin(), ["uv", *sys.argv[1:]], {**os.environ, **variables})


if __name__ == "__main__":
    main()
