"""Steps 1 to 6 of a build for one repository: from its pages to recipes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.judging.call_sites import PROGRAM
from mlbench.sandbox.jail import WORKSPACE
from mlbench.suite_builder.arguments import fixed_commands
from mlbench.suite_builder.arguments import task_arguments as arguments
from mlbench.suite_builder.docs import select_docs
from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.instructions import templates as instructions
from mlbench.suite_builder.left_out import NOT_RUNNABLE
from mlbench.suite_builder.llm import Asker, LLMQuestion
from mlbench.suite_builder.llm_authoring import written_and_read
from mlbench.suite_builder.mining import tasks
from mlbench.suite_builder.mining.check_snippets import SPARES
from mlbench.suite_builder.mining.task_selection import diverse
from mlbench.suite_builder.mining.working_dirs import installed
from mlbench.suite_builder.oracle.compute import write_cover
from mlbench.suite_builder.oracle.cover import OracleFinder
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.quality.llm_reading import TaskReading
from mlbench.suite_builder.source import RepositorySource
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask, RecipeDraft, Step
from mlbench.suite_builder.write_suite import recipe_text
from mlbench.suites.recipes import Recipe, RecipeError, load_recipe

TASKS = 120
_LOOKED_FOR: dict[Step, str] = {
    "readmes": "README or page of documentation",
    "tasks": "command or code in its pages",
    "arguments": "argument",
    "instructions": "recipe",
    "quality": "row",
}
_LONGEST_WHY = 160
_ASKED_AT_ONCE = 16
ShowProgress = Callable[[str, int, int], None]
"""Shows progress: the repository and step, the items done, and all items (0: not known)."""


@dataclass(frozen=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        most: the largest number of tasks of one repository.
        asker: a model for steps 2, 3 and 5; None for rules alone.
        reader: another model that reads the finished tasks; None: the same.
        first: names of tasks, programs and options that a person wants first.
    """

    seed: int = 0
    most: int = TASKS
    workers: int = 2
    asker: Asker | None = None
    reader: Asker | None = None
    first: Priorities = NO_PRIORITIES

    @property
    def asks(self) -> bool:
        """Whether a model is asked."""
        return self.asker is not None and self.asker.is_there

    @property
    def questions(self) -> list[LLMQuestion]:
        """What was asked of the models."""
        return [question for each in (self.asker, self.reader) if each is not None for question in each.questions]

    @property
    def has_read(self) -> bool:
        """Whether a model has read every task; else the suite is a draft."""
        readings = [each for each in self.questions if each.wanted == TaskReading.__name__]
        return bool(readings) and not any(each.fault for each in readings)

    @property
    def at_once(self) -> int:
        """Tasks in work at once: with a model, most of them wait for its answers."""
        return max(self.workers, _ASKED_AT_ONCE) if self.asks else self.workers


@dataclass
class RepositoryBuild:
    """One repository of a suite: every decision on it, and its recipes.

    Attributes:
        root: the folder that an installation would put on Python's path.
        alike: by the name of a task, its command as the page has it, and others of its form that were not tried.
        failed: why it has no recipe; empty if it has some.
    """

    source: RepositorySource
    root: str = "."
    decisions: dict[Step, list[BuildDecision]] = field(default_factory=dict)
    alike: dict[str, tuple[DraftTask, ...]] = field(default_factory=dict)
    recipes: list[Recipe] = field(default_factory=list)
    failed: str = ""

    def about(self, step: Step) -> str:
        return f"{self.source.name}: {step}"

    def note(self, step: Step, *decisions: BuildDecision) -> None:
        self.decisions.setdefault(step, []).extend(decisions)

    def fail(self, report: str) -> None:
        """Say why no task is left; `report` is the file that has all decisions."""
        self.failed = f"{self.source.name}: no usable task: {_why_none(self.decisions)}; {report} has all decisions"


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
    built.recipes = await _recipes(built, folder, drafts, checker, wishes, show)


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
    nothing = [mined.tasks[at] for at in sorted(said.keys() - drafts.keys()) if _varies_not(said[at])]
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


def _varies_not(decisions: Sequence[BuildDecision]) -> bool:
    """Whether a command makes no task because nothing in it can vary."""
    return bool(decisions) and decisions[-1].reason in ("too-few-arguments", "too-few-values")


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


async def _recipes(
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
        if recipe is None and any(_varies_not([decision]) for decision in said[at]):
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


def _why_none(decisions: Mapping[Step, Sequence[BuildDecision]]) -> str:
    """The step at which nothing was left, with its most frequent reasons and an example of the first."""
    for step, what in _LOOKED_FOR.items():
        found = decisions.get(step, [])
        if not found:
            return f"it has no {what}"
        if not any(each.kept for each in found):
            counted = [each for each in found if each.reason not in NOT_RUNNABLE] or found
            reasons = Counter(each.reason for each in counted).most_common(3)
            first = next(each for each in counted if each.reason == reasons[0][0])
            example = f" ({first.subject}: {first.why[:_LONGEST_WHY]})" if counted is not found else ""
            return f"no {what} can be used: " + ", ".join(f"{reason} {count}" for reason, count in reasons) + example
    return "no task has enough that can be varied"
