"""What `mlbench solve` works in: a suite with its environment, or any repositories."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

from mlbench.agents.ml_agent.search import Search, SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue, of_catalogue, of_folder, of_folders
from mlbench.agents.ml_agent.search.github import GitHub
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.checker_pool import Checkers
from mlbench.interface_check.client_pool import Servers
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
    """The search, the interface check and the sandbox of one `mlbench solve`.

    Attributes:
        search: finds repositories.
        checker_of: returns the interface check of a repository that has a folder.
        jail_of: returns the sandbox in which an answer for a repository runs.
        close: stops the servers of the interface check.
        about: what is searched, as text.
    """

    search: Search
    checker_of: Callable[[SearchResult], Checker]
    jail_of: Callable[[SearchResult], BubblewrapConfig]
    close: Callable[[], Awaitable[None]]
    about: str


@dataclass(frozen=True)
class SolveRequest:
    """The user's choice of repositories.

    Attributes:
        repository: a name, a folder or an address; empty to search for one.
        search: `catalogue` or `github`.
        suite: search this suite's repositories, and use its environment.
        folder: search the checkouts in this folder.
        environment: a virtual environment for the programs; without one, the check stubs missing packages.
        mirror: a folder of clones to fetch from instead of the network.
        limits: of the sandbox in which an answer runs.
    """

    repository: str = ""
    search: str = "catalogue"
    suite: str = ""
    folder: Path | None = None
    environment: Path | None = None
    mirror: Path | None = None
    limits: Limits = field(default_factory=Limits)


def solve_backend(wanted: SolveRequest) -> SolveBackend:
    """Return what a request needs.

    Raises:
        UsageError: the request contradicts itself or names something that does not exist.
        RunError: a repository or an environment cannot be made.
    """
    if wanted.search not in ("catalogue", "github"):
        raise UsageError(f"--search {wanted.search}: there are catalogue and github")
    if wanted.environment and not (wanted.environment / "bin" / "python").exists():
        raise UsageError(f"--environment {wanted.environment}: no virtual environment, it has no bin/python")
    if wanted.suite:
        return _suite_backend(wanted.suite, wanted.limits)
    if wanted.search == "github":
        return _backend_of(GitHub(mirror=wanted.mirror), "GitHub", wanted)
    if wanted.folder:
        return _backend_of(of_folder(wanted.folder), str(wanted.folder), wanted)
    if wanted.repository:
        if _in_suite(wanted.repository, FALLBACK) and wanted.repository not in catalogue.names():
            return _suite_backend(FALLBACK, wanted.limits)
        return _backend_of(RepositoryCatalogue(()), "", wanted)
    here = of_catalogue()
    if not here.repositories:  # nothing has been fetched, but the bundled suite is always there
        return _suite_backend(FALLBACK, wanted.limits)
    return _backend_of(here, "the catalogue's repositories that are here", wanted)


async def named_repository(wanted: SolveRequest, backend: SolveBackend) -> SearchResult | None:
    """Return the repository that the user named; None if the user named none.

    Raises:
        UsageError: no repository has this name, folder or address.
        RunError: the repository cannot be fetched.
    """
    name = wanted.repository
    if not name:
        return None
    if is_url(name):
        folder = await anyio.to_thread.run_sync(_fetched, name, wanted.mirror)
        return SearchResult(name.rstrip("/").rpartition("/")[2].removesuffix(".git"), folder=folder, url=name)
    known = backend.search.repositories if isinstance(backend.search, RepositoryCatalogue) else ()
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


def _suite_backend(suite: str, limits: Limits) -> SolveBackend:
    place = machine("bubblewrap", suite, limits, None)
    checkers = Checkers(place)
    search = of_folders(place.checkouts.items(), {each.name: each.domain for each in place.suite.repositories})

    def jail_of(found: SearchResult) -> BubblewrapConfig:
        config = place.jail(found.name)
        return (
            config if place.suite.executable else config.model_copy(update={"environment": str(_empty_environment())})
        )

    return SolveBackend(
        search, lambda found: checkers.of(found.name), jail_of, checkers.close, f"the repositories of {suite}"
    )


def _backend_of(search: Search, about: str, wanted: SolveRequest) -> SolveBackend:
    where = wanted.environment.resolve() if wanted.environment else None
    servers = Servers(2)

    def checker_of(found: SearchResult) -> Checker:
        assert found.folder is not None
        return Checker(CheckTarget(CheckEnv(found.folder, where)), servers)

    def jail_of(found: SearchResult) -> BubblewrapConfig:
        return BubblewrapConfig(
            repository=str(found.folder), environment=str(where or _empty_environment()), limits=wanted.limits
        )

    return SolveBackend(search, checker_of, jail_of, servers.close, about)


def _empty_environment() -> Path:
    """Return an environment without packages."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "requirements.txt")
        empty.write_text("")
        return environment(empty)
