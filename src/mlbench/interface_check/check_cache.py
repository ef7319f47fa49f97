"""A cache of whole checks: what was checked before is neither traced by the shell nor given a jail again."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.interface_check.check_server import REPRODUCIBLE, CheckEnv
from mlbench.interface_check.recent_cache import RecentCache
from mlbench.records import Candidate, Check


@dataclass(frozen=True)
class CheckQuestion:
    """Everything that a check depends on.

    Attributes:
        place: the repository and its environment.
        env: the variables of every program.
        candidate: the candidate.
        folder: the folder in which it starts.
        prefix: shell text that runs before it.
        details: what is asked beside the configuration, in a fixed order.
    """

    place: CheckEnv
    env: tuple[tuple[str, str], ...]
    candidate: Candidate
    folder: str
    prefix: str
    details: tuple[tuple[str, str], ...]


class CheckCache:
    """The last checks whose results are reproducible.

    A check that needs to write starts a jail of its own, which is discarded. Its result is therefore the same again,
    but the cache of single answers cannot hold it.

    Args:
        most: checks that are kept.
    """

    def __init__(self, most: int = 1024) -> None:
        self._checks: RecentCache[CheckQuestion, Check] = RecentCache(most)
        self.get = self._checks.get

    def keep(self, question: CheckQuestion, check: Check) -> None:
        """Keep a check, unless its result may differ the next time."""
        if check.status in REPRODUCIBLE:
            self._checks.keep(question, check)
