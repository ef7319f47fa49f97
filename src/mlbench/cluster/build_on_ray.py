"""Build on a cluster: a worker makes the recipes of one repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.cluster.build_actor import BuildActor, RecipeFiles, RepositoryUnit
from mlbench.cluster.ray_pool import RayPool, actors, in_thread, tell
from mlbench.cluster.work_queue import WorkQueue
from mlbench.interface_check.client_pool import Servers
from mlbench.source_digest import source_digest
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild, ShowProgress
from mlbench.suite_builder.pipeline import WriteRecipes
from mlbench.suite_builder.repository_build import recipes_of
from mlbench.suites.recipes import load_recipe


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
            await in_thread(RayPool(make, size, tell, ahead=1), queue, keep)
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
