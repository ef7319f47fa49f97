"""From recipes to rows: counts, splits that do not leak, and the same rows for the same seed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Sample, UsageError
from mlbench.suites import suite
from mlbench.suites.recipes import Recipe
from mlbench.suites.row_shares import share_out
from mlbench.suites.rows import RowTask, plan_rows
from mlbench.suites.selection import select, spread
from mlbench.suites.suite import load_rows, load_suite
from tests.suites.rendered_rows import build_rows


@pytest.fixture(scope="module")
def rows() -> dict[str, list[Sample]]:
    return load_rows("pocket")


@pytest.fixture(scope="module")
def tasks() -> list[RowTask]:
    return list(load_suite("pocket").tasks())


def test_split_sizes_and_mix(rows: dict[str, list[Sample]], tasks: list[RowTask]) -> None:
    assert {split: len(samples) for split, samples in rows.items()} == {
        "full": 260, "quarter": 68, "id_train": 2600, "ood_train": 2000,
    }  # fmt: skip
    for split in ("full", "id_train", "ood_train"):
        code = sum(row.kind == "python" for row in rows[split])
        assert code / len(rows[split]) == pytest.approx(0.2, abs=0.01), split
    assert len(tasks) >= 50


def test_repositories_are_split_as_in_the_paper(rows: dict[str, list[Sample]]) -> None:
    roles = defaultdict(set)
    for repository in load_suite("pocket").repositories:
        roles[repository.role].add(repository.github_id)
    present = {split: {row.github_id for row in samples} for split, samples in rows.items()}
    assert present["full"] == present["quarter"] == roles["id"] | roles["ood_test"]
    assert present["id_train"] == roles["id"]
    assert present["ood_train"] == roles["ood_train"]


def test_every_repository_has_scripts_and_code(tasks: list[RowTask]) -> None:
    kinds = defaultdict(set)
    for task in tasks:
        kinds[task.recipe.repository].add(task.recipe.type)
    assert all(len(found) == 2 for found in kinds.values())


def test_ids_are_unique_and_quarter_is_part_of_full(rows: dict[str, list[Sample]]) -> None:
    everything = [row for split in ("full", "id_train", "ood_train") for row in rows[split]]
    assert len({row.id for row in everything}) == len(everything)
    assert len({(row.github_id, row.repo_id) for row in everything}) == len(everything)
    assert set(rows["quarter"]) < set(rows["full"])


def test_quarter_is_stratified(rows: dict[str, list[Sample]]) -> None:
    full, quarter = (Counter((row.github_id, row.type) for row in rows[split]) for split in ("full", "quarter"))
    for stratum, count in full.items():
        assert abs(quarter[stratum] - count * 68 / 260) < 1, stratum


def plain(text: str) -> str:
    """As a careless reader sees it: without case, quotes and white space; signs and points stay (-1 is not 1)."""
    return re.sub(r"[\s\"'`\\]+", " ", text.lower()).strip()


def test_no_test_row_equals_or_rephrases_a_training_row(rows: dict[str, list[Sample]]) -> None:
    train = [row for split in ("id_train", "ood_train") for row in rows[split]]
    outputs = {(row.github_id, row.path, plain(row.output)) for row in train}
    wanted = {(row.github_id, row.path, row.oracle, row.type, frozenset(row.required().items())) for row in train}
    instructions = {plain(row.instruction) for row in train}
    for row in rows["full"]:
        assert (row.github_id, row.path, plain(row.output)) not in outputs
        assert plain(row.instruction) not in instructions
        assert (row.github_id, row.path, row.oracle, row.type, frozenset(row.required().items())) not in wanted


def test_no_row_stands_twice(rows: dict[str, list[Sample]]) -> None:
    for split, samples in rows.items():
        tasks = Counter((row.github_id, row.path, row.output, row.oracle) for row in samples)
        assert max(tasks.values()) == 1, split


def test_the_instruction_does_not_hold_the_answer(rows: dict[str, list[Sample]]) -> None:
    for split in ("full", "id_train", "ood_train"):
        for row in rows[split]:
            assert not re.search(r"(?:^|\s)--\w", row.instruction), row.instruction
            assert ".py " not in row.instruction, row.instruction
            assert "{{" not in row.instruction + row.output


def test_a_seed_gives_the_same_rows_and_another_seed_others(tasks: list[RowTask]) -> None:
    sizes = {"full": 60, "quarter": 20, "id_train": 100, "ood_train": 100}
    first, again, other = (build_rows(tasks, seed, sizes, 0.2) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_a_mix_gives_each_repository_its_rows(tasks: list[RowTask]) -> None:
    names = sorted({task.recipe.repository for task in tasks if task.role != "ood_train"})
    mix = {name: (2 + n % 3, n % 2) for n, name in enumerate(names)}
    sizes = {"full": sum(map(sum, mix.values())), "quarter": 5, "id_train": 0, "ood_train": 0}
    numbers = {task.github_id: task.recipe.repository for task in tasks}
    drawn = Counter((numbers[row.github_id], row.type) for row in plan_rows(tasks, 7, sizes, 0.2, mix=mix)["full"])
    assert {name: (drawn[name, SHELL_TYPE], drawn[name, PYTHON_TYPE]) for name in names} == mix
    with pytest.raises(UsageError, match="too few combinations"):
        plan_rows(tasks, 7, sizes, 0.2, mix={**mix, names[0]: (1_000_000, 0)})


def test_rows_of_a_suite_version_never_change() -> None:
    """Whoever changes a row changes scores: bump the suite's version and its line in CHANGELOG.md, then this hash."""
    import hashlib

    digest = hashlib.sha256(repr(load_rows("pocket")).encode()).hexdigest()
    assert (load_suite("pocket").version, digest[:16]) == (3, "a0ba736b6da48477")


