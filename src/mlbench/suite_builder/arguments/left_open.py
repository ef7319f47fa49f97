"""Finds settings of a command for which nothing says a value."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.suite_builder.arguments.argument_sources import ArgumentSource
from mlbench.suite_builder.arguments.number_values import number_of
from mlbench.suite_builder.types import DraftTask


def left_open(task: DraftTask, sources: Sequence[ArgumentSource]) -> str:
    """A setting with a number that stands for a placeholder of the page; empty if there is none.

    A usual value of a known kind of setting is meant if an instruction says it: 32 for a batch size.

    Args:
        task: the task.
        sources: the settings of its command.
    """
    for each in sources:
        words = each.wish.original if each.spans and task.filled else ()
        if task.kind == "shell" and _is_synopsis(each):
            return each.place[1]
        usual = {number_of(value) for value in (each.wish.kind.values if each.wish.kind else ())}
        if any(
            number_of(word) is not None and word not in task.block.code and number_of(word) not in usual
            for word in words
        ):
            return each.place[1]
    return ""


def _is_synopsis(source: ArgumentSource) -> bool:
    """Whether a setting has its own name as its value: `-d device`."""
    names = {source.place[1], *(each.lstrip("-") for each in source.wish.options)}
    own = " ".join(source.wish.original)
    return bool(source.spans) and not source.wish.switch and own in names and own not in source.wish.option.choices
