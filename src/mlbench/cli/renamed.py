"""Old names of options: one line says the new name (until 1.0)."""

from __future__ import annotations

from typing import Any

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


class RenamedGroup(TyperGroup):
    """A group of commands that knows the old names of their options."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            # Typer brings its own copy of click since 0.26, so the class cannot be named
            option, command = getattr(error, "option_name", ""), ctx.invoked_subcommand or ""
            new = RENAMED.get((command, option))
            if new is None:
                raise
            raise UsageError(f"{command}: {option} is now {new}") from error
