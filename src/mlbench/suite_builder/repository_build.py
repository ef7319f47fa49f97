"""Steps 1 to 6 of a build for one repository: from its pages to recipes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.judging.call_sites import PROGRAM
from mlbench.sandbox.jail import WORKSPACE
from mlbench.suite_builder.arguments import fixed_commands
from mlbench.suite_builder.arguments import task_arguments as arguments
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild, ShowProgress
from mlbench.suite_builder.docs import select_docs
from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.instructions import templates as instructions
from mlbench.suite_builder.mining import tasks
from mlbench.suite_builder.mining.check_snippets import SPARES
from mlbench.suite_builder.mining.task_selection import diverse
from mlbench.suite_builder.mining.working_dirs import installed
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.recipe_writing import recipes
from mlbench.suite_builder.types import BuildDecision, DraftTask, RecipeDraft


async def recipes_of(
    built: RepositoryBuild, folder: Path, wishes: BuildOptions, servers: Servers, show: ShowProgress
) -> None:
    """Write the recipes of one repository into a suite's folder; `built` gets them and all decisions.

    Args:
        built: the repository.
        folder: the suite's folder.
        wishes: the options.
        servers: the pool of the interface check.
        show: is told the progress.

    Raises:
        SandboxUnavailableError: the machine failed.
        OSError: a recipe cannot be written.
    """
    built.root = installed(built.source.folder)
    env = {"PYTHONPATH": f"{WORKSPACE}/{built.root}".removesuffix("/.")}
    checker = Checker(CheckTarget(CheckEnv(built.source.folder), env), servers)
    drafts = await _drafts(built, checker, wishes, show)
    built.recipes = await recipes(built, folder, drafts, checker, wishes, show)


async def _drafts(
    built: RepositoryBuild, checker: Checker, wishes: BuildOptions, show: ShowProgress
) -> list[RecipeDraft]:
    """Steps 1, 2, 3 and 6: from the pages to tasks with arguments and reference templates."""
    show(built.about("readmes"), 0, 0)
    selection = select_docs.select(built.source.folder)
    built.note("readmes", *selection.decisions)
    found = [block for page in selection.pages for block in blocks(page)]
    mined = await tasks.mine(
        built.source.folder,
        found,
        checker,
        most=2 * wishes.most,
        asker=wishes.asker,
        workers=wishes.workers,
        show=lambda done, of: show(built.about("tasks"), done, of),
        first=wishes.first,
    )
    drafts: dict[int, RecipeDraft] = {}
    said: dict[int, list[BuildDecision]] = {}
    taken: dict[int, DraftTask] = {}  # as mined: a model may change places in the command

    async def vary(at: int) -> None:
        task = mined.tasks[at]
        draft, said[at] = await arguments.draft(task, checker, asker=wishes.asker, first=wishes.first)
        for spare in mined.spares.get(task.name, ())[:SPARES]:
            if draft is not None and (wishes.asks or _can_be_said(draft, wishes, built.source.name)):
                break
            other, decisions = await arguments.draft(spare, checker, asker=wishes.asker, first=wishes.first)
            if other is not None and (wishes.asks or _can_be_said(other, wishes, built.source.name)):
                draft, said[at], taken[at] = other, decisions, spare
        if draft is not None and instructions.is_copy(draft):
            said[at] = [
                *said[at],
                BuildDecision("arguments", draft.task.name, False, "too-few-values", instructions.COPY),
            ]
        elif draft is not None:
            drafts[at] = draft
        show(built.about("arguments"), len(said), len(mined.tasks))

    await each(range(len(mined.tasks)), vary, wishes.at_once)
    nothing = [mined.tasks[at] for at in sorted(said.keys() - drafts.keys()) if said[at] and said[at][-1].varies_not]
    left = [each for task in nothing for each in (task, *mined.spares.get(task.name, ()))]
    chosen_from = await _choices(left, {task.name for task in mined.tasks}, built, checker, wishes)
    drafts |= dict(enumerate(chosen_from, len(mined.tasks)))
    found_out: Sequence[BuildDecision] = mined.decisions
    for at in sorted(drafts.keys() & taken.keys()):
        found_out = tasks.in_place_of(found_out, mined.tasks[at], taken[at])
    built.note("tasks", *found_out)
    for at, task in enumerate(mined.tasks):
        spares = mined.spares.get(task.name, ())
        first, *others = spares[spares.index(taken[at]) :] if at in taken else (task, *spares[:SPARES])
        built.alike[task.name] = first, *tasks.beside(first), *others
    built.decisions["arguments"] = [
        *(decision for at in sorted(said) for decision in said[at]),
        *built.decisions.get("arguments", ()),
    ]
    kept = [drafts[at] for at in sorted(drafts)]
    kept = kept if wishes.asks else _told_apart(kept, built)
    chosen = {id(task) for task in diverse([draft.task for draft in kept], wishes.most, wishes.first)}
    why = f"{wishes.most} tasks are wanted"
    for draft in kept:
        if id(draft.task) not in chosen:
            built.note("instructions", BuildDecision("instructions", draft.task.name, False, "enough", why))
            if draft.task.programs:
                built.decisions["tasks"] = fixed_commands.settled(built.decisions["tasks"], draft, None)
    return [draft for draft in kept if id(draft.task) in chosen]


async def _choices(
    left: Sequence[DraftTask], names: set[str], built: RepositoryBuild, checker: Checker, wishes: BuildOptions
) -> list[RecipeDraft]:
    """The commands in which nothing varies as tasks; none without a model.

    Args:
        left: the commands in which nothing varies.
        names: of all tasks; those of the choices are added.
    """
    drafts: list[RecipeDraft] = []
    if not wishes.asks or wishes.asker is None:
        return drafts
    for commands in fixed_commands.choices(left):
        choice, decisions = await fixed_commands.draft(commands, checker, wishes.asker)
        if choice is not None:
            name = choice.task.name
            while name in names:
                name += "-program"
            names.add(name)
            drafts.append(replace(choice, task=replace(choice.task, name=name)))
            decisions = [*decisions, BuildDecision("arguments", f"{name}.{PROGRAM}", True)]
        built.note("arguments", *decisions)
    return drafts


def _can_be_said(draft: RecipeDraft, wishes: BuildOptions, name: str) -> bool:
    return len(instructions.templates(draft, wishes.seed, name, instructions.FEWEST)[0]) == instructions.FEWEST


def _told_apart(drafts: list[RecipeDraft], built: RepositoryBuild) -> list[RecipeDraft]:
    """The drafts without those that an instruction could not tell from an earlier one."""
    found: dict[tuple[object, ...], RecipeDraft] = {}
    for draft in drafts:
        first = found.setdefault(instructions.wording(draft), draft)
        if first is not draft:
            why = f"an instruction could not tell it from {first.task.name}"
            built.note("instructions", BuildDecision("instructions", draft.task.name, False, "same-words", why))
    return list(found.values())
