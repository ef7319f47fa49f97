"""The worker on a node: a process with warm checkers, which judges batches of answers."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlbench.records import Candidate, Policy, RunError, UsageError
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


class JudgeActor:
    """Judges answers on one node; Ray runs it in a process of its own.

    Args:
        config: what all nodes have in common.
    """

    def __init__(self, config: JudgeConfig) -> None:
        from anyio.from_thread import start_blocking_portal

        self._config = config
        self._scorer: StoredScorer | None = None
        self._event_loop = start_blocking_portal()  # kept, because the portal closes with it; ends with the process
        self._portal = self._event_loop.__enter__()

    def refusal(self) -> str:
        """Prepare this node; return why it cannot judge, in one line, or an empty text."""
        from mlbench.sandbox.preflight import why_not
        from mlbench.scoring.stored_scorer import StoredScorer

        config, node = self._config, platform.node()
        if source_digest() != config.code:
            return f"node {node}: it has other code of mlbench; install the same version everywhere"
        if reason := self._portal.call(why_not):
            return f"node {node}: {reason}"
        try:
            runtime = config.runtime(workers=1)
        except (RunError, UsageError) as error:
            return f"node {node}: {' '.join(str(error).split())}"
        self._scorer = StoredScorer(runtime, config.paper_timeout)
        return ""

    def results(self, questions: Sequence[Question]) -> list[StoredResult]:
        """Return the parts of the score of each answer, in their order.

        Raises:
            SandboxUnavailableError: this node's sandbox failed.
        """
        assert self._scorer is not None  # `refusal` comes first
        return self._portal.call(_judged, self._scorer, questions)


async def _judged(scorer: StoredScorer, questions: Sequence[Question]) -> list[StoredResult]:
    """Judge one answer after the other. It is no method: one `async` method makes Ray call all of them at once."""
    suite = scorer.runtime.suite
    return [await scorer.alone(suite.row(each.row).sample, each.candidate, each.repository) for each in questions]
