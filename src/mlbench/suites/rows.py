"""Distributes recipes' combinations over the splits, deterministically from a seed.

Test and training rows of a task never share a combination of wanted values nor an instruction template. So no test row
is a rephrased training row.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Completeness, Role, Sample, UsageError
from mlbench.repositories.oracle_spans import Oracle
from mlbench.suites.combinations import deck
from mlbench.suites.recipes import Recipe, Words
from mlbench.suites.row_shares import share_out, stratified
from mlbench.suites.wording.compose import compose, quoted

Order = Literal["random", "pairwise"]

TEST_TEMPLATES = 2
"""The first templates of a recipe are used in the test set only; this is how many."""


@dataclass(frozen=True)
class RowTask:
    """A recipe with the data of its repository.

    Attributes:
        oracle: the texts of the recipe's spans.
    """

    recipe: Recipe
    oracle: Oracle
    github_id: int
    github: str
    role: Role


@dataclass(frozen=True)
class Origin:
    """The recipe and the combination of wanted values that a row is made from.

    Attributes:
        combination: the wanted value of every argument of the recipe.
        oracle: the texts of the recipe's spans.
    """

    recipe: Recipe
    combination: Mapping[str, Words]
    oracle: Oracle

    def required(self) -> dict[str, str]:
        """Every argument of the recipe with its wanted value; empty if a switch must be absent."""
        return {name: " ".join(words) for name, words in self.combination.items()}

    def variant(self, name: str) -> str | None:
        """The reference with another value of this argument only; None if no such combination is allowed."""
        other_values = [words for words in self.recipe.said[name] if words != self.combination[name]]
        other_values.sort(key=lambda words: not words)  # a value shows more than its absence
        changed = ({**self.combination, name: words} for words in other_values)
        allowed = next((combination for combination in changed if not self.recipe.excludes(combination)), None)
        return None if allowed is None else self.recipe.render_reference(allowed)


@dataclass(frozen=True, eq=False)
class SuiteRow:
    """One row of a suite; its text is rendered when `sample` is first read.

    Attributes:
        render: makes the sample.
        origin: what the row is made from; None if the suite's rows come from a file.
        twin_of: the `id` of the original of which the row is a twin; None if it is no twin.
        renamed: new name by old name, of the names that the original's reference uses.
    """

    id: int
    github_id: int
    type: str
    render: Callable[[], Sample]
    origin: Origin | None = None
    twin_of: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def sample(self) -> Sample:
        """The row's 11 published columns."""
        return self.render()

    @property
    def oracle(self) -> Oracle | None:
        """The spans that the setting `oracle` shows; None if the row is made from no recipe."""
        return self.origin.oracle if self.origin else None

    @property
    def section(self) -> str:
        """The one section of documentation that the paper's oracle would be."""
        return self.origin.oracle.published.text if self.origin else self.sample.oracle

    @property
    def undocumented(self) -> tuple[str, ...]:
        """The words of the reference that neither the oracle nor the instruction shows."""
        if self.origin is None:
            return ()
        shown = f"{self.sample.instruction}\n{self.sample.prefix_code}"
        reference = self.sample.output.replace("=", " ")  # `--lr=3` is the word `--lr 3`
        words = self.origin.oracle.undocumented
        return tuple(word for word in words if word in reference and word not in shown and not self._is_said(word))

    def _is_said(self, word: str) -> bool:
        """Whether the instruction says a setting's value, and the oracle shows the setting's name."""
        name, _, value = word.partition(" ")
        occurrence = value and re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", self.sample.instruction)
        return bool(occurrence) and self.oracle is not None and any(name in span.text for span in self.oracle.spans)

    @property
    def completeness(self) -> Completeness:
        """Whether the oracle shows everything that the reference needs."""
        if self.origin is None:
            return Completeness.UNKNOWN
        return Completeness.UNDOCUMENTED if self.undocumented else Completeness.COMPLETE


@dataclass(frozen=True)
class _Drawn:
    """A combination that was drawn for a split; rows are not numbered yet."""

    task: RowTask
    combination: Mapping[str, Words]
    split: str
    seed: str


Mix = Mapping[str, tuple[int, int]]
"""Rows of each repository in the test set: shell rows, Python rows."""


def plan_rows(
    tasks: Sequence[RowTask],
    seed: int,
    sizes: Mapping[str, int],
    code_share: float,
    order: Order = "random",
    sizes_are_limits: bool = False,
    mix: Mix | None = None,
) -> dict[str, list[SuiteRow]]:
    """The rows of `full`, `quarter` (a stratified part of full), `id_train` and `ood_train`.

    Args:
        tasks: the recipes.
        seed: the same seed gives the same rows.
        sizes: rows per split, as in the suite's `suite.yaml`.
        code_share: share of Python rows in every split (the paper's test set: 46 of 260).
        order: order of a task's combinations; `pairwise` covers all pairs of values before random ones.
        sizes_are_limits: a split gets fewer rows if the recipes have too few combinations.
        mix: rows of each repository in `full`; None shares them out evenly.

    Raises:
        UsageError: the recipes do not have enough combinations for these sizes, and the sizes are no limits.
    """
    most = sum(sizes.values())  # a task never needs more combinations
    decks = {_name(task): _deck(task.recipe, seed, order, most) for task in tasks}
    parts = {"full": ("id", "ood_test"), "id_train": ("id",), "ood_train": ("ood_train",)}
    drawn: dict[str, list[_Drawn]] = {}
    for split, roles in parts.items():  # full first: it has the first choice of combinations
        chosen = [task for task in tasks if task.role in roles]
        wanted = {SHELL_TYPE: sizes[split] - (code := round(sizes[split] * code_share)), PYTHON_TYPE: code}
        if sizes_are_limits:
            for kind, count in wanted.items():
                left = sum(len(decks[_name(task)]) for task in chosen if task.recipe.type == kind)
                wanted[kind] = min(count, left)
        drawn[split] = _draw(split, chosen, decks, seed, wanted, mix if split == "full" else None)
    splits = _numbered(drawn)
    splits["quarter"] = stratified(splits["full"], min(sizes["quarter"], len(splits["full"])), seed)
    return {name: splits[name] for name in ("full", "quarter", "id_train", "ood_train")}


