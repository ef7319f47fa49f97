"""Build on a cluster: a worker makes the recipes of one repository, or checks references of some rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from mlbench.cluster.build_actor import BuildActor, RecipeFiles, ReferenceActor, RepositoryUnit
from mlbench.cluster.judge_actor import JudgeConfig
from mlbench.cluster.ray_pool import RayPool, actors, tell
from mlbench.cluster.work_queue import WorkQueue
from mlbench.interface_check.client_pool import Servers
from mlbench.records import Sample
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.source_digest import source_digest
from mlbench.suite_builder.pipeline import WriteRecipes
from mlbench.suite_builder.quality import QualityFinding, references
from mlbench.suite_builder.repository_build import BuildOptions, RepositoryBuild, ShowProgress, recipes_of
from mlbench.suites.recipes import load_recipe

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def recipes_on_ray(workers: int, mirror: Path | None) -> WriteRecipes:
    """Return a function that lets the connected cluster make the recipes of repositories.

    What no worker can build is built in this process.

    Args:
        workers: the number of workers.
        mirror: folder of clones on every node; None to fetch from the URLs.
    """

    async def write(
        parts: Sequence[RepositoryBuild], folder: Path, wishes: BuildOptions, servers: Servers, show: ShowProgress
    ) -> None:
        units = [RepositoryUnit(at, part.source.entry, mirror) for at, part in enumerate(parts) if part.source.entry]
        found: dict[int, RecipeFiles] = {}

        def keep(done: Sequence[RepositoryUnit], results: Sequence[RecipeFiles]) -> None:
            found.update({unit.at: result for unit, result in zip(done, results, strict=True)})
            show("repositories", len(found), len(units))

        if units:
            size = min(workers, len(units))
            make = actors(BuildActor, source_digest(), replace(wishes, workers=1))
            queue = WorkQueue(((unit.entry.name, unit) for unit in units), size, largest=1)
            await _in_thread(RayPool(make, size, tell, ahead=1), queue, keep)
        for at, part in enumerate(parts):
            if at in found:
                _take_over(part, found[at], folder)
            else:
                tell(f"{part.source.name}: no worker could build it; it is built in this process")
                await recipes_of(part, folder, wishes, servers, show)

    return write


def _take_over(part: RepositoryBuild, made: RecipeFiles, folder: Path) -> None:
    part.root, part.decisions = made.root, dict(made.decisions)
    own = folder / "recipes" / part.source.name
    own.mkdir(parents=True, exist_ok=True)
    for name, text in made.recipes.items():
        (own / name).write_text(text, encoding="utf-8")
    part.recipes = [load_recipe(own / name) for name in made.recipes]


async def _in_thread(
    pool: RayPool, queue: WorkQueue[_Item], keep: Callable[[Sequence[_Item], Sequence[_Made]], None]
) -> None:
    """Let a pool work while the event loop goes on; after Ctrl-C, the lost connection ends the thread."""
    await anyio.to_thread.run_sync(pool.run, queue, keep, abandon_on_cancel=True)
    if pool.deaths:
        tell(f"{pool.deaths} times a worker died; its work was done by others")


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
        await _in_thread(RayPool(actors(ReferenceActor, config), size, tell), WorkQueue(named, size), keep)
    left = [row for row in rows if row.id not in found]
    found.update({finding.row: finding for finding in (await references(left, place) if left else ())})
    return [found[row.id] for row in rows]
