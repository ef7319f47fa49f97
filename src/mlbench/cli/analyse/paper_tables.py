"""`mlbench analyse tokens|bleu|truncation`: the paper's tables of rows, prompts and answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import JsonFile, Tokenizer, at_least
from mlbench.records import UsageError

if TYPE_CHECKING:
    from mlbench.results.analyses.tables import Sheet
    from mlbench.suites.suite import Suite

SuiteName = Annotated[str, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")]
Logs = Annotated[
    list[Path] | None, typer.Option(help="Log, or folder of logs, to analyse instead of the rows; may be repeated.")
]
Splits = Annotated[list[str] | None, typer.Option("--split", help="Analyse only this split; may be repeated.")]
Settings = Annotated[list[str] | None, typer.Option("--setting", help="Analyse only this setting; may be repeated.")]
RowLimit = Annotated[int, typer.Option("--limit", help="Rows per split, spread over it; a higher limit adds to them.")]
Retrieval = Annotated[
    str, typer.Option(help="Files that the setting retrieval searches: paper, documents, repository or code.")
]


def analyse_tokens(
    suite: SuiteName,
    logs: Logs = None,
    splits: Splits = None,
    settings: Settings = None,
    limit: RowLimit = 260,
    context: Annotated[int | None, typer.Option(help="Context window in tokens.")] = None,
    retrieval: Retrieval = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Count the tokens of prompts and answers (tables 8 and 9).

    The published figures stand beside ours.
    """
    contexts = None if context is None else [context]
    _analyse("tokens", suite, logs, splits, settings, limit, contexts, retrieval, tokenizer, json_file)


def analyse_bleu(
    suite: SuiteName,
    splits: Splits = None,
    limit: RowLimit = 260,
    context: Annotated[int | None, typer.Option(help="Context window in tokens.")] = None,
    retrieval: Retrieval = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Compare retrieved text with the oracle by BLEU-1 (table 16).

    The published figures stand beside ours.
    """
    contexts = None if context is None else [context]
    _analyse("bleu", suite, None, splits, None, limit, contexts, retrieval, tokenizer, json_file)


def analyse_truncation(
    suite: SuiteName,
    logs: Logs = None,
    splits: Splits = None,
    settings: Settings = None,
    limit: RowLimit = 260,
    context: Annotated[list[int] | None, typer.Option(help="Context window in tokens; may be repeated.")] = None,
    retrieval: Retrieval = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Count the rows whose oracle a context window cuts off (table 17).

    The published figures stand beside ours.
    """
    _analyse("truncation", suite, logs, splits, settings, limit, context, retrieval, tokenizer, json_file)


def _analyse(
    name: str,
    suite: str,
    logs: list[Path] | None,
    split: list[str] | None,
    setting: list[str] | None,
    limit: int,
    context: list[int] | None,
    retrieval: str,
    tokenizer: str,
    json_file: Path | None,
) -> None:
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
    return truncation.truncation_of_logs(suite, logs)


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
    from mlbench.prompts.settings import SETTINGS, UNCUT, known_setting
    from mlbench.results.analyses import bleu, tokens, truncation
    from mlbench.results.analyses.rows import OWN_ROWS

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
    cut = [known for known in settings if known not in UNCUT] or settings
    return truncation.truncation(suite, splits, cut, context or truncation.BUDGETS, shown, limit)
