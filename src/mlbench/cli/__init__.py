"""The command line `mlbench`: one file per command.

What enters: the words of a command line. What leaves: runs, tables, files, and an exit code.
Heavy packages are imported only inside the command that needs them.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer

from mlbench import __version__
from mlbench.cli.agents import agent, agents
from mlbench.cli.analyse import analyses
from mlbench.cli.build import build, review
from mlbench.cli.doctor import doctor
from mlbench.cli.eval import evaluate
from mlbench.cli.experiment import experiment
from mlbench.cli.human import human
from mlbench.cli.import_results import imports
from mlbench.cli.leaderboard import leaderboard
from mlbench.cli.list import list_app
from mlbench.cli.probe import probe
from mlbench.cli.renamed import CommandGroup
from mlbench.cli.report import report
from mlbench.cli.repos import repos
from mlbench.cli.results import results
from mlbench.cli.solve import solve
from mlbench.cli.stopped import advice_after_stop
from mlbench.cli.suites import suites
from mlbench.cli.sweep import sweep
from mlbench.cli.train import train
from mlbench.cli.twins import twins
from mlbench.cli.verify import verify
from mlbench.records import RunError, UsageError

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Can this model, or this agent, use a real machine-learning repository?",
)

app.command("eval")(evaluate)
app.command()(agent)
app.command()(experiment)
app.command()(sweep)
app.command()(verify)
app.command()(probe)
app.command()(report)
app.command()(results)
app.command()(build)
app.command()(review)
app.command()(human)
app.command()(twins)
app.command()(solve)
app.command()(doctor)
app.add_typer(analyses, name="analyse")
app.add_typer(agents, name="agents")
app.add_typer(imports, name="import")
app.add_typer(leaderboard, name="leaderboard")
app.add_typer(list_app, name="list")
app.add_typer(suites, name="suites")
app.add_typer(repos, name="repos")
app.add_typer(train, name="train")

STOPPED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Run the command line.

    Raises:
        SystemExit: with code 2 after wrong usage, 1 after a failed run; the error is printed in one line.
    """
    begun = time.time()
    try:
        app(prog_name="mlbench")
    except UsageError as error:
        _fail(error, 2)
    except RunError as error:
        _fail(error, 1)
    except SystemExit as leaving:
        if leaving.code != STOPPED:  # Typer turns Ctrl-C into this code and prints nothing
            raise
        _fail(RunError(advice_after_stop(sys.argv[1:], begun)), STOPPED)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(1) from None
    except Exception as error:
        if os.environ.get("MLBENCH_TRACEBACK"):
            raise
        _fail(RunError(f"unexpected {type(error).__name__}: {error}; MLBENCH_TRACEBACK=1 shows the traceback"), 1)


def _fail(error: Exception, code: int) -> None:
    print(f"mlbench: {' '.join(str(error).split())}", file=sys.stderr)
    raise SystemExit(code)


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        print(f"mlbench {__version__}")
        raise typer.Exit
