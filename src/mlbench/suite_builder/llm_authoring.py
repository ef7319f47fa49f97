"""A task's words by a model, and its reading by a sceptical one, until nothing is left to take out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.interface_check.checker import Checker
from mlbench.suite_builder.arguments import task_arguments
from mlbench.suite_builder.instructions.llm_templates import rewritten
from mlbench.suite_builder.instructions.templates import FEWEST, WANTED
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.llm_lookups import Lookups
from mlbench.suite_builder.quality.llm_reading import TaskReading, read
from mlbench.suite_builder.types import BuildDecision, RecipeDraft

READINGS, SPARE = 4, 4
READ = WANTED + SPARE
"""A task with faults after so many readings is given up; so many templates are read, as some are refused."""


@dataclass(frozen=True)
class ReadDraft:
    """A draft after its readings.

    Attributes:
        draft: without the arguments and values that the reader took out.
        templates: its instruction templates; none if the reader gave it up.
        decisions: on templates, values and the task.
    """

    draft: RecipeDraft
    templates: list[str]
    decisions: list[BuildDecision]


async def written_and_read(
    draft: RecipeDraft,
    checker: Checker,
    asker: Asker,
    reader: Asker,
    seed: int,
    project: str,
    objections: Sequence[str] = (),
) -> ReadDraft:
    """Have a model write a task's instructions, and one read the whole task; what it refuses is taken out.

    A task that is refused as a whole is made anew once, with the reader's objection. If no model answers, the task
    stays as the rules made it.

    Args:
        draft: the task with its arguments.
        checker: of its repository.
        asker: the model that writes.
        reader: the model that reads.
        seed: of the random choices.
        project: the repository's name.
        objections: what is wrong with earlier requests for this task.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    lookups = Lookups(checker.subject.place.repository)
    without: frozenset[tuple[str, str]] = frozenset()
    decisions: list[BuildDecision] = []
    objection = ""
    for _ in range(READINGS):
        count = FEWEST + SPARE if draft.task.programs else READ  # a phrase has one row
        templates, said = await rewritten(draft, seed, asker, project, count, objections)
        decisions += said
        if not templates:
            return ReadDraft(draft, [], decisions)
        reading = await read(draft, templates, reader, project, lookups)
        if reading is None:
            return ReadDraft(draft, templates[:WANTED], decisions)
        decisions += _faults(draft, reading)
        if reading.fails:
            return ReadDraft(draft, [], [_refused(draft, reading.broken, "fails")])
        refused = reading.refused(draft)
        if reading.verdict == "good" and not refused:
            bad = reading.bad_requests()
            good = [text for at, text in enumerate(templates, 1) if at not in bad]
            if len(good) >= FEWEST:
                return ReadDraft(draft, good[:WANTED], decisions)
            objections = [each.problem for each in reading.faults if each.request in bad]
            continue
        changed, why = None, [_refused(draft, f"{reading.verdict}: {reading.problem}")]
        if reading.verdict == "good":
            without |= refused
            changed, why = await task_arguments.draft(
                draft.task, checker, asker=asker, without=without, objection=objection
            )
        if changed is None and not objection:
            objection, without, objections = _objection(reading), frozenset(), ()
            changed, said = await task_arguments.draft(draft.task, checker, asker=asker, objection=objection)
            if said and said[-1].reason == "fails":
                return ReadDraft(draft, [], said[-1:])
            why = [*said, *why]
        if changed is None:
            return ReadDraft(draft, [], [*decisions, *why])
        draft = changed
    return ReadDraft(draft, [], [*decisions, _refused(draft, f"it has faults after {READINGS} readings")])


def _objection(reading: TaskReading) -> str:
    faults = [f"{each.variable} {each.value}: {each.problem}".strip() for each in reading.faults]
    return "\n".join([f"{reading.verdict}. {reading.problem}".strip(), *faults])


def _faults(draft: RecipeDraft, reading: TaskReading) -> list[BuildDecision]:
    task = draft.task.name
    return [
        BuildDecision(
            "arguments", f"{task}.{each.variable}"[:100], False, "model-refused", f"{each.value}: {each.problem}"
        )
        if each.variable
        else BuildDecision("instructions", task, False, "model-refused", f"request {each.request}: {each.problem}")
        for each in reading.faults
    ]


def _refused(draft: RecipeDraft, why: str, reason: str = "model-refused") -> BuildDecision:
    return BuildDecision("instructions", draft.task.name, False, reason, " ".join(why.split())[:300])
