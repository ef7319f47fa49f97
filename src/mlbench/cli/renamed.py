"""Errors of the command line in one line, and the new names of renamed options (until 1.0)."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from mlbench.records import UsageError

RENAMED = {
    ("experiment", "--flag"): "--agent-option",
    ("experiment", "--seeds"): "--check-seeds",
    ("eval", "--remember"): "--cache",
    ("eval", "--no-remember"): "--no-cache",
    ("verify", "--remember"): "--cache",
    ("verify", "--no-remember"): "--no-cache",
    ("verify", "--time-limit"): "--run-limit",
    ("solve", "--time-limit"): "--run-limit",
    ("solve", "--steps"): "--step-limit",
    ("suites", "--export"): "mlbench suites export",
    ("suites", "--check"): "mlbench suites check",
    ("suites", "--lock"): "mlbench suites lock",
}
"""By command and old option: the new option, or the command that took its place."""

REMOVED = {("eval", "--sentences"): "Punkt splits sentences on every machine"}
"""By command and old option: why there is none any more."""

_WrongUsage: Any = typer.BadParameter.__base__
"""Click's error of wrong usage. Typer has its own copy of Click since 0.26, and does not export the class."""


class CommandGroup(TyperGroup):
    """The commands of mlbench. Wrong usage is one line of ours, without the usage text of Click."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            UsageError: an option, argument or command is unknown or has a wrong value.
        """
        try:
            return super().invoke(ctx)
        except _WrongUsage as error:
            if type(error).__name__ == "NoArgsIsHelpError":  # prints the help
                raise
            raise UsageError(_line(error, ctx.invoked_subcommand or "")) from error


def _line(error: Any, command: str) -> str:
    """Return what is wrong in one line, and what to do next."""
    option = getattr(error, "option_name", "")
    if new := RENAMED.get((command, option)):
        return f"{command}: {option} is now {new}"
    if why := REMOVED.get((command, option)):
        return f"{command}: {option} is gone: {why}"
    path = error.ctx.command_path if error.ctx else "mlbench"
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    return f"{message[:1].lower()}{message[1:]}: see `{path} --help`"
