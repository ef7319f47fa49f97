"""Fill the cache of a judge's image, so that a verdict needs no downloads for the suite's own packages.

Used while the image is built: `python -m mlbench.harbor.prepare SUITE REPOSITORY POLICY`. Nothing of a repository runs.
"""

from __future__ import annotations

import sys

from mlbench.interface_check.parser_env import parser_kit, spare_kit
from mlbench.records import Policy
from mlbench.repositories.agent_env import rebuilt
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.submission_folder import packages_of
from mlbench.scoring.runtime import machine


def prepare(suite: str, repository: str, policy: Policy) -> None:
    """Make the checkout and the environments that a judge needs, and the environment that a reference installs.

    Args:
        suite: the suite's name or folder.
        repository: the repository of the row.
        policy: the policy of the reward; `interface` needs no environment of the suite.

    Raises:
        UsageError: there is no such suite, or the repository is not here.
        RunError: the repository differs from its pin, or an environment cannot be made.
    """
    executed = policy is not Policy.INTERFACE
    runtime = machine("bubblewrap", suite, Limits(), None, execute=executed, repositories=(repository,))
    parser_kit()
    if runtime.environment is not None:
        spare_kit(runtime.environment / "bin" / "python")
    if executed and runtime.suite.requirements.is_file():
        rebuilt(packages_of(runtime.suite.requirements.read_text(encoding="utf-8")))


if __name__ == "__main__":
    prepare(sys.argv[1], sys.argv[2], Policy(sys.argv[3]))
