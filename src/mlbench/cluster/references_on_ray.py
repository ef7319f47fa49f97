"""Check references on a cluster: each worker takes some rows of a suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlbench.cluster.judge_actor import JudgeConfig
from mlbench.cluster.ray_pool import RayPool, actors, in_thread, tell
from mlbench.cluster.reference_actor import ReferenceActor
from mlbench.cluster.work_queue import WorkQueue
from mlbench.records import Sample
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suite_builder.quality import QualityFinding, references


async def references_on_ray(
    rows: Sequence[Sample],
    place: SuiteRuntime,
    config: JudgeConfig,
    workers: int,
    told: Callable[[int], None],
) -> list[QualityFinding]:
    """The findings on the references of all rows, in the rows' order.

    What no worker can check is checked in this process.

    Args:
        rows: the rows.
        place: the runtime of their suite, on this machine.
        config: what all nodes have in common.
        workers: the number of workers.
        told: called with the number of rows that are done.

    Raises:
        RunError: no node can check.
    """
    found: dict[int, QualityFinding] = {}

    def keep(done: Sequence[Sample], results: Sequence[QualityFinding]) -> None:
        found.update({row.id: result for row, result in zip(done, results, strict=True)})
        told(len(found))

    if rows:
        size = min(workers, len(rows))
        named = ((place.suite.repository_of(row.github_id).name, row) for row in rows)
        await in_thread(RayPool(actors(ReferenceActor, config), size, tell), WorkQueue(named, size), keep)
    left = [row for row in rows if row.id not in found]
    found.update({finding.row: finding for finding in (await references(left, place) if left else ())})
    return [found[row.id] for row in rows]
