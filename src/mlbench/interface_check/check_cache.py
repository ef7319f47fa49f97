"""A cache of whole checks: what was checked before is neither traced by the shell nor given a jail again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from mlbench.interface_check.check_server import REPRODUCIBLE, CheckEnv
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
        self._most = most
        self._checks: OrderedDict[CheckQuestion, Check] = OrderedDict()

    def get(self, question: CheckQuestion) -> Check | None:
        """The check of an equal question; None if it is not kept."""
        if question in self._checks:
            self._checks.move_to_end(question)
        return self._checks.get(question)

    def keep(self, question: CheckQuestion, check: Check) -> None:
        """Keep a check, unless its result may differ the next time."""
        if check.status in REPRODUCIBLE:
            self._checks[question] = check
            while len(self._checks) > self._most:
                self._checks.popitem(last=False)
