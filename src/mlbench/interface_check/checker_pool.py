"""The checkers of a suite's repositories on one machine, with a shared pool of servers."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.interface_check.runtime.recorder import PARSERS
from mlbench.repositories.checkout import files_of
from mlbench.repositories.environments import environment
from mlbench.sandbox.bubblewrap import at_cleanup
from mlbench.sandbox.runtime import Runtime

_IMPORT = re.compile(r"(?m)^(?:from|import) ([A-Za-z][\w.]*)")
MOST_SERVERS = 40
"""Maximum number of warm servers; each holds about 30 MB."""


class Checkers:
    """One checker per repository. Servers start on first use, and end with the task or with `close`.

    Args:
        remember: reuse the answer to a question that was asked before.
    """

    def __init__(self, machine: Runtime, *, remember: bool = True) -> None:
        self._machine = machine
        self._remember = remember
        self._servers: Servers | None = None
        self._subjects: dict[str, CheckTarget] = {}

    def of(self, repository: str) -> Checker:
        """Return the checker of the repository with this name."""
        if self._servers is None:
            of_each = min(self._machine.workers, len(os.sched_getaffinity(0)))  # each keeps its warm servers
            some = len(self._machine.checkouts) * of_each + self._machine.workers
            self._servers = Servers(min(some, MOST_SERVERS), remember=self._remember)
            at_cleanup(self.close)
        if repository not in self._subjects:  # called for every candidate
            self._subjects[repository] = self._subject(repository)
        return Checker(self._subjects[repository], self._servers)

    def _subject(self, repository: str) -> CheckTarget:
        env = self._machine.python_path(repository)
        folder = self._machine.checkouts[repository]
        if self._machine.requirements is not None:
            where = self._machine.environment or environment(self._machine.requirements)
            place = CheckEnv(folder, where, _heavy(where, folder))
        else:  # stubs replace missing modules
            place = CheckEnv(folder)
        return CheckTarget(place, env)

    async def close(self) -> None:
        """Close the servers. The next question starts new ones."""
        servers, self._servers = self._servers, None
        if servers is not None:
            await servers.close()


def _heavy(environment: Path, repository: Path) -> tuple[str, ...]:
    """The modules of an environment that the repository imports. Each server loads them once, at its start.

    Libraries that parse command lines are left out, because the check wraps them while they load.
    """
    found = {"numpy"}
    for file in files_of(repository):
        if file.suffix == ".py":
            found.update(_IMPORT.findall(file.read_text(encoding="utf-8", errors="replace")))
    (packages, *_) = [*environment.glob("lib/python3.*/site-packages"), None]
    there = [name for name in sorted(found) if packages and (packages / name.partition(".")[0]).is_dir()]
    return tuple(name for name in there if name.partition(".")[0] not in PARSERS)
