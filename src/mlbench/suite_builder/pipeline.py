"""Builds a suite from an unknown repository: the steps of the paper's figure 4, in order.

The repository's code runs only in the interface check's jail. Each step's decisions are written to `steps/`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import yaml
from inspect_ai.model import ModelUsage
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.records import RunError, UsageError
from mlbench.sandbox.jail import WORKSPACE
from mlbench.suite_builder.arguments import task_arguments as arguments
from mlbench.suite_builder.docs import select_docs
from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.instructions import templates as instructions
from mlbench.suite_builder.instructions.llm_templates import rewritten
from mlbench.suite_builder.instructions.task_descriptions import is_named, purpose
from mlbench.suite_builder.llm import Asker, LLMQuestion
from mlbench.suite_builder.mining import tasks
from mlbench.suite_builder.mining.working_dirs import installed
from mlbench.suite_builder.output_dir import claim, clear
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.quality.findings import QualityFinding
from mlbench.suite_builder.row_filter import look, settled, take_out
from mlbench.suite_builder.source import RepositorySource, pin_file
from mlbench.suite_builder.types import BuildDecision, RecipeDraft, Step
from mlbench.suite_builder.write_suite import recipe_text, write_decisions, write_lines
from mlbench.suites.recipes import Recipe, RecipeError, load_recipe

TASKS = 30
TEST_ROWS, TRAINING_ROWS = 5, 20
"""Rows of one task, if it has enough combinations."""
ENOUGH = 8
"""With this many tasks whose purpose can be named, other tasks are left out."""
PATIENCE = 10.0
"""Wall seconds of one check; a program that needs longer makes no task."""
_LOOKED_FOR: dict[Step, str] = {
    "readmes": "README or page of documentation",
    "tasks": "command or code in its pages",
    "arguments": "argument",
    "instructions": "recipe",
}


@dataclass(frozen=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        most: the largest number of tasks.
        asker: a model for steps 2, 3 and 5; None for rules alone.
    """

    seed: int = 0
    most: int = TASKS
    workers: int = 2
    asker: Asker | None = None


@dataclass
class BuildResult:
    """A suite that was made, with all decisions."""

    folder: Path
    decisions: dict[Step, list[BuildDecision]] = field(default_factory=dict)
    tasks: int = 0
    rows: int = 0
    findings: list[QualityFinding] = field(default_factory=list)


async def build(
    source: RepositorySource, folder: Path, wishes: BuildOptions, told: Callable[[str], None] = lambda step: None
) -> BuildResult:
    """Build a suite into a folder, in place of an earlier build.

    Args:
        source: the repository.
        folder: the suite's folder.
        wishes: the options.
        told: called with the name of each step that begins.

    Raises:
        UsageError: the repository has no usable task (`steps/` says why); or the folder holds something else, or
            recipes that a person has reviewed.
        RunError: the machine failed, or the folder cannot be written.
    """
    claim(folder)
    built = BuildResult(folder)
    servers = Servers(2 * wishes.workers, remember=True)
    root = installed(source.folder)
    env = {"PYTHONPATH": f"{WORKSPACE}/{root}".removesuffix("/.")}
    checker = Checker(CheckTarget(CheckEnv(source.folder), env), servers, wall=PATIENCE)
    try:
        clear(folder, pin_file(folder, source.name) if source.entry else source.folder)
        drafts = await _drafts(source, checker, wishes, built, told)
        recipes = await _recipes(source, drafts, wishes, built, told)
        if not recipes:
            why = _why_none(built.decisions)
            raise UsageError(f"{source.name}: no usable task: {why}; {folder}/steps has all decisions")
        _write_suite(source, folder, root, recipes, wishes)
        told("quality")
        await _settle(source, folder, root, recipes, wishes, built)
    except SandboxUnavailableError as error:
        raise RunError(str(error)) from error
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    finally:
        await servers.close()
        for step, decisions in built.decisions.items():
            write_decisions(folder, step, decisions)
        if wishes.asker is not None and wishes.asker.questions:
            write_lines(folder / "steps" / "model.jsonl", [_asked(each) for each in wishes.asker.questions])
    return built


def _asked(question: LLMQuestion) -> dict[str, object]:
    usage = question.usage.model_dump(exclude_none=True)
    return asdict(replace(question, usage=ModelUsage())) | {"usage": usage}


async def _drafts(
    source: RepositorySource, checker: Checker, wishes: BuildOptions, built: BuildResult, told: Callable[[str], None]
) -> list[RecipeDraft]:
    """Steps 1, 2, 3 and 6: from the pages to tasks with arguments and reference templates."""
    told("readmes")
    selection = select_docs.select(source.folder)
    built.decisions["readmes"] = list(selection.decisions)
    told("tasks")
    found = [block for page in selection.pages for block in blocks(page)]
    mined = await tasks.mine(
        source.folder, found, checker, most=2 * wishes.most, asker=wishes.asker, workers=wishes.workers
    )
    built.decisions["tasks"] = list(mined.decisions)
    told("arguments")
    drafts: dict[int, RecipeDraft] = {}
    said: dict[int, list[BuildDecision]] = {}

    async def vary(at: int) -> None:
        draft, said[at] = await arguments.draft(mined.tasks[at], checker, asker=wishes.asker)
        if draft is not None:
            drafts[at] = draft

    await each(range(len(mined.tasks)), vary, wishes.workers)
    built.decisions["arguments"] = [decision for at in sorted(said) for decision in said[at]]
    return _told_apart(_telling([drafts[at] for at in sorted(drafts)], built), built)[: wishes.most]


