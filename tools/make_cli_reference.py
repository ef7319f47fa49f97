"""Write docs/reference/cli.md from the command line itself: every verb, its arguments, its options.

    python tools/make_cli_reference.py [--check]

With `--check` nothing is written; the exit code is 1 if the page is not what the code says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from mlbench.cli import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"
HEAD = """# Command line

This page is made from the code by `tools/make_cli_reference.py`. `mlbench VERB --help` prints the same.

Exit codes: 0, done; 1, the run failed or some samples have no score; 2, wrong usage (an unknown option, no such suite);
130, Ctrl-C. `mlbench probe` has its own exit codes: [Interface check](probe.md#what-it-says).
"""


def page() -> str:
    """The page, in Markdown."""
    parts = [HEAD]
    for words, command in commands(typer.main.get_command(app), ("mlbench",)):
        parts.append("\n".join(section(words, command)))
    return "\n".join(parts).rstrip() + "\n"


def commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its words, a group before its members."""
    if not command.hidden:
        yield words, command
        for name, member in getattr(command, "commands", {}).items():
            yield from commands(member, (*words, name))


def section(words: tuple[str, ...], command: Any) -> Iterator[str]:
    """The lines of one command."""
    yield f"{'#' * min(len(words) + 1, 3)} {' '.join(words)}\n" if len(words) > 1 else "## mlbench\n"
    context = command.make_context(words[-1], [], resilient_parsing=True)
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.name != "help"]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    members = "VERB …" if getattr(command, "commands", None) else ""
    usage = [*words, "[OPTIONS]" if options else "", *(label(each) for each in arguments), members]
    yield f"    {' '.join(word for word in usage if word)}\n"
    yield f"{text(command.help)}\n"
    for title, rows in (("argument", arguments), ("option", options)):
        if rows:
            yield f"| {title} | meaning | default |\n|---|---|---|"
            for each in rows:
                yield f"| {names(each, context)} | {text(each.help)} | {default(each)} |"
            yield ""


def label(argument: Any) -> str:
    """An argument as it stands in a usage line."""
    name = (argument.metavar or argument.name).strip("[]{}.").upper()
    name = f"{name}…" if argument.nargs == -1 else name
    return name if argument.required else f"[{name}]"


def names(parameter: Any, context: Any) -> str:
    """An argument's name, or all spellings of an option with what it takes."""
    if parameter.param_type_name == "argument":
        return f"`{label(parameter)}`"
    spellings = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    if parameter.is_flag:
        return spellings
    return f"{spellings} {text(parameter.metavar or parameter.display_type(context).strip('<>'))}"


def default(parameter: Any) -> str:
    """The default; empty if there is none to speak of."""
    value = parameter.default
    if parameter.required or value in (None, False, "", [], ()) or callable(value):
        return "required" if parameter.required else ""
    return f"`{getattr(value, 'value', value)}`"


def text(words: str | None) -> str:
    """Help as one line of Markdown."""
    line = " ".join((words or "").split())
    return line.replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    new = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text() != new)
    if not PAGE.exists() or PAGE.read_text() != new:
        PAGE.write_text(new)
        print(f"written: {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
