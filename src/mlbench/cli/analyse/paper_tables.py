"""`mlbench analyse tokens|bleu|truncation`: the paper's tables of rows, prompts and answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import JsonFile, Tokenizer, at_least
from mlbench.records import UsageError
from mlbench.results.log_paths import refuse_missing

if TYPE_CHECKING:
    from mlbench.results.analyses.tables import Sheet
    from mlbench.suites.suite import Suite

SuiteName = Annotated[str, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")]
Logs = Annotated[
    list[Path] | None, typer.Option(help="Log, or folder of logs, to analyse instead of the rows; may be repeated.")
]
Splits = Annotated[list[str] | None, typer.Option("--split", help="Analyse only this split; may be repeated.")]
Settings = Annotated[list[str] | None, typer.Option("--setting", help="Analyse only this setting; may be repeated.")]
RowLimit = Annotated[int, typer.Option("--limit", help="Rows per split, spread over it; a higher limit keeps them.")]
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
    _analyse(TableRequest("tokens", suite, limit, retrieval, tokenizer, json_file, logs, splits, settings, contexts))


def analyse_bleu(
    suite: SuiteName,
    splits: Splits = None,
    limit: RowLimit = 260,
    context: Annotated[int | None, typer.Option(help="Context window in tokens.")] = None,
    retrieval: Retrieval = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Compare retrieved text with the oracle (table 16).

    The measure is BLEU-1. The published figures stand beside ours.
    """
    contexts = None if context is None else [context]
    _analyse(TableRequest("bleu", suite, limit, retrieval, tokenizer, json_file, splits=splits, contexts=contexts))


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
    """Count the rows whose oracle is cut off (table 17).

    The published figures stand beside ours.
    """
    _analyse(TableRequest("truncation", suite, limit, retrieval, tokenizer, json_file, logs, splits, settings, context))


@dataclass(frozen=True)
class TableRequest:
    """What a table is made of.

    Attributes:
        name: `tokens`, `bleu` or `truncation`.
        splits, settings, contexts: None for the paper's.
    """

    name: str
    suite: str
    limit: int
    retrieval: str
    tokenizer: str
    json_file: Path | None
    logs: list[Path] | None = None
    splits: list[str] | None = None
    settings: list[str] | None = None
    contexts: list[int] | None = None


def _analyse(wanted: TableRequest) -> None:
    at_least(1, limit=wanted.limit)
    from mlbench.prompts.settings import known_setting
    from mlbench.suites.suite import known_split, load_suite

    loaded = load_suite(wanted.suite)
    for each in wanted.splits or ():
        known_split(each)
    for each in wanted.settings or ():
        known_setting(each)
    refuse_missing(wanted.logs or ())
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json

    if wanted.logs and (wanted.splits or wanted.settings or wanted.contexts):
        raise UsageError(
            "with --logs, rows, setting and context come from the logs: leave --split, --setting and --context out"
        )
    sheets = _of_logs(loaded, wanted, wanted.logs) if wanted.logs else _of_rows(loaded, wanted)
    show(sheets, Console())
    if wanted.json_file is not None:
        write_json(sheets, loaded.name, wanted.json_file)


def _of_logs(suite: Suite, wanted: TableRequest, logs: list[Path]) -> list[Sheet]:
    from mlbench.prompts.context import Context
    from mlbench.results.analyses import tokens, truncation

    if wanted.name == "tokens":
        return tokens.of_logs(suite, logs, Context(tokenizer=wanted.tokenizer))
    return truncation.truncation_of_logs(suite, logs)


def _of_rows(suite: Suite, wanted: TableRequest) -> list[Sheet]:
    from mlbench.prompts.context import VARIANTS, Context
    from mlbench.prompts.settings import SETTINGS, UNCUT, known_setting
    from mlbench.results.analyses import bleu, tokens, truncation
    from mlbench.results.analyses.rows import OWN_ROWS

    variant = next((known for known in VARIANTS if known == wanted.retrieval), None)
    if variant is None:
        raise UsageError(f"no retrieval {wanted.retrieval!r}; choose from {', '.join(VARIANTS)}")
    shown = Context(tokenizer=wanted.tokenizer, retrieval=variant)
    if wanted.contexts and wanted.name != "truncation":
        shown = Context(tokens=wanted.contexts[0], tokenizer=wanted.tokenizer, retrieval=variant)
    splits = wanted.splits or OWN_ROWS
    settings = [known_setting(each) for each in wanted.settings or SETTINGS]
    if wanted.name == "bleu":
        return bleu.bleu(suite, splits, shown, wanted.limit)
    if wanted.name == "tokens":
        found = tokens.inputs(suite, splits, settings, shown, wanted.limit)
        return [*found, tokens.outputs(suite, splits, shown, wanted.limit)]
    cut = [known for known in settings if known not in UNCUT] or settings
    return truncation.truncation(suite, splits, cut, wanted.contexts or truncation.BUDGETS, shown, wanted.limit)
