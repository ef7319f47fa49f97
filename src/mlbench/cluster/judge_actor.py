"""The worker on a node: a process with warm checkers, which judges batches of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlbench.cluster.node_worker import NodeWorker
from mlbench.records import Candidate, Policy, UsageError
from mlbench.source_digest import source_digest

if TYPE_CHECKING:
    from mlbench.interface_check.verdict_cache import StoredResult
    from mlbench.scoring.runtime import SuiteRuntime
    from mlbench.scoring.stored_scorer import StoredScorer


@dataclass(frozen=True)
class JudgeConfig:
    """What a worker has to know before its first answer; every node is prepared alike.

    Attributes:
        suite: the suite's name, or the path of its folder on every node.
        paper_timeout: seconds after which a running program passes under `paper`.
        limits: bounds of one candidate, by name.
        policy: see `scoring.runtime.machine`.
        gpus: whether answers may use the GPUs of a node.
        execute: False judges by `interface` alone.
        code: the digest of the code of mlbench that every node must have.
        repositories: those whose rows are answered; none for all.
    """

    suite: str
    paper_timeout: float
    limits: dict[str, float]
    policy: Policy | None
    gpus: bool
    execute: bool
    code: str
    repositories: tuple[str, ...] = ()

    @classmethod
    def of_task(cls, arguments: Mapping[str, Any]) -> JudgeConfig:
        """Return what the nodes need to judge as a task does.

        Args:
            arguments: of a task of answers, as its log has them.

        Raises:
            UsageError: a cluster cannot judge in this way.
        """
        if not arguments.get("cache", True) or arguments["sandbox"] != "bubblewrap":
            raise UsageError("--ray keeps verdicts in the cache, and judges in bubblewrap: leave the other option out")
        policy, repo = arguments["policy"], arguments.get("repo")
        return cls(
            arguments["suite"],
            arguments["paper_timeout"],
            arguments["limits"] or {},
            policy and Policy(policy),
            arguments["gpus"],
            arguments.get("execute", True),
            source_digest(),
            (repo,) if repo and not arguments.get("agent") else (),  # as the task itself does
        )

    @classmethod
    def of_suite(cls, suite: str) -> JudgeConfig:
        """Return what the nodes need to check the references of a suite."""
        return cls(suite, 10.0, {}, None, False, True, source_digest())

    def runtime(self, workers: int | None) -> SuiteRuntime:
        """Prepare this machine; see `machine`.

        Raises:
            UsageError: the suite or its repositories are not here, or a value is not valid.
            RunError: a checkout or environment cannot be made.
        """
        from mlbench.sandbox.limits import bounds
        from mlbench.scoring.runtime import machine

        limits = bounds(self.limits)
        more = (self.policy, self.gpus, self.execute, self.repositories)
        return machine("bubblewrap", self.suite, limits, workers, *more)


@dataclass(frozen=True)
class Question:
    """An answer to judge; its verdict is kept under the key."""

    key: str
    row: int
    repository: str
    candidate: Candidate


class JudgeActor(NodeWorker):
    """Judges answers on one node.

    Args:
        config: what all nodes have in common.
    """

    def __init__(self, config: JudgeConfig) -> None:
        super().__init__(config.code)
        self._config = config
        self._scorer: StoredScorer | None = None

    def prepare(self) -> None:
        """Make the suite's checkouts and environments; see `JudgeConfig.runtime`."""
        from mlbench.scoring.stored_scorer import StoredScorer

        self._scorer = StoredScorer(self._config.runtime(workers=1), self._config.paper_timeout)

    def results(self, questions: Sequence[Question]) -> list[StoredResult]:
        """Return the parts of the score of each answer, in their order.

        Raises:
            SandboxUnavailableError: this node's sandbox failed.
        """
        assert self._scorer is not None  # `refusal` comes first
        return self.call(_judged, self._scorer, questions)


async def _judged(scorer: StoredScorer, questions: Sequence[Question]) -> list[StoredResult]:
    """Judge one answer after the other."""
    suite = scorer.runtime.suite
    return [await scorer.alone(suite.row(each.row).sample, each.candidate, each.repository) for each in questions]
