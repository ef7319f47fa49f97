"""`mlbench analyse`: statistics of rows and answers beside the published ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import at_least
from mlbench.records import UsageError

if TYPE_CHECKING:
    from mlbench.results.analyses.tables import Sheet
    from mlbench.suites.suite import Suite

NAMES = ("tokens", "bleu", "truncation")

Tokenizer = Annotated[
    str, typer.Option(help="Token counter: estimate, a tiktoken encoding, or the path of a tokenizer.json.")
]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the unrounded figures to this file.")]


def analyse(
    name: Annotated[
        str, typer.Argument(help="tokens (tables 8 and 9 of the paper), bleu (table 16) or truncation (table 17).")
    ],
    suite: Annotated[str, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")],
    logs: Annotated[
        list[Path] | None, typer.Option(help="Log, or folder of logs, to analyse instead of the rows; may be repeated.")
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Analyse only this split; may be repeated.")] = None,
    setting: Annotated[list[str] | None, typer.Option(help="Analyse only this setting; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(help="Rows per split, spread evenly.")] = 260,
    context: Annotated[
        list[int] | None, typer.Option(help="Context window in tokens; may be repeated for truncation.")
    ] = None,
    retrieval: Annotated[
        str, typer.Option(help="Files that the setting retrieval searches: paper, documents, repository or code.")
    ] = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Reproduce a table of the paper's appendix.

    The table is made from the rows of a suite or from logs, and shows the published figures beside ours.
    """
    if name not in NAMES:
        raise UsageError(f"no analysis {name!r}; choose from {', '.join(NAMES)}")
    at_least(1, limit=limit)
    from mlbench.prompts.settings import known_setting
    from mlbench.suites.suite import known_split, load_suite

    loaded = load_suite(suite)
    for each in split or ():
        known_split(each)
    for each in setting or ():
        known_setting(each)
    for path in logs or ():
        if not path.exists():
            raise UsageError(f"{path}: there is no such log or folder")
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json

    if logs:
        if split or setting or context:
            raise UsageError(
                "with --logs, rows, setting and context come from the logs: leave --split, --setting and --context out"
            )
        sheets = _of_logs(name, loaded, logs, tokenizer)
    else:
        sheets = _of_rows(name, loaded, split, setting, limit, context, retrieval, tokenizer)
    show(sheets, Console())
    if json_file is not None:
        write_json(sheets, loaded.name, json_file)


def _of_logs(name: str, suite: Suite, logs: list[Path], tokenizer: str) -> list[Sheet]:
    from mlbench.prompts.context import Context
    from mlbench.results.analyses import tokens, truncation

    if name == "tokens":
        return tokens.of_logs(suite, logs, Context(tokenizer=tokenizer))
    if name == "truncation":
        return truncation.truncation_of_logs(suite, logs)
    raise UsageError(f"{name} needs a suite's rows: leave --logs out")


def _of_rows(
    name: str,
    suite: Suite,
    split: list[str] | None,
    setting: list[str] | None,
    limit: int,
    context: list[int] | None,
    retrieval: str,
    tokenizer: str,
) -> list[Sheet]:
    from mlbench.prompts.context import VARIANTS, Context
    from mlbench.prompts.settings import SETTINGS, known_setting
    from mlbench.results.analyses import bleu, tokens, truncation
    from mlbench.results.analyses.rows import OWN_ROWS

    if name != "truncation" and context is not None and len(context) > 1:
        raise UsageError(f"{name} takes only one --context")
    if name == "bleu" and setting:
        raise UsageError("bleu uses the setting retrieval: leave --setting out")
    variant = next((known for known in VARIANTS if known == retrieval), None)
    if variant is None:
        raise UsageError(f"no retrieval {retrieval!r}; choose from {', '.join(VARIANTS)}")
    shown = Context(tokenizer=tokenizer, retrieval=variant)
    if context and name != "truncation":
        shown = Context(tokens=context[0], tokenizer=tokenizer, retrieval=variant)
    splits = split or OWN_ROWS
    settings = [known_setting(each) for each in setting or SETTINGS]
    if name == "bleu":
        return bleu.bleu(suite, splits, shown, limit)
    if name == "tokens":
        found = tokens.inputs(suite, splits, settings, shown, limit)
        return [*found, tokens.outputs(suite, splits, shown, limit)]
    cut = [known for known in settings if not known.startswith("oracle")] or settings  # the oracle is never cut
    return truncation.truncation(suite, splits, cut, context or truncation.BUDGETS, shown, limit)
