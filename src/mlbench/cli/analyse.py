"""`mlbench analyse`: what rows and answers are like, beside the published figures."""

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

Tokenizer = Annotated[str, typer.Option(help="Who counts tokens: estimate, cl100k_base, or a tokenizer.json.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the figures, unrounded.")]


def analyse(
    name: Annotated[str, typer.Argument(help="tokens (tables 8, 9), bleu (16) or truncation (17).")],
    suite: Annotated[str, typer.Argument(help="A bundled or fetched suite, or the folder of one.")],
    logs: Annotated[list[Path] | None, typer.Option(help="Logs, or folders of logs, instead of the rows.")] = None,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; may be given several times.")] = None,
    setting: Annotated[list[str] | None, typer.Option(help="Only this setting; may be given several times.")] = None,
    limit: Annotated[int, typer.Option(help="Rows of each split, spread evenly.")] = 260,
    context: Annotated[list[int] | None, typer.Option(help="Tokens of the context; several for truncation.")] = None,
    retrieval: Annotated[str, typer.Option(help="What is searched: paper, documents, repository or code.")] = "paper",
    tokenizer: Tokenizer = "estimate",
    json_file: JsonFile = None,
) -> None:
    """Measure a suite's rows, or logs, as the paper's appendix does; its figures stand beside."""
    if name not in NAMES:
        raise UsageError(f"no analysis {name!r}; there are: {', '.join(NAMES)}")
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
            raise UsageError(f"{path}: no such log or folder")
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json

    if logs:
        if split or setting or context:
            raise UsageError(
                "--logs says itself which rows, setting and context: leave --split, --setting, --context out"
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
    raise UsageError(f"{name} is of a suite's rows alone: leave --logs out")


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
        raise UsageError(f"{name} looks at one --context")
    if name == "bleu" and setting:
        raise UsageError("bleu is of the setting retrieval: leave --setting out")
    variant = next((known for known in VARIANTS if known == retrieval), None)
    if variant is None:
        raise UsageError(f"no retrieval {retrieval!r}; there are: {', '.join(VARIANTS)}")
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
    cut = [known for known in settings if known != "oracle"] or settings  # the oracle is never cut
    return truncation.truncation(suite, splits, cut, context or truncation.BUDGETS, shown, limit)
