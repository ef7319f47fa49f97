"""Fill the cache of a judge's image, so that a verdict needs no downloads for the suite's own packages.

Used while the image is built: `python -m mlbench.harbor.prepare SUITE`. Nothing of a repository runs.
"""

from __future__ import annotations

import sys

from mlbench.interface_check.parser_env import parser_kit, spare_kit
from mlbench.repositories.agent_env import rebuilt
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.submission_folder import packages_of
from mlbench.scoring.runtime import machine


def prepare(suite: str) -> None:
    """Make the suite's checkouts and environments, and the environment that its reference installs.

    Raises:
        UsageError: there is no such suite, or its repositories are not here.
        RunError: an environment cannot be made.
    """
    runtime = machine("bubblewrap", suite, Limits(), None)
    parser_kit()
    if runtime.environment is not None:
        spare_kit(runtime.environment / "bin" / "python")
    if runtime.suite.requirements.is_file():
        rebuilt(packages_of(runtime.suite.requirements.read_text(encoding="utf-8")))


if __name__ == "__main__":
    prepare(sys.argv[1])