def _told_apart(drafts: list[RecipeDraft], built: BuildResult) -> list[RecipeDraft]:
    """The drafts without those that an instruction could not tell from an earlier one."""
    found: dict[tuple[object, ...], RecipeDraft] = {}
    for draft in drafts:
        first = found.setdefault(instructions.wording(draft), draft)
        if first is not draft:
            why = f"an instruction could not tell it from {first.task.name}"
            decision = BuildDecision("instructions", draft.task.name, False, "same-words", why)
            built.decisions.setdefault("instructions", []).append(decision)
    return list(found.values())


def _telling(drafts: list[RecipeDraft], built: BuildResult) -> list[RecipeDraft]:
    """The drafts whose purpose can be named, if there are enough; else all."""
    telling = [draft for draft in drafts if is_named(purpose(draft))]
    if len(telling) < ENOUGH:
        return drafts
    why = "nothing says what it is for, and there are enough others"
    built.decisions["instructions"] = [
        BuildDecision("instructions", draft.task.name, False, "no-purpose", why)
        for draft in drafts
        if draft not in telling
    ]
    return telling


async def _recipes(
    source: RepositorySource,
    drafts: Sequence[RecipeDraft],
    wishes: BuildOptions,
    built: BuildResult,
    told: Callable[[str], None],
) -> list[Recipe]:
    """Step 5: instructions, and the recipes as files."""
    told("instructions")
    decisions = built.decisions.setdefault("instructions", [])
    recipes = []
    for draft in drafts:
        if wishes.asker is not None and wishes.asker.model is not None:
            found, said = await rewritten(draft, wishes.seed, wishes.asker, source.name)
        else:
            found, said = instructions.templates(draft, wishes.seed, source.name)
        decisions += said
        file = built.folder / "recipes" / source.name / f"{draft.task.name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(recipe_text(draft, found, source.folder), encoding="utf-8")
        try:
            recipes.append(load_recipe(file))
        except RecipeError as error:
            file.unlink()
            decisions.append(BuildDecision("instructions", draft.task.name, False, "no-recipe", str(error)))
            continue
        decisions.append(BuildDecision("instructions", draft.task.name, True))
    return recipes


def _write_suite(
    source: RepositorySource, folder: Path, root: str, recipes: Sequence[Recipe], wishes: BuildOptions
) -> None:
    sizes, share = _sizes(recipes)
    repository: dict[str, object] = {"name": source.name, "github_id": 1, "domain": "unknown", "role": "id"}
    repository |= {"installed": root} | ({"catalogue": True} if source.entry else {})
    fields = {
        "name": f"{source.name}-suite",
        "version": 1,
        "seed": wishes.seed,
        "order": "pairwise",
        "sizes": sizes,
        "code_share": share,
        "repositories": [repository],
    } | ({"draft": "needs review"} if wishes.asker is None or wishes.asker.model is None else {})
    (folder / "suite.yaml").write_text(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _sizes(recipes: Sequence[Recipe]) -> tuple[dict[str, int], float]:
    """Rows of each split and the share of Python rows, as far as the recipes' combinations go."""
    test, train = Counter[str](), Counter[str]()
    for recipe in recipes:
        held = sum(1 for _, _ in zip(recipe.combinations(), range(TEST_ROWS + TRAINING_ROWS), strict=False))
        test[recipe.kind] += (ours := min(TEST_ROWS, max(1, held // 3)))
        train[recipe.kind] += min(TRAINING_ROWS, held - ours)
    full = test.total()
    share = test["python"] / full
    bounds = [train[kind] / part for kind, part in (("python", share), ("shell", 1 - share)) if part]
    trained = math.floor(min(bounds))
    while round(trained * share) > train["python"] or trained - round(trained * share) > train["shell"]:
        trained -= 1
    return {"full": full, "quarter": round(full * 68 / 260), "id_train": trained, "ood_train": 0}, share


async def _settle(
    source: RepositorySource, folder: Path, root: str, recipes: list[Recipe], wishes: BuildOptions, built: BuildResult
) -> None:
    """Step 7: takes refused rows out of the recipes until none is refused."""
    decisions = built.decisions.setdefault("quality", [])
    attempt = 0
    while (looked := await look(folder, wishes.workers)).refused:
        decisions += take_out(folder, looked, attempt)
        attempt += 1
        recipes = [load_recipe(file) for file in sorted((folder / "recipes" / source.name).glob("*.yaml"))]
        if not recipes:
            raise UsageError(f"{source.name}: no row passed; {folder}/steps/quality.jsonl says why")
        _write_suite(source, folder, root, recipes, wishes)
    decisions += settled(folder, looked)
    built.findings, built.rows, built.tasks = list(looked.findings), len(looked.rows), len(recipes)


def _why_none(decisions: Mapping[Step, Sequence[BuildDecision]]) -> str:
    """The step at which nothing was left, with its most frequent reasons."""
    for step, what in _LOOKED_FOR.items():
        found = decisions.get(step, [])
        if not found:
            return f"it has no {what}"
        if not any(each.kept for each in found):
            reasons = Counter(each.reason for each in found).most_common(3)
            return f"no {what} can be used: " + ", ".join(f"{reason} {count}" for reason, count in reasons)
    return "no task has enough that can be varied"
