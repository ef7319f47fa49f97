"""`mlbench repos`: fetch and list the real repositories of the catalogue."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from mlbench.repositories.catalogue import Pinned

repos = typer.Typer(help="Fetch or list the real repositories that suites use.", no_args_is_help=True)


@repos.command("fetch")
def repos_fetch(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of repositories (default: the whole catalogue).")
    ] = None,
    mirror: Annotated[Path | None, typer.Option(help="Folder of clones to use instead of the network.")] = None,
    suite: Annotated[str | None, typer.Option(help="Fetch the repositories that this suite pins.")] = None,
) -> None:
    """Download repositories at their pinned commits.

    Each checkout is stored in the cache and verified by its hash. Existing checkouts are only verified.
    """
    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import fetch

    if mirror is not None and not mirror.is_dir():
        raise UsageError(f"--mirror {mirror}: there is no such folder")
    wanted = _of_suite(suite, names) if suite else [catalogue.pinned(name) for name in names or catalogue.names()]
    failed = 0
    for entry in wanted:
        try:
            checkout = fetch(entry, mirror)
        except (UsageError, RunError) as error:  # the others can still be had
            failed += 1
            print(f"mlbench: {error}", file=sys.stderr)
            continue
        n = len(checkout.absent)
        lacking = f"; the source lacks {n} file{'s' * (n > 1)}, like {checkout.absent[0]}" if n else ""
        print(f"{entry.name} at {entry.commit[:12]}: {checkout.folder}{lacking}")
    if failed:
        raise RunError(f"{failed} of {len(wanted)} could not be fetched; run the same command again to fetch the rest")


def _of_suite(name: str, names: list[str] | None) -> list[Pinned]:
    from mlbench.suites.suite import load_suite

    suite = load_suite(name)
    for each in names or ():
        suite.repository(each)
    return [
        suite.pinned(each.name) for each in suite.repositories if each.catalogue and each.name in (names or [each.name])
    ]


@repos.command("list")
def repos_list() -> None:
    """List the catalogue: commit, state on this machine, and size."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import state
    from mlbench.repositories.repo_environments import is_installed

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False)
    for heading in ("repository", "commit", "state", "environment", "files", "MB"):
        table.add_column(heading, justify="right" if heading in ("files", "MB") else "left")
    for name in catalogue.names():
        entry = catalogue.pinned(name)
        lock = entry.cpu_lock
        environment = "none" if lock is None else "installed" if is_installed(lock) else "not installed"
        table.add_row(name, entry.commit[:12], state(entry), environment, str(entry.files), f"{entry.bytes / 1e6:.1f}")
    Console().print(table)


@repos.command("install")
def repos_install(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of repositories (default: all that have such an environment).")
    ] = None,
    cpu: Annotated[
        bool, typer.Option("--cpu", help="Install packages without CUDA; there are no other locks, so it is implied.")
    ] = True,
    suite: Annotated[
        str | None, typer.Option(help="Install the environments of the repositories of this suite.")
    ] = None,
) -> None:
    """Install environments in which repositories run.

    One environment per repository, from its locked packages, without a GPU. Installed environments are kept.
    A package without a wheel is built in the sandbox.
    """
    import time

    from mlbench.repositories.repo_environments import is_installed, own_bytes, repo_environment
    from mlbench.sandbox.wheels import locked_wheel

    known_locks = _cpu_locks(suite, names)
    locks = {name: lock for name, lock in known_locks.items() if names or lock}
    failed, counted, total = 0, set[int](), 0
    for name, lock in locks.items():
        began = time.perf_counter()
        try:
            if lock is None:
                raise RunError(
                    f"{name}: no environment without a GPU is known; `mlbench repos lock {name}` has its packages"
                )
            known = is_installed(lock)
            if sys.stderr.isatty() and not known:
                print(f"{name}: installing …", end="\r", file=sys.stderr, flush=True)
            folder = repo_environment(lock, locked_wheel)
        except RunError as error:  # the others can still be had
            failed += 1
            print(f"mlbench: {error}", file=sys.stderr)
            continue
        size = own_bytes(folder, counted)
        total += size
        how = "kept" if known else f"installed in {time.perf_counter() - began:.0f} s"
        print(f"{name}: {how}, {size / 1e6:,.0f} MB more: {folder}")
    print(f"{len(locks) - failed} environments, {total / 1e9:.1f} GB")
    if failed:
        raise RunError(f"{failed} of {len(locks)} could not be installed; run the same command again to try those")


def _cpu_locks(suite: str | None, names: list[str] | None) -> dict[str, Path | None]:
    """Return the locks of repositories, of a suite or of the catalogue."""
    from mlbench.repositories import catalogue
    from mlbench.suites.suite import load_suite

    if suite is None:
        return {name: catalogue.pinned(name).cpu_lock for name in names or catalogue.names()}
    return {entry.name: load_suite(suite).cpu_lock(entry.name) for entry in _of_suite(suite, names)}


@repos.command("dockerfile")
def repos_dockerfile(name: Annotated[str, typer.Argument(help="Name of a repository in the catalogue.")]) -> None:
    """Print a Dockerfile of a repository and its environment.

    Build it with `mlbench repos dockerfile NAME | docker build --tag TAG -`.
    """
    from mlbench.repositories import catalogue
    from mlbench.repositories.dockerfile import dockerfile

    print(dockerfile(catalogue.pinned(name)), end="")


@repos.command("lock")
def repos_lock(name: Annotated[str, typer.Argument(help="Name of a repository in the catalogue.")]) -> None:
    """Print the path of a repository's locked requirements.

    Install them with `uv pip install --require-hashes -r FILE`.
    """
    from mlbench.repositories import catalogue

    lock = catalogue.pinned(name).lock
    if lock is None:
        raise UsageError(f"{name} has no locked requirements")
    print(lock)
