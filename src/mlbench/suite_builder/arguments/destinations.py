"""Proves where a value of the code arrives: the value is changed, and the interface check says what follows.

A value whose option the parser names needs no proof. Positional words, variables and Python literals do: two equal
values (`rembg b 4 4`) cannot be told apart otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.judging.call_sites import ENVIRONMENT
from mlbench.suite_builder.arguments.number_values import number_of
from mlbench.suite_builder.arguments.references import rendered
from mlbench.suite_builder.arguments.value_spans import Slot
from mlbench.suite_builder.arguments.variant_checks import Place, Trials
from mlbench.suite_builder.types import DraftArgument, DraftTask
from mlbench.suites.recipes import Words

_WHOLE = 64
"""Added to whole numbers, so that sizes stay sizes."""


async def proven(task: DraftTask, trials: Trials, slot: Slot, candidates: Sequence[Place]) -> Place | None:
    """The destination that follows the value; None if none of the candidates does, or if several do.

    If the program refuses every changed value, a single candidate is taken: its own values are checked one by one.

    Args:
        task: the task.
        trials: checks of its variants.
        slot: the value in the code.
        candidates: destinations that hold the value.
    """
    if not candidates:
        return None
    refused = True
    for words in _others(slot.words):
        argument = DraftArgument("probe", "", "", "", {"probe": words}, spans=(slot.span,))
        trial = await trials.of(rendered(task, [argument], {"probe": words}))
        if trial.fault:
            continue
        refused = False
        moved = [place for place in candidates if place in trial.changed]
        beside = [place for place in moved if not place[1].startswith(ENVIRONMENT)] or moved
        if len(beside) == 1 or (beside and slot.variable):
            return beside[0]
    return candidates[0] if refused and len(candidates) == 1 else None


def _others(words: Words) -> list[Words]:
    """Other values of the same form."""
    if not words:
        return [("other",)]
    last = words[-1]
    if last in ("True", "False"):
        return [(*words[:-1], "False" if last == "True" else "True")]
    number = number_of(last)
    if number is None:
        return [(*words[:-1], f"{last}_2")]
    if "." in last or "e" in last.lower():
        return [(*words[:-1], f"{number / 2 + 0.1:g}"), (*words[:-1], f"{number / 2:g}")]
    return [(*words[:-1], str(int(number) + _WHOLE)), (*words[:-1], str(int(number) * 2 + 1))]
