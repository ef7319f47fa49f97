"""The documented commands of one form on a page: together they can become the rows of one task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mlbench.records import CheckStatus
from mlbench.suite_builder.mining.check_snippets import SPARES, CheckRequest, SnippetCheck, form_of
from mlbench.suite_builder.mining.commands import argv_of
from mlbench.suite_builder.mining.task_selection import form
from mlbench.suite_builder.types import CodeBlock, DraftTask

MOST = 24


def family_of(
    task: DraftTask, wanted: Sequence[CheckRequest], answers: Mapping[int, SnippetCheck]
) -> tuple[CodeBlock, ...]:
    """The other commands of a task's form that are not refused: those of its section, or else of its page.

    They have the same placeholders, so that nothing of ours tells them apart.

    Args:
        task: the task.
        wanted: all pieces of code.
        answers: the checks of some of them, by position.
    """
    own = next((each for each in wanted if each.block == task.block and each.code == task.code), None)
    if own is None or task.kind != "shell":
        return ()
    alike = {
        each.code: replace(each.block, code=each.code)
        for at, each in enumerate(wanted)
        if (each.replaced, each.attested) == (own.replaced, own.attested)
        and each.block.page == own.block.page
        and each.code != own.code
        and (each.kind, form_of(each)) == (own.kind, form_of(own))
        and (at not in answers or answers[at].check.status is CheckStatus.ACCEPTED)
    }
    beside = [each for each in alike.values() if each.headings == own.block.headings]
    return tuple(beside or alike.values())[:MOST]


def spares_of(
    kept: Sequence[DraftTask],
    named: Sequence[DraftTask],
    merged: Sequence[tuple[DraftTask, DraftTask]],
    family: Callable[[DraftTask], tuple[CodeBlock, ...]],
) -> dict[str, tuple[DraftTask, ...]]:
    """By a task's name, a few other commands of its form, with their own families; of one without arguments, all.

    Args:
        kept: the tasks.
        named: the same tasks with their names.
        merged: each other command, and the task that is kept instead.
        family: finds the family of a command.
    """
    spares: dict[str, tuple[DraftTask, ...]] = {}
    for before, task in zip(kept, named, strict=True):
        alike = [other for other, first in merged if first is before and form(other) == form(task)]
        if alike and task.kind == "shell":
            most = SPARES if argv_of(task.code) else MOST
            spares[task.name] = tuple(replace(each, name=task.name, family=family(each)) for each in alike[:most])
    return spares
