"""How likely a model with open weights finds rows, beside their twins: perplexity and Min-K%++.

Min-K%++ (Zhang et al. 2024) compares the log probability of each token with the mean and the spread that the model
expects at its place, and takes the mean of the lowest 20 %. A text from the training data scores higher.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from mlbench.records import Sample, UsageError
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.memory.intervals import mean_difference
from mlbench.suites.suite import Suite

LOWEST = 0.2
"""Share of the tokens that count for Min-K%++; at least one counts."""
_LEAST_SPREAD = 1e-6
_NOTE = (
    "instruction: by itself. reference: after its instruction. Min-K%++: mean of the lowest 20 % of the tokens'"
    " standardised log probabilities; higher is likelier. log-perplexity: mean of -log p over the tokens; lower is"
    " likelier. difference: original - twin, with its 95 % interval (bootstrap over rows). likelier: rows whose"
    " original is likelier than its twin, in per cent; 50 if the model does not know the originals, and the words of"
    " twins are as usual. Made-up names are unusual: a twin of the kind rename is less likely without any memory."
)


@dataclass(frozen=True)
class TokenScore:
    """One token: its log probability, and the mean and spread of all tokens' log probabilities at its place."""

    logp: float
    mean: float
    spread: float


class ScoringModel(Protocol):
    """A model that can say how likely a text is."""

    name: str

    def scores(self, context: str, text: str) -> Sequence[TokenScore]:
        """The tokens of a text, after a context."""


@dataclass(frozen=True)
class Likelihood:
    """How likely one text is; see the module."""

    log_perplexity: float
    min_k: float


def likelihood_of(scores: Sequence[TokenScore]) -> Likelihood | None:
    """Both measures of one text by its tokens; None if it has none."""
    if not scores:
        return None
    standard = sorted(
        (score.logp - score.mean) / score.spread if score.spread > _LEAST_SPREAD else 0.0 for score in scores
    )
    kept = standard[: max(1, int(len(standard) * LOWEST))]
    nll = -math.fsum(score.logp for score in scores) / len(scores)
    return Likelihood(nll, math.fsum(kept) / len(kept))


_TEXTS: dict[str, Callable[[Sample], tuple[str, str]]] = {
    "instruction": lambda row: ("", row.instruction),
    "reference": lambda row: (f"{row.instruction}\n\n", row.output),
}
_MEASURES: dict[str, tuple[Callable[[Likelihood], float], int]] = {
    "Min-K%++": (lambda found: found.min_k, 1),
    "log-perplexity": (lambda found: found.log_perplexity, -1),
}
"""How to read each measure, and its sign: whether a higher value is likelier."""


def check_twins(suite: Suite, twins: Suite) -> None:
    """Refuse twins of another suite or of another version.

    Raises:
        UsageError: they are of another, or no twins.
    """
    file = twins.twin_file
    if file is None:
        raise UsageError(f"{twins.root}: no suite of twins; `mlbench twins {suite.name} --kind value -o DIR` makes one")
    if (file.of.suite, file.of.version) != (suite.name, suite.version):
        raise UsageError(
            f"{twins.root}: twins of {file.of.suite}, suite version {file.of.version}, not of {suite.name},"
            f" suite version {suite.version}; make them again"
        )


def likelihood(model: ScoringModel, rows: Sequence[Sample], twins: Mapping[int, Sample], kind: str) -> list[Sheet]:
    """Return one sheet with both measures of instructions and references, and one with every row.

    Args:
        model: the model.
        rows: the originals.
        twins: their twins by the original's `id`; may be empty.
        kind: of the twins.
    """
    lines: list[tuple[Cell, ...]] = []
    every: list[tuple[Cell, ...]] = []
    for what, parts in _TEXTS.items():
        found = {row.id: likelihood_of(model.scores(*parts(row))) for row in rows}
        fresh = {id: likelihood_of(model.scores(*parts(twin))) for id, twin in twins.items() if id in found}
        for measure, (read, sign) in _MEASURES.items():
            own = {id: read(known) for id, known in found.items() if known}
            other = {id: read(known) for id, known in fresh.items() if known and id in own}
            lines.append((what, measure, *_compared(own, other, sign)))
            every += [(what, measure, id, value, other.get(id)) for id, value in own.items()]
    about = {"model": model.name, "kind": kind}
    columns = ("text", "measure", "rows", "original", "twin", "difference", "low", "high", "likelier")
    title = f"Likelihood under {model.name}" + (f", twins of the kind {kind}" if kind else ", without twins")
    rows_of = ("text", "measure", "row", "original", "twin")
    return [
        Sheet(title, columns, tuple(lines), _NOTE, digits=2, about=about),
        Sheet("Every row", rows_of, tuple(every), about=about),
    ]


def _compared(own: Mapping[int, float], other: Mapping[int, float], sign: int) -> tuple[Cell, ...]:
    if not other:
        values = list(own.values())
        return (len(values), math.fsum(values) / len(values) if values else None, None, None, None, None, None)
    pairs = [(own[id], value) for id, value in other.items()]
    means = [math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True)]
    found = mean_difference(pairs)
    likelier = sum(0.5 + 0.5 * _sign(sign * (first - second)) for first, second in pairs) / len(pairs)
    return (len(pairs), *means, found.value, found.low, found.high, 100 * likelier)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
