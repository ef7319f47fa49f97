"""Where `mlbench solve` looks, checks and runs: a suite with its environment, or any repositories as they are."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

from mlbench.agents.ml_agent.search import Search, SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue, of_catalogue, of_folder, of_folders
from mlbench.agents.ml_agent.search.github import GitHub
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.checker_pool import Checkers
from mlbench.interface_check.client_pool import CheckEnv, Servers
from mlbench.records import UsageError
from mlbench.repositories import catalogue
from mlbench.repositories.environments import environment
from mlbench.repositories.fetch import checkout_of, fetch
from mlbench.repositories.pinning import is_url, pin
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suites.suite import bundled, load_suite

FALLBACK = "pocket"


@dataclass(frozen=True)
class SolveBackend:
    """Attributes:
    search: what is looked in.
    checker_of: the interface check of a repository that has a folder.
    jail_of: where an answer for it runs.
    close: ends the checks' servers.
    about: what is looked in, in words.
    """

    search: Search
    checker_of: Callable[[SearchResult], Checker]
    jail_of: Callable[[SearchResult], BubblewrapConfig]
    close: Callable[[], Awaitable[None]]
    about: str


@dataclass(frozen=True)
class SolveRequest:
    """What the user said of where to look.

    Attributes:
        repository: a name, a folder or an address; empty where one is to be found.
        search: `catalogue` or `github`.
        suite: look among its repositories, in its environment.
        folder: look among the checkouts in this folder.
        environment: a virtual environment for the programs; without one, what is missing is stubbed in the check.
        mirror: a folder of clones, instead of the network.
    """

    repository: str = ""
    search: str = "catalogue"
    suite: str = ""
    folder: Path | None = None
    environment: Path | None = None
    mirror: Path | None = None
    limits: Limits = field(default_factory=Limits)


def ground(wanted: SolveRequest) -> SolveBackend:
    """The place for a wish.

    Raises:
        UsageError, RunError: it cannot be had; says what to do.
    """
    if wanted.search not in ("catalogue", "github"):
        raise UsageError(f"--search {wanted.search}: there are catalogue and github")
    if wanted.environment and not (wanted.environment / "bin" / "python").exists():
        raise UsageError(f"--environment {wanted.environment}: no virtual environment, it has no bin/python")
    if wanted.suite:
        return _of_suite(wanted.suite, wanted.limits)
    if wanted.search == "github":
        return _anywhere(GitHub(mirror=wanted.mirror), "GitHub", wanted)
    if wanted.folder:
        return _anywhere(of_folder(wanted.folder), str(wanted.folder), wanted)
    if wanted.repository:
        if _in_suite(wanted.repository, FALLBACK) and wanted.repository not in catalogue.names():
            return _of_suite(FALLBACK, wanted.limits)
        return _anywhere(RepositoryCatalogue(()), "", wanted)
    here = of_catalogue()
    if not here.repositories:  # nothing was fetched: what is bundled is still there
        return _of_suite(FALLBACK, wanted.limits)
    return _anywhere(here, "the catalogue's repositories that are here", wanted)


async def named(wanted: SolveRequest, place: SolveBackend) -> SearchResult | None:
    """The repository that the user named; None where none was.

    Raises:
        UsageError: there is none of this name, folder or address.
        RunError: it cannot be fetched.
    """
    name = wanted.repository
    if not name:
        return None
    if is_url(name):
        folder = await anyio.to_thread.run_sync(_fetched, name, wanted.mirror)
        return SearchResult(name.rstrip("/").rpartition("/")[2].removesuffix(".git"), folder=folder, url=name)
    known = place.search.repositories if isinstance(place.search, RepositoryCatalogue) else ()
    for found in known:
        if found.name == name:
            return found
    if name in catalogue.names():
        return SearchResult(name, folder=checkout_of(name))
    if Path(name).is_dir():
        return SearchResult(Path(name).resolve().name, folder=Path(name).resolve())
    names = ", ".join([found.name for found in known] or catalogue.names())
    raise UsageError(f"--repo {name}: no address, no folder, and none of: {names}")


def _fetched(url: str, mirror: Path | None) -> Path:
    return fetch(pin(url, mirror=mirror), mirror).folder


def _in_suite(name: str, suite: str) -> bool:
    return suite in bundled() and name in [each.name for each in load_suite(suite).repositories]


def _of_suite(suite: str, limits: Limits) -> SolveBackend:
    place = machine("bubblewrap", suite, limits, None)
    checkers = Checkers(place)
    search = of_folders(place.checkouts.items(), {each.name: each.domain for each in place.suite.repositories})

    def jail_of(found: SearchResult) -> BubblewrapConfig:
        config = place.jail(found.name)
        return config if place.suite.executable else config.model_copy(update={"environment": str(_bare())})

    return SolveBackend(
        search, lambda found: checkers.of(found.name), jail_of, checkers.close, f"the repositories of {suite}"
    )


def _anywhere(search: Search, about: str, wanted: SolveRequest) -> SolveBackend:
    where = wanted.environment.resolve() if wanted.environment else None
    servers = Servers(2)

    def checker_of(found: SearchResult) -> Checker:
        assert found.folder is not None
        return Checker(CheckTarget(CheckEnv(found.folder, where)), servers)

    def jail_of(found: SearchResult) -> BubblewrapConfig:
        return BubblewrapConfig(repository=str(found.folder), environment=str(where or _bare()), limits=wanted.limits)

    return SolveBackend(search, checker_of, jail_of, servers.close, about)


def _bare() -> Path:
    """An environment with nothing but Python."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "requirements.txt")
        empty.write_text("")
        return environment(empty)
