"""`mlbench list`: the names that options take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from rich.table import Table

list_app = typer.Typer(no_args_is_help=True, help="List suites, settings, policies, agents or problems.")

POLICIES = {
    Policy.STRICT: "right in every setting, and runs with the outcome of the reference",
    Policy.INTERFACE: "the repository's own program accepts it with the reference's configuration; nothing is executed",
    Policy.PAPER: "as published: the required values stand in it, and it exits with 0 or still runs at the time-out",
}
SETTINGS = {
    "oracle": "the part of the documentation that a person would need",
    "readme": "every README, the root's first, cut to the context",
    "retrieval": "what BM25 finds for the instruction",
    "code": "READMEs, then the files that people wrote, cut to the context",
}


@list_app.command("suites")
def list_suites() -> None:
    """Bundled and fetched suites with the sizes of their splits."""
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
    """Settings: what a model is shown besides the instruction."""
    _rows("setting", SETTINGS)


@list_app.command("policies")
def list_policies() -> None:
    """Policies: the rules by which an answer passes."""
    _rows("policy", {policy.value: words for policy, words in POLICIES.items()})


@list_app.command("problems")
def list_problems() -> None:
    """Research problems of `mlbench experiment`, and which data they offer."""
    from mlbench.evals.mlagentbench.problem import load_problem, problems

    full = problems("full")
    table = _table("problem", "what it is", "data")
    for name in problems():
        table.add_row(name, load_problem(name).title, "lite, full" if name in full else "lite")
    _print(table)


@list_app.command("agents")
def list_agents(
    sandbox: Annotated[str, typer.Option(help="Where they are to work: bubblewrap or docker.")] = "bubblewrap",
) -> None:
    """Agents of `mlbench agent` and `mlbench experiment`, and whether they are installed."""
    from mlbench.agents.agent_envs import why_not
    from mlbench.agents.registry import ROSTER
    from mlbench.evals.mlagentbench.registry import OWN
    from mlbench.sandbox.agent_sandbox import image_of_agents, known_provider

    image = image_of_agents() if known_provider(sandbox) == "docker" else None
    table = _table("agent", "what it is", "")
    for entry in ROSTER.values():
        problem = why_not(entry.name, image) if entry.foreign else None
        table.add_row(entry.name, entry.about, problem.removeprefix(f"the agent {entry.name} ") if problem else "ready")
    for name in OWN:
        table.add_row(name, "works by the published actions of MLAgentBench", "experiments only")
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

    Console().print(table)
