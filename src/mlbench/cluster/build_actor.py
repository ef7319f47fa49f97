"""The worker that makes the recipes of repositories on its node."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.cluster.node_worker import NodeWorker
from mlbench.suite_builder.types import BuildDecision, Step

if TYPE_CHECKING:
    from mlbench.repositories.catalogue import Pinned
    from mlbench.suite_builder.build_state import BuildOptions


@dataclass(frozen=True)
class RepositoryUnit:
    """A repository to build, at its pinned commit.

    Attributes:
        at: its position among those of the suite.
        mirror: folder of clones to fetch from; None for its URL.
    """

    at: int
    entry: Pinned
    mirror: Path | None = None


@dataclass(frozen=True)
class RecipeFiles:
    """What a worker made of a repository.

    Attributes:
        root: see `RepositoryBuild`.
        recipes: the text of each file, by name, in the order in which they were made.
    """

    root: str
    decisions: dict[Step, list[BuildDecision]]
    recipes: dict[str, str]


class BuildActor(NodeWorker):
    """Makes the recipes of repositories on one node. It fetches those that the node's cache lacks.

    Args:
        code: see `NodeWorker`.
        wishes: the options of the build.
    """

    def __init__(self, code: str, wishes: BuildOptions) -> None:
        super().__init__(code)
        self._wishes = wishes

    def results(self, units: Sequence[RepositoryUnit]) -> list[RecipeFiles]:
        """Return the recipes of each repository, in their order.

        Raises:
            UsageError, RunError: a repository cannot be fetched here.
            SandboxUnavailableError: this node's sandbox failed.
        """
        return [self.call(_built, unit, self._wishes) for unit in units]


async def _built(unit: RepositoryUnit, wishes: BuildOptions) -> RecipeFiles:
    from mlbench.interface_check.client_pool import Servers
    from mlbench.repositories.fetch import fetch
    from mlbench.suite_builder.build_state import RepositoryBuild
    from mlbench.suite_builder.repository_build import recipes_of
    from mlbench.suite_builder.source import RepositorySource

    name, servers = unit.entry.name, Servers(2 * wishes.workers, remember=True)
    part = RepositoryBuild(RepositorySource(name, fetch(unit.entry, unit.mirror).folder, unit.entry))
    with tempfile.TemporaryDirectory(prefix="mlbench-build-") as made:
        try:
            await recipes_of(part, Path(made), wishes, servers, lambda step, done, of: None)
        finally:
            await servers.close()
        files = [Path(made) / "recipes" / name / f"{recipe.task}.yaml" for recipe in part.recipes]
        recipes = {file.name: file.read_text(encoding="utf-8") for file in files}
    return RecipeFiles(part.root, part.decisions, recipes)
