"""`mlbench twins`: every kind on a small suite with an environment, and its bad input."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import yaml

from mlbench.prompts.context import Context
from mlbench.records import TwinKind, UsageError
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import checkouts_of, machine
from mlbench.suite_builder.oracle.compute import faults
from mlbench.suites.rows import SuiteRow
from mlbench.suites.suite import BUNDLED, Suite, load_suite
from mlbench.suites.twin_file import names_in
from mlbench.training.export import training_set
from mlbench.training.leak_guard import LeakGuard
from mlbench.training.tuned_model import asked_repositories
from mlbench.twins.make import make_twins
from tests.command_line import mlbench

Made = Callable[[TwinKind], Suite]
REPOSITORIES = ("lichen", "quillpress")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four rows of two repositories of pocket: argparse and a library, and flags in one file."""
    folder = tmp_path_factory.mktemp("small")
    for part in ("recipes", "repositories"):
        for name in REPOSITORIES:
            shutil.copytree(BUNDLED / "pocket" / part / name, folder / part / name)
    shutil.copyfile(BUNDLED / "pocket" / "requirements.txt", folder / "requirements.txt")
    about = {
        "name": "small",
        "version": 1,
        "seed": 3,
        "sizes": {"full": 4, "quarter": 2, "id_train": 6, "ood_train": 0},
        "code_share": 0.25,
        "repositories": [
            {"name": "lichen", "github_id": 1, "domain": "graphs", "role": "id", "installed": "."},
            {"name": "quillpress", "github_id": 2, "domain": "text", "role": "id"},
        ],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(about))
    return folder


@pytest.fixture(scope="module")
def made(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[TwinKind], Suite]:
    """The twins of each kind, made once."""
    folder = tmp_path_factory.mktemp("made")
    return cache(lambda kind: twins_of(small, kind, folder / kind.value))


def twins_of(folder: Path, kind: TwinKind, output: Path, seed: int = 5) -> Suite:
    make_twins(load_suite(str(folder)), kind, seed, "full", output, None, lambda *_: None)
    return load_suite(str(output))


def by_id(suite: Suite) -> dict[int, SuiteRow]:
    return {row.id: row for row in suite.splits["full"]}


@pytest.mark.parametrize("kind", TwinKind)
def test_every_reference_passes_and_names_its_original(kind: TwinKind, made: Made, small: Path) -> None:
    suite, before = made(kind), by_id(load_suite(str(small)))
    assert suite.twin_file is not None and not suite.twin_file.dropped
    after = by_id(suite)
    assert after.keys() == before.keys() and all(row.twin_of == id for id, row in after.items())
    assert [row.id for row in suite.splits["quarter"]] == [r.id for r in load_suite(str(small)).splits["quarter"]]
    for id, row in after.items():
        changed = row.sample.output != before[id].sample.output
        assert changed == (kind is not TwinKind.WORDING)
        assert bool(row.renamed) == (kind in (TwinKind.RENAME, TwinKind.CONTRADICT))


def test_values_are_in_no_split_of_the_original(made: Made, small: Path) -> None:
    suite = made(TwinKind.VALUE)
    known = {row.sample.output for row in load_suite(str(small)).every_row()}
    assert not known & {row.sample.output for row in suite.splits["full"]}


def test_words_change_and_values_stay(made: Made, small: Path) -> None:
    suite, before = made(TwinKind.WORDING), by_id(load_suite(str(small)))
    for id, row in by_id(suite).items():
        assert row.sample.instruction != before[id].sample.instruction
        assert row.sample.arguments == before[id].sample.arguments


def test_the_old_names_are_gone_and_the_shown_text_has_the_new_ones(made: Made, small: Path) -> None:
    suite, before = made(TwinKind.RENAME), by_id(load_suite(str(small)))
    for id, row in by_id(suite).items():
        assert names_in(before[id].sample.output, row.renamed) == row.renamed
        assert not names_in(row.sample.output, row.renamed)
        shown = row.oracle.text if row.oracle else ""
        old = before[id].oracle
        for name, new in names_in(old.text if old else "", row.renamed).items():
            assert new in shown, (id, name)


def test_only_the_recipes_of_twins_are_in_the_suite(made: Made) -> None:
    suite = made(TwinKind.RENAME)
    used = {(row.origin.recipe.repository, row.origin.recipe.task) for row in suite.splits["full"] if row.origin}
    assert used == {(r.repository, r.task) for each in suite.repositories for r in suite.recipes(each.name)}


def test_a_renamed_copy_shows_what_its_references_need(made: Made) -> None:
    """The oracle of the original may show an old name by chance, in a sentence where it is no name."""
    place = machine("bubblewrap", str(made(TwinKind.RENAME).root), Limits(), None)
    assert faults(place, lambda done, of: None) == []