def test_too_few_combinations_are_said(tasks: list[RowTask]) -> None:
    with pytest.raises(UsageError, match="split full: too few combinations of type Bash Script: 800000 wanted"):
        build_rows(tasks, 1, {"full": 1_000_000, "quarter": 1, "id_train": 1, "ood_train": 1}, 0.2)


def test_share_out_is_even_within_capacities() -> None:
    assert share_out(10, {"a": 1, "b": 100, "c": 100}) == {"a": 1, "b": 5, "c": 4}
    assert share_out(0, {"a": 1}) == {"a": 0}
    with pytest.raises(ValueError, match="4 wanted, 3 to be had"):
        share_out(4, {"a": 1, "b": 2})


def test_only_the_rows_that_are_wanted_are_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--limit 1` rendered all 4,860 rows first, and their origins once more."""
    rendered: list[str] = []
    whole = Recipe.render_instruction

    def counted(self: Recipe, template: str, said: dict[str, str]) -> str:
        rendered.append(template)
        return whole(self, template, said)

    monkeypatch.setattr(Recipe, "render_instruction", counted)
    suite.forget()
    (row,) = select(load_suite("pocket"), "id_train", limit=1)
    origin = load_suite("pocket").row(row.id).origin
    assert origin is not None and origin.recipe.render_reference(origin.combination) == row.output
    assert len(rendered) == 1


@pytest.mark.parametrize("rows", [1, 2, 7, 64, 65, 260])
def test_the_rows_of_a_limit_are_among_those_of_a_higher_one(rows: int) -> None:
    """`--limit 5` had other rows than `--limit 3`, so a run could not be extended and two runs shared few rows."""
    chosen = [spread(range(rows), limit) for limit in range(1, rows + 2)]
    for lower, higher in pairwise(chosen):
        assert set(lower) <= set(higher)
    assert [len(some) for some in chosen] == [*range(1, rows + 1), rows]
    assert all(some == sorted(some) for some in chosen)
    assert chosen[-1] == spread(range(rows), None) == list(range(rows))


@pytest.mark.parametrize("limit", [2, 4, 5, 13, 100])
def test_the_rows_of_a_limit_are_spread_evenly(limit: int) -> None:
    some = [*spread(range(260), limit), 260]
    assert max(after - before for before, after in pairwise(some)) <= 2 * 260 / limit + 1
