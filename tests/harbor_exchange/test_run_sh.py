"""`mlbench verify --run-sh`: which row a folder belongs to, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mlbench.agents.baselines import run_script
from mlbench.api import run_submissions
from mlbench.cli.verify import row_of_each
from mlbench.records import Policy, UsageError
from mlbench.results.load_log import read_run
from mlbench.run_config import RunConfig
from mlbench.suites.suite import load_suite, sample_of

ROW = 5


def test_the_row_is_the_number_that_a_name_ends_in() -> None:
    assert row_of_each([Path("left/pocket-5"), Path("17"), Path("a1b22")], []) == [5, 17, 22]
    assert row_of_each([Path("left/any")], [9]) == [9]


def test_a_folder_without_a_row_is_refused() -> None:
    with pytest.raises(UsageError, match="give --row"):
        row_of_each([Path("left/workspace")], [])
    with pytest.raises(UsageError, match="2 folders and 1 rows"):
        row_of_each([Path("a-1"), Path("a-2")], [1])


@pytest.mark.parametrize("policy", [Policy.INTERFACE, None])
def test_what_an_agent_left_is_judged_as_asked(policy: Policy | None, tmp_path: Path) -> None:
    """`--policy interface` was ignored: run.sh was run, and its outcomes were judged."""
    sample, suite = sample_of("pocket", ROW), load_suite("pocket")
    repository = suite.repository_of(sample.github_id).name
    for name in ("right", "nothing"):
        (tmp_path / name).mkdir()
        shutil.copytree(suite.folder(repository), tmp_path / name / "workspace")
    (tmp_path / "right" / "workspace" / "run.sh").write_text(run_script(sample, sample.folder))
    config = RunConfig(log_dir=tmp_path / "logs", display="none")
    log = run_submissions([tmp_path / "right", tmp_path / "nothing"], [ROW, ROW], "pocket", "any", {}, policy, config)
    run = read_run(Path(log.location.removeprefix("file://")))
    right, nothing = (attempt.verdicts for attempt in run.attempts)
    assert set(right) == ({Policy.INTERFACE} if policy else {Policy.STRICT, Policy.PAPER})
    assert right[policy or Policy.STRICT].passed and not nothing[policy or Policy.STRICT].passed
