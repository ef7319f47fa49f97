"""`mlbench list`: the names that options accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from rich.table import Table

list_app = typer.Typer(no_args_is_help=True, help="List suites, settings, policies, problems or agents.")

POLICIES = {
    Policy.STRICT: "it is run, leaves the same outcome as the reference, and changes no setting unasked",
    Policy.INTERFACE: "it is not run: the repository's program reads the configuration that is required",
    Policy.PAPER: "the paper's rule: it contains the required values, and exits with 0 or still runs at the time-out",
}
SETTINGS = {
    "oracle": "the sections and source lines that name all that the reference needs",
    "oracle-published": "one section of the documentation, as in the published rows",
    "readme": "every README, the root's first, cut to the context window",
    "retrieval": "the parts that a BM25 search finds for the instruction",
    "code": "READMEs, then source files, cut to the context window",
    "closed": "nothing: the instruction alone, so that only what the model knows already can help",
}


@list_app.command("suites")
def list_suites() -> None:
    """List bundled and fetched suites with the sizes of their splits."""
    from mlbench.suites.suite import bundled, fetched, load_suite

    table = _table("suite", "version", "repositories", "rows by split")
    for name in bundled() + fetched():
        try:
            suite = load_suite(name)
        except UsageError as error:
            table.add_row(name, "", "", str(error))
            continue
        sizes = ", ".join(f"{split} {size:,}" for split, size in suite.sizes.items() if size)
        table.add_row(suite.name, str(suite.version), str(len(suite.repositories)), sizes)
    _print(table)


@list_app.command("settings")
def list_settings() -> None:
    """List settings: what a prompt holds besides the instruction."""
    _rows("setting", SETTINGS)


@list_app.command("policies")
def list_policies() -> None:
    """List policies: the rules that decide which answers pass."""
    _rows("policy", {policy.value: words for policy, words in POLICIES.items()})


@list_app.command("problems")
def list_problems(
    published: Annotated[
        bool, typer.Option("--published", help="Show source, metric and packages of each problem as published.")
    ] = False,
) -> None:
    """List the problems of `mlbench experiment` and their data."""
    from mlbench.evals.mlagentbench.problem import load_problem, problems, why_not_offered

    if published:
        _published_problems()
        return
    table = _table("problem", "what it is", "data")
    for name in problems():
        problem = load_problem(name)
        lite = f"lite ({', '.join(['standard', *problem.tiers])})" if problem.tiers else "lite"
        kinds = [lite, *(data for data in ("full", "published") if not why_not_offered(name, data))]
        table.add_row(name, problem.title, ", ".join(kinds))
    _print(table)


def _published_problems() -> None:
    """Print a table of the problems as published, and below it why some are not offered."""
    from mlbench.evals.mlagentbench.published_status import published_status

    found = published_status()
    table = _table("problem", "metric", "packages", "login", "runs here")
    for each in found:
        table.add_row(each.name, each.metric, each.packages, each.login, "yes" if each.runs else "no")
    _print(table)
    for each in found:
        if each.why_not:
            print(f"{each.name}: {each.why_not}")


@list_app.command("agents")
def list_agents(
    sandbox: Annotated[
        str, typer.Option(help="Sandbox in which the agents are to work: bubblewrap or docker.")
    ] = "bubblewrap",
) -> None:
    """List agents, and whether they are installed."""
    from mlbench.agents.agent_envs import why_not
    from mlbench.agents.registry import ROSTER
    from mlbench.evals.mlagentbench.agent_names import OWN

    image = None
    if sandbox != "bubblewrap":
        from mlbench.sandbox.agent_sandbox import image_of_agents, known_provider

        image = image_of_agents() if known_provider(sandbox) == "docker" else None
    table = _table("agent", "what it is", "")
    for entry in ROSTER.values():
        problem = why_not(entry.name, image) if entry.foreign else None
        table.add_row(entry.name, entry.about, problem.removeprefix(f"the agent {entry.name} ") if problem else "ready")
    for name, about in OWN.items():
        table.add_row(name, about, "experiments only")
    _print(table)


def _rows(what: str, lines: dict[str, str]) -> None:
    table = _table(what, "what it is")
    for name, words in lines.items():
        table.add_row(name, words)
    _print(table)


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column)
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    Console(markup=False, emoji=False).print(table)  # `[agents]` is no colour