def _name(task: RowTask) -> str:
    return f"{task.recipe.repository}/{task.recipe.task}"


def _deck(recipe: Recipe, seed: int, order: Order, most: int) -> list[dict[str, Words]]:
    task_seed = f"{seed}/{recipe.repository}/{recipe.task}"
    if order == "pairwise":
        return deck({name: list(values) for name, values in recipe.said.items()}, recipe.rules, task_seed, most)
    shuffled = list(recipe.combinations())
    random.Random(task_seed).shuffle(shuffled)
    return shuffled


def _draw(
    split: str,
    tasks: Sequence[RowTask],
    decks: dict[str, list[dict[str, Words]]],
    seed: int,
    counts_by_type: Mapping[str, int],
    mix: Mix | None,
) -> list[_Drawn]:
    """Draw rows of each kind; a repository's rows are shared out evenly over its tasks."""
    rows: list[_Drawn] = []
    for position, (kind, count) in enumerate(counts_by_type.items()):
        of_kind = [task for task in tasks if task.recipe.type == kind]
        by_repository: dict[str, dict[str, int]] = defaultdict(dict)
        for task in of_kind:
            by_repository[task.recipe.repository][_name(task)] = len(decks[_name(task)])
        shares: dict[str, int] = {}
        try:
            if mix is None:
                repositories = share_out(count, {r: sum(t.values()) for r, t in by_repository.items()})
            else:
                repositories = {name: counts[position] for name, counts in mix.items()}
            for repository, total in repositories.items():
                shares |= share_out(total, by_repository[repository])
        except ValueError as error:
            raise UsageError(
                f"split {split}: too few combinations of type {kind}: {error};"
                " lower its size in suite.yaml, or write `sizes_are_limits: true` there"
            ) from error
        for task in of_kind:
            remaining = decks[_name(task)]
            drawn, decks[_name(task)] = remaining[: shares[_name(task)]], remaining[shares[_name(task)] :]
            rows += [_Drawn(task, c, split, f"{seed}/{_name(task)}/{split}/{i}") for i, c in enumerate(drawn)]
    return rows


def _rendered(drawn: _Drawn, number: int, repo_id: int) -> Sample:
    recipe, rng = drawn.task.recipe, random.Random(drawn.seed)
    said = {name: rng.choice(recipe.said[name][wanted]) for name, wanted in drawn.combination.items()}
    return render_sample(drawn.task, drawn.combination, _instruction(drawn, said, rng), number, repo_id)


def render_sample(
    task: RowTask, combination: Mapping[str, Words], instruction: str, number: int, repo_id: int
) -> Sample:
    """The row of a task with these wanted values.

    Args:
        task: the recipe with the data of its repository.
        combination: the wanted value of every argument.
        instruction: the rendered instruction.
        number: the row's `id`.
        repo_id: its number in the repository.
    """
    recipe = task.recipe
    return Sample(
        github_id=task.github_id,
        github=task.github,
        repo_id=repo_id,
        id=number,
        path=recipe.path,
        arguments=repr(recipe.column(combination)),
        instruction=instruction,
        oracle=task.oracle.text,
        type=recipe.type,
        output=recipe.render_reference(combination),
        prefix_code=recipe.prefix_code.strip("\n"),
    )


def _instruction(drawn: _Drawn, said: Mapping[str, str], rng: random.Random) -> str:
    """A test row takes a template as it is; a training row is worded anew if the recipe has a `wording`."""
    recipe = drawn.task.recipe
    if drawn.split == "full":
        return recipe.render_instruction(rng.choice(recipe.instructions[:TEST_TEMPLATES]), said)
    if recipe.wording is not None:
        return composed(recipe, drawn.combination, said, rng)
    return recipe.render_instruction(rng.choice(recipe.instructions[TEST_TEMPLATES:]), said)


def composed(recipe: Recipe, combination: Mapping[str, Words], said: Mapping[str, str], rng: random.Random) -> str:
    """An instruction in the words of the recipe's `wording`, which it must have.

    Args:
        recipe: the recipe.
        combination: the wanted value of every argument.
        said: by argument, how its value is said.
        rng: the source of all choices.
    """
    assert recipe.wording is not None
    literal = {name: quoted(way) for name, way in said.items() if combination[name] == (way,)}
    return compose(recipe.wording, {**said, **literal}, recipe.kind, rng)


def _numbered(splits: Mapping[str, Sequence[_Drawn]]) -> dict[str, list[SuiteRow]]:
    """Number the rows, test rows first: `id` in the suite, `repo_id` in the repository."""
    next_id, next_repo_id = 0, defaultdict[int, int](int)
    numbered: dict[str, list[SuiteRow]] = {}
    for split, drawn in splits.items():
        numbered[split] = []
        by_repository = sorted(drawn, key=lambda draw: draw.task.github_id)  # stable: tasks keep the recipes' order
        for draw in by_repository:
            github_id, recipe = draw.task.github_id, draw.task.recipe
            render = partial(_rendered, draw, next_id, next_repo_id[github_id])
            origin = Origin(recipe, draw.combination, draw.task.oracle)
            numbered[split].append(SuiteRow(next_id, github_id, recipe.type, render, origin))
            next_id += 1
            next_repo_id[github_id] += 1
    return numbered
