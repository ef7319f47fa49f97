"""Shards: each row in one, the same command continues it, and only shards of one run are merged."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from mlbench.api import evaluate
from mlbench.records import UsageError
from mlbench.results.logs import gather_runs, read_runs
from mlbench.results.models import RunRecord
from mlbench.results.shards import merge_shards, run_shard
from mlbench.run_config import RunConfig
from mlbench.suites.selection import select
from mlbench.suites.shards import Shard
from mlbench.suites.suite import load_suite
from tests import command_line
from tests.command_line import mlbench

ROWS = ("--split", "quarter", "--limit", "4", "--display", "none")


def test_each_row_is_in_one_shard_and_every_shard_has_its_share() -> None:
    suite = load_suite("pocket")
    whole = select(suite, "full")
    parts = [select(suite, "full", shard=f"{index}/8") for index in range(1, 9)]
    assert sorted(row.id for part in parts for row in part) == sorted(row.id for row in whole)
    assert {len(part) for part in parts} <= {len(whole) // 8, len(whole) // 8 + 1}
    repositories = {row.github_id for row in whole}
    assert all(len({row.github_id for row in part}) > len(repositories) / 2 for part in parts)


def test_attempts_at_one_row_stay_together() -> None:
    assert Shard(2, 2).part_of([5, 5, 7, 9, 7, 7]) == [7, 7, 7]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3", "write it as 3/8"),
        ("0/4", "numbered from 1"),
        ("5/4", "numbered from 1"),
        ("-1/4", "write it as"),
        ("1/0", "numbered from 1"),
    ],
)
def test_a_shard_that_does_not_exist_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Shard.parse(text)


def test_more_shards_than_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="--shards 8: there are only 7 rows"):
        select(load_suite("pocket"), "quarter", limit=7, shard="1/8")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the copycat as a whole, and in three shards; two attempts a row."""
    folder = tmp_path_factory.mktemp("shards")
    words = ("eval", "pocket", "--model", "mlbench/copycat", "-k", "2", *ROWS)
    for place, more in [("whole", ())] + [("parts", ("--shards", "3", "--shard", str(n))) for n in (1, 2, 3)]:
        done = mlbench(*words, "--log-dir", str(folder / place), *more, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def verdicts(run: RunRecord) -> dict[object, object]:
    return {(a.row, a.number): {p: (v.passed, v.reason) for p, v in a.verdicts.items()} for a in run.attempts}


def test_merged_shards_are_the_run(logs: Path) -> None:
    (whole,), (merged,) = read_runs([logs / "whole"]), read_runs([logs / "parts"])
    assert verdicts(merged) == verdicts(whole)
    assert len(merged.attempts) == merged.expected == whole.expected == 8
    assert (merged.each, merged.scored, merged.usage) == (2, whole.scored, whole.usage)
    assert (merged.model, merged.split, merged.setting) == (whole.model, whole.split, whole.setting)
    assert len(merged.logs) == 3
    assert "--shards 3 --shard I" in merged.command
    assert figures(logs, "parts") == figures(logs, "whole")


def figures(logs: Path, folder: str) -> list[dict[str, str]]:
    """All figures of `mlbench results`, without the log's name and the time that it took."""
    done = mlbench("results", str(logs / folder), "--format", "csv", cwd=logs)
    assert done.returncode == 0, done.stderr
    return [{**row, "log": "", "seconds": ""} for row in csv.DictReader(done.stdout.splitlines())]


def test_the_same_command_runs_a_finished_shard_no_second_time(logs: Path) -> None:
    before = sorted((logs / "parts").iterdir())
    words = ("eval", "pocket", "--model", "mlbench/copycat", "-k", "2", *ROWS, "--shards", "3", "--shard", "2")
    done = mlbench(*words, "--log-dir", str(logs / "parts"), cwd=logs)
    assert done.returncode == 0
    assert "finished before, nothing to run" in done.stderr
    assert sorted((logs / "parts").iterdir()) == before


def parts(logs: Path) -> list[RunRecord]:
    return merge_order(list(map(_read, sorted((logs / "parts").iterdir()))))


def _read(file: Path) -> RunRecord:
    from mlbench.results.load_log import read_run

    return read_run(file)


def merge_order(runs: list[RunRecord]) -> list[RunRecord]:
    return sorted(runs, key=lambda run: run.shard.index if run.shard else 0)


def test_mixtures_are_refused_with_one_line(logs: Path) -> None:
    one, two, three = parts(logs)
    assert one.shard and two.shard
    cases = {
        "are both shard 1/3 of one run; keep one": [one, two, three, replace(one, task_id="other")],
        "shard 2 of 3 missing beside": [one, three],
        "shards 2, 3 of 3 missing": [one],
    }
    for name in ("the code of mlbench", "temperature", "the argument setting", "the package inspect_ai"):
        other = replace(two, shard=replace(two.shard, common={**two.shard.common, name: "something else"}))
        cases[f"are not shards of one run: {name} is"] = [one, other, three]
    for said, runs in cases.items():
        with pytest.raises(UsageError) as error:
            merge_shards(runs)
        assert said in str(error.value)
        assert "\n" not in str(error.value)


def test_two_runs_in_shards_stay_two_runs(logs: Path) -> None:
    first = parts(logs)
    second = [
        replace(run, task_id=f"b{run.task_id}", shard=replace(run.shard, common={**run.shard.common, "the model": "b"}))
        for run in first
        if run.shard
    ]
    assert [run.expected for run in merge_shards([*first, *second])] == [8, 8]


def test_a_log_says_of_which_code_and_configuration_it_is(logs: Path) -> None:
    one, two, _ = parts(logs)
    assert one.shard and two.shard
    assert one.shard.common == two.shard.common
    assert {"the code of mlbench", "the model", "the argument setting", "the suite version"} <= set(one.shard.common)


def test_a_key_of_a_provider_is_no_fact_of_a_run(logs: Path) -> None:
    log = read_eval_log(str(next(logs.glob("parts/*.eval"))), header_only=True)
    log.eval.model_args = {"api_key": "secret", "device": "cpu"}
    shard = run_shard(log)
    assert shard is not None
    assert "secret" not in shard.common.values()
    assert shard.common["-M device"] == "cpu"


def test_a_foreign_shard_in_a_log_is_no_traceback(logs: Path, tmp_path: Path) -> None:
    log = read_eval_log(str(next((logs / "parts").iterdir())))
    assert log.eval.metadata is not None
    log.eval.metadata["shard"] = {"index": 9, "of": 3, "code": "", "input": ""}
    write_eval_log(log, str(tmp_path / "a.eval"))
    with pytest.raises(UsageError, match="shard 9 of 3"):
        read_runs([tmp_path / "a.eval"])


def test_answers_made_elsewhere_are_judged_in_shards(logs: Path, tmp_path: Path) -> None:
    rows = select(load_suite("pocket"), "quarter", limit=4)
    lines = [
        json.dumps({"id": row.id, "github_id": row.github_id, "output": [f"```\n{row.output}\n```", "nothing"]})
        for row in rows
    ]
    (tmp_path / "outputs.jsonl").write_text("\n".join(lines))
    for shard in ("1", "2", "2"):
        words = ("verify", "outputs.jsonl", "--shards", "2", "--shard", shard, "--display", "none")
        done = mlbench(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    (run,) = gather_runs([tmp_path / "logs"]).runs
    assert [attempt.number for attempt in run.attempts] == [1, 2] * 4
    (tmp_path / "outputs.jsonl").write_text("\n".join([*lines[:3], lines[0]]))
    done = mlbench("verify", "outputs.jsonl", "--shards", "2", "--shard", "2", "--display", "none", cwd=tmp_path)
    assert "finished before" not in done.stderr  # other answers are another run


def test_options_that_do_not_fit_are_refused_in_one_line(tmp_path: Path) -> None:
    for words, said in (
        (("eval", "pocket", "--model", "mlbench/gold", "--shards", "3"), "belong together"),
        (("eval", "pocket", "--model", "mlbench/gold", "--shards", "3", "--shard", "0"), "numbered from 1 to --shards"),
        (("eval", "--resume", "--shards", "3", "--shard", "1"), "--resume takes these from the log"),
        (("agent", "pocket", "--agent", "gold", "--shards", "99", "--shard", "1"), "there are only"),
        (("experiment", "imdb", "--agent", "trivial", "--shards", "2", "--shard", "1"), "give --data-seed N"),
        (
            ("experiment", "imdb", "--agent", "trivial", "--data-seed", "7", "--shards", "2", "--shard", "1"),
            "there are only 1",
        ),
    ):
        done = mlbench(*words, cwd=tmp_path)
        assert (done.returncode, said in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr


def test_a_killed_shard_is_continued_by_the_same_command(tmp_path: Path) -> None:
    """A shard is killed with -9 when its log has rows; the same command goes on in the same run."""
    words = ("eval", "pocket", "--model", "mlbench/gold", "--shards", "2", "--shard", "1", "--max-samples", "1")
    words += ("--no-cache", "--display", "none", "--limit", "8", "--log-dir", "logs")
    process = command_line.start(*words, cwd=tmp_path, env=os.environ)
    try:
        while process.poll() is None and not _flushed(tmp_path / "logs"):
            pass_time()
    finally:
        process.kill()
        process.wait()
    done = mlbench(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mlbench: continues" in done.stderr or "finished before" in done.stderr
    run = evaluate(
        "pocket", "mlbench/gold", limit=8, shard="1/2", config=RunConfig(log_dir=tmp_path / "logs", display="none")
    )
    assert (run.scored, run.expected, run.shard and run.shard.index) == (4, 4, 1)


def pass_time() -> None:
    import time

    time.sleep(0.05)


def _flushed(folder: Path) -> bool:
    from mlbench.eval_runs import headers, scored_samples

    return any(scored_samples(name) > 0 for name, _ in headers(folder))
