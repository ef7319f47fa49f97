"""Step 3: chooses the arguments of a task and their values.

Only values that the code gives vary, by the ranks of `varied.yaml`. Every value was checked in the reference: the
program accepts it, it arrives at its destination, and no other given value changes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.shell.languages import parse_python
from mlbench.suite_builder.arguments import fixed_commands
from mlbench.suite_builder.arguments.argument_candidates import sources_of
from mlbench.suite_builder.arguments.argument_finder import ArgumentFinder, decision_of, is_switched
from mlbench.suite_builder.arguments.argument_kinds import NEVER, SELDOM, table
from mlbench.suite_builder.arguments.argument_sources import ArgumentSource
from mlbench.suite_builder.arguments.doc_sections import LONGEST_PAGE, lines_of_page, section_of
from mlbench.suite_builder.arguments.documented_together import sayable, shared_block, shortest
from mlbench.suite_builder.arguments.exclusions import exclusions
from mlbench.suite_builder.arguments.left_open import left_open
from mlbench.suite_builder.arguments.llm_arguments import wished
from mlbench.suite_builder.arguments.llm_places import placed
from mlbench.suite_builder.arguments.number_values import number_of
from mlbench.suite_builder.arguments.references import template
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.signatures import about
from mlbench.suite_builder.arguments.value_relations import NO_PROSE
from mlbench.suite_builder.arguments.variant_checks import Trials
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining.task_selection import by_weight
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask, RecipeDraft

_MOST_PINNED = 4
"""Arguments of a command in which nothing varies: its other settings are looked up in the section."""
_NOT_TAKEN = ("value-refused", "value-shared", "too-few-values", "part-of-a-value", "name-taken", "model")
_MOST_WHYS = 12
WANTED, FEWEST = 4, 1
"""Arguments of a task: as many as this; at least."""


async def draft(
    task: DraftTask,
    checker: Checker,
    *,
    asker: Asker | None = None,
    first: Priorities = NO_PRIORITIES,
    without: Collection[tuple[str, str]] = (),
    objection: str = "",
) -> tuple[RecipeDraft | None, list[BuildDecision]]:
    """The task with its arguments, its exclusions, and the template of its reference.

    Args:
        task: the task.
        checker: of its repository.
        asker: a model that says what people vary; without one the table of kinds decides.
        first: options that a person wants first.
        without: what a reader refused; see `ArgumentFinder`.
        objection: what a reader said of an earlier version as a whole.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    if task.programs and asker is not None:
        return await fixed_commands.redraft(task, checker, asker, without, objection)
    if asker is not None and not without:  # else it was done before
        task = await placed(task, checker, asker, objection)
    trials = Trials(task, checker)
    finder = await _found(task, trials, checker, asker, first, without, objection)
    if refused := _refused(finder, asker):
        finder = await _found(
            task, trials, checker, asker, first, without, "\n".join(filter(None, (objection, refused)))
        )
    task = trials.task  # an oracle need not show a value that is the program's default
    arguments, decisions = finder.arguments, finder.decisions
    if finder.broken:
        return None, [*decisions, decision_of(task.name, "fails", finder.broken[:300])]
    varied = {each.place for each in arguments if len(each.values) > 1} if asker is not None else ()
    if left := left_open(task, [each for each in finder.sources if each.place[1] not in varied]):
        return None, [*decisions, decision_of(task.name, "placeholder", f"nothing says a value for {left}")]
    if not arguments:
        why = f"it gives no setting of its own{': ' * bool(finder.nothing)}{finder.nothing}"[:300]
        return None, [*decisions, decision_of(task.name, "too-few-arguments", why)]
    if _is_synopsis(task, arguments):
        return None, [*decisions, decision_of(task.name, "placeholder", "every value of it is a placeholder")]
    if task.kind == "python" and _is_trivial(task, arguments):
        why = "one number of one call is all that varies"
        return None, [*decisions, decision_of(task.name, "too-few-arguments", why)]
    if task.kind == "python" and all(len(each.values) == 1 for each in arguments):
        return None, [*decisions, decision_of(task.name, "too-few-values", "the example can only be copied as it is")]
    exclude, more = await exclusions(task, arguments, trials, finder.together)
    decisions += more
    together, followers = (finder.together.lines, finder.together.followers) if finder.together else ((), ())
    functions = [call.function for call in by_weight(task.check)] if task.kind == "python" else []
    told = about(checker.subject.place.repository, task.program, functions)
    text = template(task, (*arguments, *followers)) + "\n"
    repository = checker.subject.place.repository
    if finder.together:
        task = replace(task, block=shared_block(task))
    is_of_page = finder.together is not None and any(each.headings != task.block.headings for each in task.family)
    section = (
        lines_of_page(repository, task.block.page, (1, LONGEST_PAGE)) if is_of_page else section_of(task, repository)
    )
    found = RecipeDraft(task, tuple(arguments), text, exclude, finder.fixed(), told, section, together, followers)
    return found, decisions


