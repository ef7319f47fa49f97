"""Suites of one's own whose rows come from a file: everything behind the rows works without recipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.records import Policy, RunError, Sample
from mlbench.results.load_log import read_run
from mlbench.scoring.reference_calls import Expectations
from mlbench.suite_builder.checks.row_check import row_faults
from mlbench.suites import suite as suites
from mlbench.suites.rows_io import write_rows

PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--data")
print(parser.parse_args())
"""


def row(number: int) -> Sample:
    return Sample(
        github_id=7,
        github="toys/toy",
        repo_id=number,
        id=number,
        path="./",
        arguments=f"{{'lr': '{number}e-5', 'data': './glue'}}",
        instruction=f"Fine-tune on ./glue with a learning rate of {number}e-5.",
        oracle="python run.py --lr 2e-5\n",
        type="Bash Script",
        output=f"python run.py --lr {number}e-5 --data ./glue",
        prefix_code="",
    )


def toy(folder: Path) -> str:
    """A suite of one's own with rows from a file: one repository, and a program that the rows are about."""
    (folder / "repositories" / "toy").mkdir(parents=True)
    (folder / "repositories" / "toy" / "run.py").write_text(PROGRAM)
    (folder / "repositories" / "toy" / "README.md").write_text("# Toy\n\npython run.py --lr 2e-5\n")
    rows = [row(n) for n in (1, 2)]
    write_rows({"full": rows}, folder / "rows.jsonl")
    about = {
        "name": "toys",
        "version": 1,
        "seed": 1,
        "sizes": {"full": 2, "quarter": 0, "id_train": 0, "ood_train": 0},
        "code_share": 0,
        "rows": "rows.jsonl",
        "repositories": [{"name": "toy", "github_id": 7, "domain": "toys", "role": "id"}],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(about))
    return str(folder)


def test_without_recipes_the_reference_alone_says_where_an_argument_belongs(tmp_path: Path) -> None:
    suite = toy(tmp_path / "toys")
    sample = suites.sample_of(suite, 2)
    assert suites.load_suite(suite).row(2).origin is None

    async def standard() -> Any:
        async with Checker(CheckTarget(CheckEnv(suites.load_suite(suite).folder("toy")))) as checker:
            return await Expectations(suites.load_suite(suite)).of(sample, checker)

    found = anyio.run(standard)
    assert found.fault == "" and found.call_sites
    assert {tie.argument: [str(place[-1]) for place in tie.destinations] for tie in found.bindings} == {
        "lr": ["lr"], "data": ["data"],
    }  # fmt: skip


def test_a_suite_with_rows_from_a_file_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = toy(tmp_path / "toys")
    done = CliRunner().invoke(app, ["eval", suite, "--model", "mlbench/gold", "--display", "none", "--log-dir", "logs"])
    assert done.exit_code == 0, done.exception
    (log,) = (tmp_path / "logs").glob("*.eval")
    verdicts = [attempt.verdict(Policy.INTERFACE) for attempt in read_run(log).attempts]
    assert [verdict.passed for verdict in verdicts if verdict] == [True, True]


def test_rows_from_a_file_are_checked(tmp_path: Path) -> None:
    suite = toy(tmp_path / "toys")
    check = lambda: CliRunner().invoke(app, ["suites", "check", suite])  # noqa: E731
    assert check().stdout == "toys: every row is sound\n"
    odd = [replace(row(1), path="./nosuch"), replace(row(2), path="./nosuch", output="import os\nos.getcwd()")]
    write_rows({"full": odd}, tmp_path / "toys" / "rows.jsonl")
    suites.forget()
    done = check()
    assert isinstance(done.exception, RunError) and "2 faults in suite toys" in str(done.exception)
    assert done.stdout.splitlines() == [
        "repository toys/toy: 2 rows: no such folder in the repository (first: id 1, path ./nosuch)",
        "repository toys/toy: 1 row: `output` does not parse as Bash Script (first: id 2, path ./nosuch)",
    ]


def test_a_folder_behind_a_link_out_of_the_repository_is_none(tmp_path: Path) -> None:
    suite = toy(tmp_path / "toys")
    (tmp_path / "toys" / "repositories" / "toy" / "out").symlink_to(tmp_path)
    write_rows({"full": [replace(row(n), path="./out") for n in (1, 2)]}, tmp_path / "toys" / "rows.jsonl")
    suites.forget()
    assert len(row_faults(suites.load_suite(suite))) == 1
