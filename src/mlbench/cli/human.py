"""`mlbench human`: a person answers the rows of a suite."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import Browser, Port, RowOptions, Suite, expand_options
from mlbench.records import UsageError


@expand_options(split="quarter")
def human(
    suite: Suite = None,
    *,
    rows: RowOptions,
    setting: Annotated[str, typer.Option(help="Documents that are shown (`mlbench list settings`).")] = "oracle",
    k: Annotated[int, typer.Option("-k", help="Maximum number of answers to a row.")] = 5,
    name: Annotated[
        str, typer.Option(help="Name of the person in the results: letters, digits, dots, dashes.")
    ] = "human",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder of the session (default: human/SUITE-SPLIT-SETTING-NAME)."),
    ] = None,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Answer rows yourself on a local page; no model is asked.

    Every answer and the time spent are stored at once. The same command continues a session. `mlbench verify FOLDER`
    judges it.
    """
    from mlbench.human.server import serve_session, summary_of
    from mlbench.human.session_records import RowState, session_plan
    from mlbench.prompts.settings import known_setting
    from mlbench.results.format import printable
    from mlbench.suites.suite import load_suite

    if suite is None:
        raise UsageError("no suite is given: `mlbench human pocket`, for example")
    plan = session_plan(
        suite,
        split=rows.split,
        setting=known_setting(setting),
        repo=rows.repo,
        limit=rows.limit,
        k=k,
        person=name,
    )
    folder = output or Path("human") / f"{load_suite(suite).name}-{plan.split}-{plan.setting}-{plan.person}"
    session = serve_session(folder, plan, port, browser)
    lines = ["", *summary_of(session)]
    if session.attempts():
        lines.append(f"next: mlbench verify {shlex.quote(str(folder))}")
    if any(session.work(row).state is RowState.OPEN for row in session.plan.rows):
        lines.append("the same command continues with the open rows")
    print("\n".join(map(printable, lines)), flush=True)
