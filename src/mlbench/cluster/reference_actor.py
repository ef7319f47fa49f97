"""The worker that checks the references of a suite's rows on its node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlbench.cluster.node_worker import NodeWorker

if TYPE_CHECKING:
    from mlbench.cluster.judge_actor import JudgeConfig
    from mlbench.records import Sample
    from mlbench.suite_builder.quality import QualityFinding
    from mlbench.suite_builder.quality.references import ReferenceCheck


class ReferenceActor(NodeWorker):
    """Checks references of a suite's rows on one node.

    Args:
        config: the suite.
    """

    def __init__(self, config: JudgeConfig) -> None:
        super().__init__(config.code)
        self._config = config
        self._check: ReferenceCheck | None = None

    def prepare(self) -> None:
        """Make the suite's checkouts and environments; see `JudgeConfig.runtime`."""
        from mlbench.suite_builder.quality.references import ReferenceCheck

        self._check = ReferenceCheck(self._config.runtime(workers=1))

    def results(self, rows: Sequence[Sample]) -> list[QualityFinding]:
        """Return the finding on each row, in their order.

        Raises:
            SandboxUnavailableError: this node's sandbox failed.
        """
        assert self._check is not None  # `refusal` comes first
        return [self.call(self._check.finding, row) for row in rows]
