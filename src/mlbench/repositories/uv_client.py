"""Run uv with pip's settings: its index, certificates and proxy.

python -m mlbench.repositories.uv_client pip compile pyproject.toml
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import uv

from mlbench.records import RunError, UsageError
from mlbench.repositories.pip_config import uv_variables

ONLY_WHEELS = ("--only-binary", ":all:")
"""Options of `uv pip install`: building a package from its sources would run its code outside of the sandbox."""
_NO_WHEEL = re.compile(r"Because ([\w.-]{1,100})==([\w.!+-]{1,100}) has no (?:usable )?wheels")


class NoWheelError(RunError):
    """A package cannot be installed, because the index has only its sources for this platform and Python."""

    def __init__(self, what: str, name: str, version: str) -> None:
        super().__init__(
            f"cannot build {what}: {name}=={version} has no wheel for this Python; building it would run its code here."
            " List a version that has one"
        )
        self.name, self.version = name, version


def run_uv(what: str, *arguments: str) -> None:
    """Run uv.

    Args:
        what: name of what is built, for error messages.
        arguments: command line of uv.

    Raises:
        NoWheelError: only wheels are allowed, and a package has none.
        RunError: uv failed; quotes its message.
        UsageError: pip's settings cannot be read.
    """
    env = {**os.environ, **uv_variables()}
    done = subprocess.run([uv.find_uv_bin(), *arguments], capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        if found := _NO_WHEEL.search(done.stderr):
            raise NoWheelError(what, found[1], found[2])
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
