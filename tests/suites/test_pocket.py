"""The bundled suite: sound recipes, and for every task a right and some wrong answers through the real scorer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

from mlbench.evals.ml_llm_bench.verify_task import verify
from mlbench.prompts.messages import fenced
from mlbench.records import Policy, Sample
from mlbench.results.load_log import RunRecord, read_run
from mlbench.suite_builder.checks.suite_check import check, recipe_faults
from mlbench.suites.recipes import Recipe
from mlbench.suites.suite import load_rows, load_suite

SUITE = load_suite("pocket")


def test_every_recipe_is_sound() -> None:
    assert check(SUITE) == []


def test_a_faulty_recipe_is_said() -> None:
    recipe = SUITE.recipes("lichen")[0]
    folder = SUITE.folder("lichen")
    assert recipe_faults(recipe, folder) == []
    name = next(iter(recipe.arguments))
    silent = recipe.model_copy(update={"instructions": ("Do it.", *recipe.instructions[1:])})
    assert f"instructions: number 1 does not say {name}" in recipe_faults(silent, folder)
    values = {**recipe.arguments, name: {"a": ("0.1",), "b": ("1e-1",)}}
    doubled = Recipe.model_validate({**recipe.model_dump(), "arguments": values})
    assert f"arguments: {name}: two values mean the same number" in recipe_faults(doubled, folder)
    lost = recipe.model_copy(update={"program": "nosuch.py", "path": "./nosuch"})
    assert {"path: no folder ./nosuch", "program: no file nosuch.py"} <= set(recipe_faults(lost, folder))
    broken = recipe.model_copy(update={"reference": recipe.reference + "\nif then ("})
    assert any("does not parse" in fault for fault in recipe_faults(broken, folder))


def one_row_a_task() -> Iterator[tuple[Sample, Sample]]:
    """For every task a row, and another row of the same task: its reference is a wrong answer to the first."""
    by_task: dict[tuple[int, str, str, str], list[Sample]] = {}
    for split in ("full", "id_train", "ood_train"):
        for row in load_rows("pocket")[split]:
            by_task.setdefault((row.github_id, row.path, row.oracle, row.type), []).append(row)
    for rows in by_task.values():
        yield rows[0], next(row for row in rows if not set(row.required().items()) <= set(rows[0].required().items()))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Every task's reference (attempt 1), another row's reference (2), and the reference as a comment (3)."""
    folder = tmp_path_factory.mktemp("pocket")
    lines = []
    for row, other in one_row_a_task():
        comment = "\n".join(f"# {line}" for line in row.output.splitlines())
        replies = [fenced(code, row.kind) for code in (row.output, other.output, comment)]
        lines.append(json.dumps({"id": row.id, "github_id": row.github_id, "output": replies}))
    outputs = folder / "outputs.jsonl"
    outputs.write_text("\n".join(lines))
    log = inspect_eval(verify(str(outputs)), model="mlbench/replay", log_dir=str(folder), display="none")[0]
    return read_run(Path(log.location.removeprefix("file://")))


def test_every_task_is_there(judged: RunRecord) -> None:
    assert judged.scored == judged.expected == 3 * sum(len(SUITE.recipes(r.name)) for r in SUITE.repositories)


def test_every_reference_passes(judged: RunRecord) -> None:
    failed = [(a.repository, a.row, a.verdict(Policy.STRICT)) for a in judged.attempts if a.number == 1]
    assert [entry for entry in failed if entry[2] is None or not entry[2].passed] == []


@pytest.mark.parametrize("number", [2, 3])
def test_wrong_values_and_comments_fail(judged: RunRecord, number: int) -> None:
    found = [(a.repository, a.row, a.verdict(Policy.STRICT)) for a in judged.attempts if a.number == number]
    assert [entry for entry in found if entry[2] is None or entry[2].passed] == []