def _refused(finder: ArgumentFinder, asker: Asker | None) -> str:
    """Why nothing that a model proposed was taken, for another try; empty if something was, or it proposed nothing."""
    if asker is None or finder.arguments or finder.broken or finder.nothing:
        return ""
    whys = [f"{each.subject.rpartition('.')[2]}: {each.why}" for each in finder.decisions if each.reason in _NOT_TAKEN]
    return "\n".join(["Not one of the settings that were proposed could be taken:", *whys[:_MOST_WHYS]]) if whys else ""


async def of(
    task: DraftTask, checker: Checker, *, asker: Asker | None = None
) -> tuple[list[DraftArgument], list[BuildDecision]]:
    """The arguments of a task with their values, and all decisions.

    Args:
        task: the task.
        checker: of its repository.
        asker: a model that says what people vary; None for the table of kinds alone.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    finder = await _found(task, Trials(task, checker), checker, asker)
    return finder.arguments, finder.decisions


async def _found(
    task: DraftTask,
    trials: Trials,
    checker: Checker,
    asker: Asker | None,
    first: Priorities = NO_PRIORITIES,
    without: Collection[tuple[str, str]] = (),
    objection: str = "",
) -> ArgumentFinder:
    begun = await trials.begin()
    task = trials.task
    repository = checker.subject.place.repository
    finder = ArgumentFinder(task, trials, _vocabulary(repository), without)
    if begun.fault:
        finder.decisions.append(decision_of(task.name, begun.fault, f"its own code is not accepted: {begun.why}"[:300]))
        return finder
    found = await sources_of(task, trials, repository, left_out=asker is not None)
    finder.sources = sources = [each for each in found if each.spans]
    if asker is not None and await _add_wished(finder, found, repository, asker, first, objection):
        return finder
    sources = sorted(sources, key=lambda source: first.rank(source.wish.name, *source.wish.options))  # stable
    await finder.add_family()
    if finder.together:  # what no command of the section shows beside them may not fit
        sources = [each for each in sources if each.wish.is_free]
    usual = [each for each in sources if each.rank > SELDOM]
    for source in [*usual, *(each for each in sources if NEVER < each.rank <= SELDOM)]:
        if len(finder.arguments) >= WANTED:
            break
        if source.rank <= SELDOM and not all(map(is_switched, finder.arguments)):
            continue  # places of files only if nothing else varies
        is_dull = source.wish.switch and source.rank <= table().otherwise["switch"]
        if is_dull and len(finder.arguments) >= FEWEST:
            continue  # other settings of the command may count only beside it
        await finder.add(source)
    nothing_varies = all(map(is_switched, finder.arguments))
    if nothing_varies:
        finder.pin(lambda words: True, _MOST_PINNED)
    else:
        finder.pin(lambda words: len(words) == 1 and NO_PROSE.search(words[0]) is not None)
    if nothing_varies and len(finder.arguments) == 1:
        only = finder.arguments[0]  # without its one switch, the command would be bare
        finder.arguments[0] = replace(only, values=dict([next(iter(only.values.items()))]))
    return finder


async def _add_wished(
    finder: ArgumentFinder,
    found: Sequence[ArgumentSource],
    repository: Path,
    asker: Asker,
    first: Priorities,
    objection: str,
) -> bool:
    """Add what a model would vary, what a person wants first before the rest; whether the model answered."""
    task = finder.task
    wish, refused = await wished(task, found, section_of(task, repository), finder.vocabulary, asker, objection)
    finder.decisions += refused
    if wish is None:
        return False
    finder.nothing, finder.broken = wish.nothing, wish.broken
    if wish.together:
        why = "a model sets it together with others, in {} lines"
        options = [each.wish.options for each in wish.together]
        lines = [list(zip(options, line, strict=True)) for line in wish.lines]
        shown = all(finder.vocabulary.shows_together(task.program, task.block.page, line) for line in lines)
        said = shortest if shown else sayable  # else the page does not show what follows
        await finder.add_together(wish.together, wish.lines, why, said)
    sources = {each.wish.name: each for each in found}
    suggested = [(sources[name], values) for name, values in wish.values.items()]
    chosen = [
        replace(source, wish=replace(source.wish, suggested=values, unfit=source.wish.name in wish.unfit))
        for source, values in suggested
    ]
    for source in sorted(chosen, key=lambda each: first.rank(each.wish.name, *each.wish.options)):  # stable
        bound = len(finder.together.arguments) if finder.together else 0
        if len(finder.arguments) - bound + bool(bound) < WANTED:  # what changes together counts as one
            await finder.add(source)
    return True


@lru_cache(maxsize=4)
def _vocabulary(repository: Path) -> Vocabulary:
    return Vocabulary(repository)


def _is_synopsis(task: DraftTask, arguments: Sequence[DraftArgument]) -> bool:
    """Whether no value of a command stands in its page, so that it says only which words the program takes."""
    words = [word for each in arguments for values in each.values.values() for word in values]
    is_fixed = all(len(each.values) == 1 for each in arguments)
    return task.filled > 0 and is_fixed and not any(word in task.block.code for word in words)


def _is_trivial(task: DraftTask, arguments: Sequence[DraftArgument]) -> bool:
    """Whether a snippet has no call but one with one number."""
    _, tree = parse_python(task.code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    alone = len(calls) == 1 and len(calls[0].args) + len(calls[0].keywords) == 1
    return alone and all(
        number_of(word) is not None for each in arguments for way in each.values.values() for word in way
    )
