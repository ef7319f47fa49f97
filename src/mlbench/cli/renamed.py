"""Errors of the command line in one line, and the new names of renamed options (until 1.0)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from mlbench.records import UsageError

RENAMED = {
    ("experiment", "--flag"): "--agent-option",
    ("experiment", "--seeds"): "--check-seeds",
    ("eval", "--flag"): "--agent-option of `mlbench experiment`",
    ("agent", "--flag"): "--agent-option of `mlbench experiment`",
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

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the options before the command.

        Raises:
            UsageError: an option is unknown or has a wrong value.
        """
        with _one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            UsageError: an option, argument or command is unknown or has a wrong value.
        """
        with _one_line(ctx):
            return super().invoke(ctx)


@contextmanager
def _one_line(group: Any = None) -> Iterator[None]:
    try:
        yield
    except _WrongUsage as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # prints the help
            raise
        command = f"mlbench {getattr(group, 'invoked_subcommand', '')}".strip()
        raise UsageError(_line(error, error.ctx.command_path if error.ctx else command)) from error


def _line(error: Any, path: str) -> str:
    """Return what is wrong in one line, and what to do next.

    Args:
        error: Click's error.
        path: the command with its groups: `mlbench suites show`.
    """
    option, command = getattr(error, "option_name", ""), "".join(path.split()[1:2])
    if new := RENAMED.get((command, option)):
        return f"{command}: {option} is now {new}"
    if path == "mlbench suites" and (name := _suite_before_the_verb(error)):
        return f"suites: `mlbench suites {name}` is now `mlbench suites show {name}`"
    if why := REMOVED.get((command, option)):
        return f"{command}: {option} is gone: {why}"
    near = getattr(error, "possibilities", None)  # the nearest first
    message = f"{error.message}; did you mean {near[0]}?" if near else error.format_message()
    message = message.replace("Value error, ", "").replace(". Did you mean", "; did you mean").rstrip(".")
    return f"{message[:1].lower()}{message[1:]}{' See' if message.endswith('?') else ': see'} `{path} --help`"


def _suite_before_the_verb(error: Any) -> str | None:
    """The suite of the earlier `mlbench suites NAME`; None if the unknown command is no suite's name."""
    from mlbench.suites.suite import bundled, fetched

    word = "".join(re.findall(r"'([^']+)'", error.message)[:1])
    return word if word in (*bundled(), *fetched()) else None