def test_contradict_renames_as_little_as_possible(made: Made) -> None:
    all_names, few = made(TwinKind.RENAME).twin_file, made(TwinKind.CONTRADICT).twin_file
    assert all_names and few
    for name in REPOSITORIES:
        assert 0 < len(few.names(name)) < len(all_names.names(name)) / 2


def test_the_same_seed_gives_the_same_twins(made: Made, small: Path, tmp_path: Path) -> None:
    first = made(TwinKind.WORDING).twin_file
    assert twins_of(small, TwinKind.WORDING, tmp_path / "again").twin_file == first
    assert twins_of(small, TwinKind.WORDING, tmp_path / "other", seed=6).twin_file != first


def test_a_suite_of_twins_works_with_the_other_commands(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "twins"
    made = mlbench("twins", str(small), "--kind", "contradict", "-o", str(folder), cwd=tmp_path)
    assert made.returncode == 0 and "4 twins of 4 rows" in made.stdout and "seed" in made.stdout
    assert (
        json.loads((folder / "twins.json").read_text())["seed"]
        == yaml.safe_load((folder / "suite.yaml").read_text())["seed"]
    )
    assert mlbench("suites", "show", str(folder), cwd=tmp_path).returncode == 0
    assert mlbench("suites", "check", "--quick", str(folder), cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_gold_passes_on_twins(made: Made, tmp_path: Path) -> None:
    folder = made(TwinKind.RENAME).root
    gold = mlbench("eval", str(folder), "--model", "mlbench/gold", "--log-dir", str(tmp_path / "logs"), cwd=tmp_path)
    assert gold.returncode == 0 and re.search(r"right \(passed\) +4\b", gold.stdout), gold.stdout


def test_bad_input_is_refused_in_one_line(small: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    result = mlbench("twins", str(small), "--kind", "value", "-o", str(there), cwd=tmp_path)
    assert result.returncode == 2 and "exists already" in result.stderr and result.stderr.count("\n") == 1
    for words in (["--kind", "other"], ["--kind", "value", "--seed", "x"]):
        result = mlbench("twins", str(small), *words, "-o", str(tmp_path / "new"), cwd=tmp_path)
        assert result.returncode == 2 and "nvalid value" in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_twins_need_recipes(small: Path, tmp_path: Path) -> None:
    loaded = load_suite(str(small))
    for changed, word in (({"rows": "rows.jsonl"}, "recipes"), ({"twins": "twins.json"}, "original")):
        with pytest.raises(UsageError, match=word):
            make_twins(loaded.model_copy(update=changed), TwinKind.VALUE, 1, "full", tmp_path / "x", None, print)


def test_twins_leak_their_originals(made: Made, small: Path) -> None:
    """Twins named another repository than their originals; the guard found neither equal answers nor other values."""
    originals = [row.sample for row in load_suite(str(small)).splits["full"]]
    for kind in (TwinKind.VALUE, TwinKind.WORDING):
        guard = LeakGuard(made(kind).splits["full"])
        missed = [row.instruction for row in originals if guard.find(row) is None]
        assert not missed, (kind, missed)
    assert {row.sample.github for row in made(TwinKind.RENAME).splits["full"]} == {"small/lichen", "small/quillpress"}


def test_twins_are_asked_about_the_repositories_of_all_originals(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins of a few rows lack repositories; the model's label would be another one than over the originals."""
    twins, pocket = made(TwinKind.VALUE), load_suite("pocket")
    assert asked_repositories(twins, "full") == {"small/lichen", "small/quillpress"}  # no suite is called small
    monkeypatch.setattr("mlbench.training.tuned_model.load_suite", {"small": pocket}.__getitem__)
    assert asked_repositories(twins, "full") == asked_repositories(pocket, "quarter") >= {"pocket/mirage"}


def test_twins_of_training_rows_are_training_examples(small: Path, tmp_path: Path) -> None:
    original, folder = load_suite(str(small)), tmp_path / "fresh"
    made = make_twins(original, TwinKind.RENAME, 5, "id_train", folder, None, lambda *_: None, 3)
    rows = original.splits["id_train"]
    assert {row.twin_of for row in made.rows} < {row.id for row in rows} and len(made.rows) == 3
    twins, context = load_suite(str(folder)), Context(8192)
    found = training_set(twins, "id_train", "oracle", checkouts_of(twins), context, against=[original])
    assert len(found.examples) + len(found.leaks) == 3 and found.examples
    new = {row.twin_of: row.names.values() for row in made.rows}
    assert all(any(name in example.completion for name in new[example.row]) for example in found.examples)
    with pytest.raises(UsageError, match="these are twins of split id_train, not of ood_train; `mlbench twins small"):
        training_set(twins, "ood_train", "oracle", checkouts_of(twins), context, against=[original])
    with pytest.raises(UsageError, match="no suite is called small, its original: --against FOLDER"):
        training_set(twins, "id_train", "oracle", checkouts_of(twins), context)
