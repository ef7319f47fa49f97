"""Finds values that exclude each other, by checking rows that contain every pair."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mlbench.suite_builder.arguments.documented_together import DocumentedTogether
from mlbench.suite_builder.arguments.references import template
from mlbench.suite_builder.arguments.value_relations import contradicting_pairs, undocumented_pairs
from mlbench.suite_builder.arguments.variant_checks import Trials
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask
from mlbench.suites.combinations import deck
from mlbench.suites.recipes import Words

MOST_ROWS, MOST_PAIRS = 20, 20
Exclude = dict[str, Words]


async def exclusions(
    task: DraftTask, arguments: Sequence[DraftArgument], trials: Trials, together: DocumentedTogether | None = None
) -> tuple[tuple[Exclude, ...], list[BuildDecision]]:
    """The pairs of values that the program refuses together, or reads differently; bounded.

    An accepted row clears all its pairs. Of a refused row, each pair is checked alone. If no pair is the cause, the
    whole combination is excluded.

    Args:
        task: the task.
        arguments: its arguments.
        trials: checks of its variants.
        together: what the commands of its section set side by side.
    """
    names = [argument.name for argument in arguments]
    said = {argument.name: list(argument.values.values()) for argument in arguments}
    unshown = list(undocumented_pairs(arguments))
    apart = together.apart() if together else []
    rows = deck(said, [*unshown, *apart], f"exclusions/{task.name}", MOST_ROWS)
    whole = (*arguments, *together.followers) if together else arguments
    text = template(task, whole)

    async def faults(some: Sequence[Exclude]) -> list[str]:
        lines = [together.completed(row) or {} for row in some] if together else some
        return await _faults(whole, trials, lines, text)

    first = {name: values[0] for name, values in said.items()}
    refused = [(row, why) for row, why in zip(rows, await faults(rows), strict=True) if why]
    good = {pair for row in rows if row not in [each for each, _ in refused] for pair in _pairs(row, names)}
    exclude: list[Exclude] = [*unshown, *contradicting_pairs(arguments)]
    decisions = [_excluded(task, rule, "they contradict each other, or no page shows both") for rule in exclude]
    for row, why in refused:
        if any(all(row[name] == words for name, words in rule.items()) for rule in exclude):
            continue
        doubtful = [pair for pair in _pairs(row, names) if pair not in good][:MOST_PAIRS]
        alone = [{**first, **dict(pair)} for pair in doubtful]
        if together:  # of a pair alone, the values that follow it are not known
            doubtful, alone = [], []
        whys = await faults(alone)
        bad = [dict(pair) for pair, fault in zip(doubtful, whys, strict=True) if fault]
        good |= {pair for pair, fault in zip(doubtful, whys, strict=True) if not fault}
        for rule in bad or [dict(row)]:
            exclude.append(rule)
            decisions.append(_excluded(task, rule, why))
    return tuple(exclude), decisions


def _excluded(task: DraftTask, rule: Exclude, why: str) -> BuildDecision:
    together = " and ".join(f"{name} = {' '.join(words) or 'nothing'}" for name, words in rule.items())
    return BuildDecision("combinations", task.name, False, "excluded", f"{together}: {why}"[:300])


def _pairs(row: Exclude, names: Sequence[str]) -> list[tuple[tuple[str, Words], tuple[str, Words]]]:
    return [((one, row[one]), (other, row[other])) for one, other in itertools.combinations(names, 2)]


async def _faults(arguments: Sequence[DraftArgument], trials: Trials, rows: Sequence[Exclude], text: str) -> list[str]:
    """Why each row is refused; empty if the program accepts it, and nothing but the arguments changes."""
    found = await trials.combinations(arguments, rows, text)
    named = {each.place for each in arguments}
    return [(trial.why or trial.fault) if trial.fault else trials.unnamed(trial, named) for trial in found]
