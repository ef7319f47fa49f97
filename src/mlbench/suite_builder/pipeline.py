"""Builds a suite from unknown repositories: the steps of the paper's figure 4, in order.

A repository's code runs only in the interface check's jail. Each step's decisions are written to `steps/`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import yaml
from inspect_ai.model import ModelUsage
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.client_pool import Servers
from mlbench.records import RunError, UsageError
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild, ShowProgress
from mlbench.suite_builder.left_out import documented, write_left_out
from mlbench.suite_builder.llm import LLMQuestion
from mlbench.suite_builder.output_dir import claim, clear
from mlbench.suite_builder.priorities import read_priorities
from mlbench.suite_builder.quality.findings import QualityFinding
from mlbench.suite_builder.repository_build import recipes_of
from mlbench.suite_builder.row_filter import look, settled, take_out
from mlbench.suite_builder.source import RepositorySource, pin_file
from mlbench.suite_builder.types import BuildDecision, Step
from mlbench.suite_builder.write_suite import write_decisions, write_lines
from mlbench.suites.recipes import Recipe, load_recipe

TEST_ROWS, TRAINING_ROWS = 5, 20
"""Rows of one task, if it has enough combinations."""

WriteRecipes = Callable[[Sequence[RepositoryBuild], Path, BuildOptions, Servers, ShowProgress], Awaitable[None]]
"""Writes the recipes of repositories into a suite's folder, as `recipes_of` does for one."""


@dataclass
class BuildResult:
    """A suite that was made, with all decisions.

    Attributes:
        parts: the repositories in the order given, also those that yield no task.
    """

    folder: Path
    parts: list[RepositoryBuild] = field(default_factory=list)
    rows: int = 0
    findings: list[QualityFinding] = field(default_factory=list)

    @property
    def tasks(self) -> int:
        return sum(len(part.recipes) for part in self.parts)

    @property
    def decisions(self) -> dict[Step, list[BuildDecision]]:
        """All decisions by step. With several repositories, each subject has its repository's name before it."""
        found: dict[Step, list[BuildDecision]] = {}
        for part in self.parts:
            before = f"{part.source.name}/" if len(self.parts) > 1 else ""
            for step, decisions in part.decisions.items():
                found.setdefault(step, []).extend(replace(each, subject=before + each.subject) for each in decisions)
        return found


async def build(
    sources: Sequence[RepositorySource],
    folder: Path,
    wishes: BuildOptions,
    show: ShowProgress = lambda step, done, of: None,
    write_recipes: WriteRecipes | None = None,
) -> BuildResult:
    """Build a suite into a folder, in place of an earlier build.

    A repository without a usable task is left out, with the reason in its part of the result.

    Args:
        sources: the repositories.
        folder: the suite's folder.
        wishes: the options.
        show: is told the progress.
        write_recipes: steps 1 to 6 of all repositories; one after the other by default.

    Raises:
        UsageError: no repository has a usable task (`steps/` says why); or the folder holds something else, or
            recipes that a person has reviewed.
        RunError: the machine failed, or the folder cannot be written.
    """
    claim(folder)
    wishes = replace(wishes, first=read_priorities(folder))
    built = BuildResult(folder, [RepositoryBuild(source) for source in sources])
    servers = Servers(2 * wishes.workers, remember=True)
    try:
        clear(folder, [pin_file(folder, each.name) if each.entry else each.folder for each in sources])
        await (write_recipes or _in_turn)(built.parts, folder, wishes, servers, show)
        for part in built.parts:
            if not part.recipes:
                part.fail(f"{folder}/steps")
        _write_suite(folder, _with_tasks(built, wishes), wishes)
        await _settle(folder, wishes, built, show)
    except SandboxUnavailableError as error:
        raise RunError(str(error)) from error
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    finally:
        await servers.close()
        for step, decisions in built.decisions.items():
            write_decisions(folder, step, decisions)
        write_left_out(folder, {part.source.title: documented(part.decisions) for part in built.parts})
        if wishes.questions:
            write_lines(folder / "steps" / "model.jsonl", [_asked(each) for each in wishes.questions])
    return built


async def _in_turn(
    parts: Sequence[RepositoryBuild], folder: Path, wishes: BuildOptions, servers: Servers, show: ShowProgress
) -> None:
    for part in parts:
        await recipes_of(part, folder, wishes, servers, show)


def _asked(question: LLMQuestion) -> dict[str, object]:
    usage = question.usage.model_dump(exclude_none=True)
    return asdict(replace(question, usage=ModelUsage())) | {"usage": usage}


def _with_tasks(built: BuildResult, wishes: BuildOptions) -> list[RepositoryBuild]:
    """The repositories that have recipes.

    Raises:
        UsageError: none has any.
    """
    found = [part for part in built.parts if part.recipes]
    if not found:
        hint = "" if wishes.asks else "; --model PROVIDER/NAME lets a model make tasks of more commands"
        raise UsageError("; ".join(part.failed for part in built.parts) + hint)
    return found


def _write_suite(folder: Path, parts: Sequence[RepositoryBuild], wishes: BuildOptions) -> None:
    sizes, share = _sizes([recipe for part in parts for recipe in part.recipes])
    repositories: list[dict[str, object]] = []
    for number, part in enumerate(parts, 1):
        repository: dict[str, object] = {"name": part.source.name, "github_id": number, "domain": "unknown"}
        repository |= {"role": "id", "installed": part.root} | ({"catalogue": True} if part.source.entry else {})
        repositories.append(repository)
    fields = {
        "name": f"{'-'.join(part.source.name for part in parts[:3])}-suite",
        "version": 1,
        "seed": wishes.seed,
        "order": "pairwise",
        "sizes": sizes,
        "sizes_are_limits": True,  # a person may reject tasks and rows afterwards
        "code_share": share,
        "repositories": repositories,
    } | ({} if wishes.has_read else {"draft": "needs review"})
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


async def _settle(folder: Path, wishes: BuildOptions, built: BuildResult, show: ShowProgress) -> None:
    """Step 7: takes refused rows out of the recipes until none is refused."""
    attempt = 0
    while (looked := await look(folder, wishes.workers, lambda done, of: show("quality", done, of))).refused:
        _note(built, take_out(folder, looked, attempt))
        attempt += 1
        for part in built.parts:
            files = sorted((folder / "recipes" / part.source.name).glob("*.yaml"))
            part.recipes = [load_recipe(file) for file in files]
            if not part.recipes and not part.failed:
                part.fail(f"{folder}/steps")
        _write_suite(folder, _with_tasks(built, wishes), wishes)
    _note(built, settled(folder, looked))
    built.findings, built.rows = list(looked.findings), len(looked.rows)


def _note(built: BuildResult, decisions: Sequence[tuple[str, BuildDecision]]) -> None:
    for name, decision in decisions:
        next(part for part in built.parts if part.source.name == name).note("quality", decision)
