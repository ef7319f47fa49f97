"""Step 5 of a build for one repository: instructions, and the recipes as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.suite_builder.arguments import fixed_commands
from mlbench.suite_builder.arguments import task_arguments as arguments
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild, ShowProgress
from mlbench.suite_builder.instructions import templates as instructions
from mlbench.suite_builder.llm_authoring import written_and_read
from mlbench.suite_builder.mining import tasks
from mlbench.suite_builder.oracle.compute import write_cover
from mlbench.suite_builder.oracle.cover import OracleFinder
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask, RecipeDraft
from mlbench.suite_builder.write_suite import recipe_text
from mlbench.suites.recipes import Recipe, RecipeError, load_recipe


async def recipes(
    built: RepositoryBuild,
    folder: Path,
    drafts: Sequence[RecipeDraft],
    checker: Checker,
    wishes: BuildOptions,
    show: ShowProgress,
) -> list[Recipe]:
    """Step 5: instructions, and the recipes as files."""
    oracles = OracleFinder(built.source.folder)
    recipes: dict[int, Recipe] = {}
    said: dict[int, list[BuildDecision]] = {}

    async def write(at: int) -> None:
        recipe, said[at] = await _recipe(built, folder, drafts[at], oracles, checker, wishes)
        first, *others = built.alike.get(drafts[at].task.name) or [drafts[at].task]
        for other in others if said[at] and said[at][-1].reason == "fails" else ():
            draft, _ = await arguments.draft(other, checker, asker=wishes.asker, first=wishes.first)
            if draft is None or instructions.is_copy(draft):
                continue
            recipe, more = await _recipe(built, folder, draft, oracles, checker, wishes)
            if recipe is not None:
                decisions = built.decisions["tasks"]
                built.decisions["tasks"] = tasks.in_place_of(decisions, first, other, fails=said[at][-1].why)
                said[at] = more
                break
        if recipe is None and any(decision.varies_not for decision in said[at]):
            recipe, more = await _as_it_stands(built, folder, first, oracles, checker, wishes)
            said[at] = [*said[at], *more]
        if recipe is not None:
            recipes[at] = recipe
        show(built.about("instructions"), len(said), len(drafts))

    await each(range(len(drafts)), write, wishes.at_once)
    built.note("instructions", *(decision for at in sorted(said) for decision in said[at]))
    for at, draft in enumerate(drafts):
        if draft.task.programs:
            built.decisions["tasks"] = fixed_commands.settled(built.decisions["tasks"], draft, recipes.get(at))
    return [recipes[at] for at in sorted(recipes)]


async def _as_it_stands(
    built: RepositoryBuild,
    folder: Path,
    task: DraftTask,
    oracles: OracleFinder,
    checker: Checker,
    wishes: BuildOptions,
) -> tuple[Recipe | None, list[BuildDecision]]:
    """The recipe of a command of which a reader took out all that varied, as a task of one row."""
    if not wishes.asks or wishes.asker is None or task.programs:
        return None, []
    for commands in fixed_commands.choices([task]):
        draft, decisions = await fixed_commands.draft(commands, checker, wishes.asker)
        if draft is not None:
            draft = replace(draft, task=replace(draft.task, name=task.name))
            return await _recipe(built, folder, draft, oracles, checker, wishes)
        return None, decisions
    return None, []


async def _recipe(
    built: RepositoryBuild,
    folder: Path,
    draft: RecipeDraft,
    oracles: OracleFinder,
    checker: Checker,
    wishes: BuildOptions,
) -> tuple[Recipe | None, list[BuildDecision]]:
    """The recipe of a draft, written into the suite, or why there is none.

    If the requests leave out what nothing shows, a model writes them once more.
    """
    name, task = built.source.name, draft.task.name
    objections: tuple[str, ...] = ()
    while True:
        if wishes.asks and wishes.asker is not None:
            reader = wishes.reader or wishes.asker
            read = await written_and_read(draft, checker, wishes.asker, reader, wishes.seed, name, objections)
            draft, found, said = read.draft, read.templates, read.decisions
        else:
            found, said = instructions.templates(draft, wishes.seed, name)
        if len(found) < instructions.FEWEST:
            if found or len(said) != 1:  # else one decision says why there can be none
                said = [*said, _too_few(draft, found, said)]
            return None, said
        recipe, hidden, fault = _written(folder / "recipes" / name / f"{task}.yaml", built, draft, found, oracles)
        if recipe is not None:
            return recipe, [*said, BuildDecision("instructions", task, True)]
        if not hidden or objections or not wishes.asks:
            return None, [*said, fault]
        objections = (f"Neither the documentation nor the code shows {hidden}: each request has to say it.",)


def _written(
    file: Path, built: RepositoryBuild, draft: RecipeDraft, found: Sequence[str], oracles: OracleFinder
) -> tuple[Recipe | None, str, BuildDecision]:
    """A recipe as a file; else None, what of it nothing shows, and the decision."""
    task = draft.task.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(recipe_text(draft, found, built.source.folder), encoding="utf-8")
    try:
        recipe = load_recipe(file)
        added = {each.option or each.place.rpartition(".")[2] for each in draft.arguments if _needs_its_help(each)}
        others = [(each.block.page, each.block.segment) for _, each in draft.task.programs]
        cover = oracles.cover(recipe, draft.task.check, added, others)
        if not cover.undocumented:
            write_cover(file, recipe, cover)
            return load_recipe(file), "", BuildDecision("instructions", task, True)
        hidden = ", ".join(cover.undocumented)
        why = f"neither the documentation nor the code shows {hidden}"
        decision = BuildDecision("instructions", task, False, "not-sufficient", why)
    except RecipeError as error:
        hidden, decision = "", BuildDecision("instructions", task, False, "no-recipe", str(error))
    file.unlink()
    return None, hidden, decision


def _needs_its_help(argument: DraftArgument) -> bool:
    """Whether its definition is shown in any case: no example gives it, or it is a switch, which is said in words."""
    return not argument.spans or not all(argument.values.values())


def _too_few(draft: RecipeDraft, found: Sequence[str], said: Sequence[BuildDecision]) -> BuildDecision:
    faults = ", ".join(f"{reason} {count}" for reason, count in Counter(each.reason for each in said).most_common(3))
    why = f"{len(found)} of {instructions.FEWEST} instructions could be written" + (f": {faults}" if faults else "")
    return BuildDecision("instructions", draft.task.name, False, "too-few-instructions", why)
