"""`mlbench experiment` and what cannot be: said in one line, before anything is run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from inspect_ai import Task

from mlbench import eval_runs
from mlbench.cli import main
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.problem_faults import problem_faults
from mlbench.evals.mlagentbench.problem_probes import ProblemFinding
from mlbench.run_config import DATA_SEED_OF_RUN
from tests.mlagentbench.broken_problems import replaced, sound

NO_RUN = {
    "no problem": ((), "no problem is given: choose from babylm"),
    "an unknown problem": (("toads", "--agent", "trivial"), "no problem 'toads'; there are: babylm"),
    "an unknown agent": (("imdb", "--agent", "rsearch"), "no agent 'rsearch'; there are: research_agent"),
    "an agent of another bench": (("imdb", "--agent", "gold"), "the agent gold cannot work on experiments"),
    "no model": (("imdb",), "no model is given: --model openai/gpt-4o, for example; --agent trivial needs none"),
    "no key": (("imdb", "--model", "openai/gpt-4o"), "OPENAI_API_KEY"),
    "an unknown provider": (("imdb", "--model", "opnai/gpt-4o"), "opnai"),
    "an unknown helper": (("imdb", "--agent", "trivial", "--helper-model", "opnai/x"), "model opnai/x: "),
    "an unknown flag": (
        ("imdb", "--model", "m", "--agent-option", "lgo=1"),
        "no option 'lgo'; there are: log, show_budget",
    ),
    "half a flag": (("imdb", "--model", "m", "--agent-option", "log"), "--agent-option log: write it as NAME=VALUE"),
    "a flag's wrong value": (
        ("imdb", "--model", "m", "--agent-option", "steps=many"),
        "steps='many': expected a number",
    ),
    "another's flag": (("imdb", "--agent", "react", "--no-log"), "the agent react has no options (log)"),
    "no repeats": (("imdb", "--agent", "trivial", "-k", "0"), "-k 0: at least 1 is needed"),
    "no steps": (("imdb", "--agent", "trivial", "--step-limit", "0"), "--step-limit 0: at least 1"),
    "no time": (("imdb", "--agent", "trivial", "--time-limit", "-1"), "seconds: -1.0"),
    "nothing to resume": (("--resume",), "nothing to resume: "),
    "another problem at resume": (
        ("imdb", "--resume"),
        "--resume takes these from the log of the run: leave problems out",
    ),
    "no folder to check": (("--check", "toads"), "no problem 'toads'"),
    "a check of what is published": (("--check", "part", "--data", "published"), "--check is for --data lite and full"),
    "other data than the profile's": (("imdb", "--profile", "published", "--data", "full"), "needs --data published"),
    "a folder that is not new": (("--new", "part"), "part is there already and not empty: choose a new folder"),
    "a name that cannot be": (("--new", "My Problem"), "'My Problem' cannot be a problem's name"),
    "nothing to grade": (("grade", "imdb"), "grade takes a problem and its submission"),
}


@pytest.mark.parametrize("what", NO_RUN)
def test_what_cannot_be_is_said_in_one_line(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, words = NO_RUN[what]
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("part").mkdir()
    Path("part", "task.yaml").write_text("name: part\n")
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", *arguments, "--display", "none"])
    with pytest.raises(SystemExit) as leaving:
        main()
    said = capsys.readouterr()
    assert (leaving.value.code, len(said.err.strip().splitlines()), said.out) == (2, 1, ""), said
    assert said.err.startswith("mlbench: ")
    assert words in said.err
    assert not Path("logs").exists()


def test_a_drawn_seed_is_shown_before_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was printed after the run, so that a run stopped midway could not be repeated on its data."""
    seen = []

    def stopped(task: Task, model: str, config: object) -> None:
        seen.append((task.metadata or {})[DATA_SEED_OF_RUN])
        raise KeyboardInterrupt

    monkeypatch.setattr(eval_runs, "run", stopped)
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "imdb", "--agent", "trivial", "--display", "none"])
    with pytest.raises(SystemExit):
        main()
    assert f"data seed {seen[0]}, drawn for this run; repeat it with --data-seed" in capsys.readouterr().err


def test_a_folder_with_the_name_of_a_bundled_problem_is_in_nobody_s_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("imdb").mkdir()
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "imdb", "--model", "opnai/gpt-4o"])
    with pytest.raises(SystemExit):
        main()
    assert "opnai" in capsys.readouterr().err


def test_check_names_all_faults_of_a_folder_with_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = sound(tmp_path / "mine")
    replaced(folder / "task.yaml", "better: lower, perfect: 0.0", "better: less")
    replaced(folder / "task.yaml", "domain: tables", "domian: tables")
    replaced(folder / "hidden/grade.py", "main(grade)", "main(grade")
    shutil.rmtree(folder / "hidden/wrong")
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "--check", str(folder)])
    with pytest.raises(SystemExit) as leaving:
        main()
    lines = capsys.readouterr().out.splitlines()
    places = [line.removeprefix(f"BAD  {folder}/").split(": ")[0] for line in lines]
    assert leaving.value.code == 1
    assert places == ["hidden/wrong", "task.yaml:1", "task.yaml:10", "task.yaml:4", "hidden/grade.py:12"], lines


def test_new_writes_a_problem_of_the_folder_s_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "--new", str(tmp_path / "rivers")])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert not leaving.value.code
    assert load_problem(tmp_path / "rivers").name == "rivers"
    assert problem_faults(tmp_path / "rivers") == []


def test_check_runs_a_problem_whose_fault_does_not_hinder_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing metric.perfect hid all that only a run shows: the missing permuted submission was told a run later."""
    replaced((folder := sound(tmp_path / "mine")) / "task.yaml", ", perfect: 0.0", "")

    async def checked(problem: ResearchProblem, seeds: int) -> AsyncIterator[ProblemFinding]:
        yield ProblemFinding("every other part", True, "")

    monkeypatch.setattr("mlbench.evals.mlagentbench.validate_problem.checked", checked)
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "--check", str(folder)])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"BAD  {folder}/task.yaml:10: metric.perfect") and second.startswith("ok   every other")
