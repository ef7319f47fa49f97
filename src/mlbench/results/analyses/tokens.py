"""Count tokens of instructions, prompts, references and replies (tables 8 and 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.prompts.context import Context
from mlbench.prompts.files import counts_of
from mlbench.prompts.settings import render
from mlbench.prompts.tokens import Counter, counter
from mlbench.records import SHELL_TYPE, Setting
from mlbench.results.analyses.published import PART_OF, published
from mlbench.results.analyses.rows import RowContext, entries, grouped, mean, runs_of
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.published.csv_tables import SUITES
from mlbench.results.run_labels import labels
from mlbench.suites.suite import Suite

MODELS = ("GPT-3.5", "CodeLlama")
"""The models whose tokenizers counted for the paper."""


@dataclass(frozen=True)
class _Input:
    entry: RowContext
    instruction: int
    documents: int
    prompt: int


def inputs(
    suite: Suite, splits: Sequence[str], settings: Sequence[Setting], context: Context, limit: int
) -> list[Sheet]:
    """Return one sheet per setting: mean tokens of instructions, documents and prompts.

    Args:
        suite: the suite.
        splits: splits to read.
        settings: of the prompts.
        context: how documents are retrieved.
        limit: rows per split, spread evenly over it.
    """
    chosen, counting = list(entries(suite, splits, limit)), counter(context.tokenizer)
    return [_inputs(suite, chosen, setting, context, counting) for setting in settings]


def _inputs(suite: Suite, chosen: Sequence[RowContext], setting: Setting, context: Context, counting: Counter) -> Sheet:
    rows = [_input(entry, setting, context, counting) for entry in chosen]
    known = suite.name in SUITES and setting not in ("readme", "closed")
    lines: list[tuple[Cell, ...]] = []
    for repository, part, own in _parts(rows):
        folder = own[0].entry.folder
        whole = sum(f.tokens for f in counts_of(folder, "files", counting).files) if setting == "code" else None
        theirs = [published().table_8.of(repository, f"{part} {setting}", model) if known else None for model in MODELS]
        lines.append((repository, part, *_means(own), whole, *theirs))
    columns = ("repository", "part", "rows", "instruction", "documents", "prompt", "uncut", *MODELS)
    kept = [i for i in range(len(columns)) if (i < 6 or (i == 6 and setting == "code") or (i > 6 and known))]
    note = (
        f"Average tokens, as {counting.name} counts; a context of {context.tokens:,}. train: id_train and ood_train."
        + " uncut: all files that people wrote." * (setting == "code")
        + " GPT-3.5, CodeLlama: the paper's, of the documents uncut, with their own tokenizers." * known
    )
    how = f", {context.retrieval}" if setting == "retrieval" else ""
    title = f"Tokens of the input, setting {setting}{how} (table 8)"
    return Sheet(title, tuple(columns[i] for i in kept), tuple(tuple(line[i] for i in kept) for line in lines), note)


def _input(entry: RowContext, setting: Setting, context: Context, counting: Counter) -> _Input:
    prompt = render(entry.row, entry.folder, entry.repository, setting, context, entry.oracle)
    cut = prompt.shown.cut
    documents = cut.tokens if cut else sum(counting.count(document.text) for document in prompt.shown.documents)
    around = counting.count(prompt.system) + counting.count(prompt.user)
    return _Input(entry, counting.count(entry.row.instruction), documents, around)


def _parts(rows: Iterable[_Input]) -> list[tuple[str, str, list[_Input]]]:
    """Rows by repository and part, in the paper's order of parts."""
    found: dict[tuple[str, str], list[_Input]] = defaultdict(list)
    for row in rows:
        found[row.entry.repository, PART_OF[row.entry.split]].append(row)
    order = {"train": 0, "test": 1, "quarter": 2}
    names = list(dict.fromkeys(name for name, _ in found))
    return [(*key, found[key]) for key in sorted(found, key=lambda key: (names.index(key[0]), order[key[1]]))]


def _means(rows: Sequence[_Input]) -> tuple[Cell, ...]:
    return (
        len(rows),
        mean(row.instruction for row in rows),
        mean(row.documents for row in rows),
        mean(row.prompt for row in rows),
    )


def outputs(suite: Suite, splits: Sequence[str], context: Context, limit: int) -> Sheet:
    """Return the mean tokens of references by repository, part and language.

    Args:
        suite: the suite.
        splits: splits to read.
        context: holds the token counter.
        limit: rows per split, spread evenly over it.
    """
    counting, known = counter(context.tokenizer), suite.name in SUITES
    chosen = list(entries(suite, splits, limit))
    lines: list[tuple[Cell, ...]] = []
    for repository, own in grouped(chosen, lambda entry: entry.repository).items():
        for (part, kind), rows in sorted(_kinds(own).items(), reverse=True):
            theirs = [published().table_9.of(repository, f"{part} {kind}", model) for model in MODELS] if known else []
            tokens = mean(counting.count(entry.row.output) for entry in rows)
            lines.append((repository, part, kind, len(rows), tokens, *theirs))
    columns = ("repository", "part", "kind", "rows", "tokens", *(MODELS if known else ()))
    note = (
        f"Average tokens, as {counting.name} counts." + " GPT-3.5, CodeLlama: the paper's, by their tokenizers." * known
    )
    return Sheet("Tokens of the references (table 9)", columns, tuple(lines), note)


def _kinds(own: Sequence[RowContext]) -> dict[tuple[str, str], list[RowContext]]:
    found: dict[tuple[str, str], list[RowContext]] = defaultdict(list)
    for entry in own:
        found[PART_OF[entry.split], "scripts" if entry.row.kind == "shell" else "code"].append(entry)
    return found


def of_logs(suite: Suite, logs: Sequence[Path], context: Context) -> list[Sheet]:
    """Return one sheet per run: mean tokens of what was sent and of the replies.

    Args:
        suite: the suite.
        logs: of this suite.
        context: holds the token counter.
    """
    counting, runs = counter(context.tokenizer), runs_of(suite, logs)
    return [_run(run, name, counting) for run, name in zip(runs, labels(runs), strict=True)]


def _run(run: RunRecord, name: str, counting: Counter) -> Sheet:
    answered = [attempt for attempt in run.attempts if not attempt.error]
    by_kind = grouped(answered, lambda each: f"{each.repository}\n{'scripts' if each.type == SHELL_TYPE else 'code'}")
    lines = [(*key.split("\n"), *_of_attempts(own, counting)) for key, own in by_kind.items()]
    lines.append(("all", "", *_of_attempts(answered, counting)))
    note = (
        f"Average tokens, as {counting.name} counts, of attempts that were judged. code: what was taken from the reply."
        f" The provider counted {run.usage.tokens_in:,} in, {run.usage.tokens_out:,} out."
    )
    columns = ("repository", "kind", "attempts", "prompt", "reply", "code", "reference")
    return Sheet(f"Tokens of {name}, setting {run.setting} (tables 8, 9)", columns, tuple(lines), note)


def _of_attempts(attempts: Sequence[AttemptRecord], counting: Counter) -> tuple[Cell, ...]:
    return (
        len(attempts),
        mean(counting.count(each.system) + counting.count(each.prompt) for each in attempts),
        mean(counting.count(each.answer) for each in attempts),
        mean(counting.count(each.candidate) for each in attempts),
        mean(counting.count(each.reference) for each in attempts),
    )
