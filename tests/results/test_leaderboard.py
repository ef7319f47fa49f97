"""Submissions: what is read, what is refused, how they are grouped, and what goes to other leaderboards."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml

from mlbench.cli import main
from mlbench.records import Policy, UsageError
from mlbench.results.leaderboard.add import add_submission
from mlbench.results.leaderboard.boards import boards
from mlbench.results.leaderboard.check_record import CheckOutcome, read_check
from mlbench.results.leaderboard.exportable import ExportNames
from mlbench.results.leaderboard.exports import ExportFormat, export
from mlbench.results.leaderboard.figures import StoredFigure
from mlbench.results.leaderboard.metadata import read_metadata
from mlbench.results.leaderboard.predictions import complete, rows_of
from mlbench.results.leaderboard.site import CheckedSubmission, render_board
from mlbench.results.leaderboard.submission import read_submission, read_submissions
from mlbench.suites.suite import load_suite
from tests.results.log_factory import rows, run
from tests.results.submissions_at_work import VERSION, made, rejudged

METADATA = {
    "name": "A model",
    "date": "2026-01-02",
    "model": "provider/model",
    "suite": "pocket",
    "suite_version": VERSION,
    "split": "full",
    "setting": "oracle",
    "k": 1,
}


def metadata(folder: Path, **changes: object) -> Path:
    (folder / "metadata.yaml").write_text(yaml.safe_dump({**METADATA, **changes}))
    return folder


def test_metadata_is_read(tmp_path: Path) -> None:
    found = read_metadata(metadata(tmp_path, suite_version=3, url="https://example.org/a?b=c", open_weights=True))
    assert (found.suite_version, found.rows, found.open_weights) == ("3", None, True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rank": 1}, "rank: Extra inputs are not permitted"),
        ({"url": "javascript:alert(1)"}, "url: is no http or https address"),
        ({"url": "https:///x"}, "url: is no http or https address"),
        ({"url": "data:text/html,x"}, "url: is no http or https address"),
        ({"name": "a\x1b[31mb"}, "name: holds control characters"),
        ({"name": ""}, "name: is empty"),
        ({"name": "x" * 201}, "name: String should have at most 200"),
        ({"suite": "../../etc"}, "suite: String should match"),
        ({"k": 0}, "k: Input should be greater than or equal to 1"),
        ({"date": "yesterday"}, "date: Input should be a valid date"),
        ({"rows": ["a"]}, "rows.0: Input should be a valid integer"),
    ],
)
def test_bad_metadata_is_refused_by_its_field(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match="metadata.yaml") as refused:
        read_metadata(metadata(tmp_path, **changes))
    assert said in str(refused.value)


def test_files_that_are_no_metadata_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "metadata.yaml"
    with pytest.raises(UsageError, match="is missing"):
        read_metadata(tmp_path)
    for content in (b"\xff\xfe", b"a: [", b"!!python/object/apply:os.system [ls]", b"- a"):
        file.write_bytes(content)
        with pytest.raises(UsageError, match="metadata.yaml"):
            read_metadata(tmp_path)
    file.write_bytes(b"#" * 70_000)
    with pytest.raises(UsageError, match="is larger"):
        read_metadata(tmp_path)
    file.unlink()
    file.symlink_to("/etc/hostname")
    with pytest.raises(UsageError, match="is a link"):
        read_metadata(tmp_path)


def test_references_that_grow_are_refused_at_once(tmp_path: Path) -> None:
    levels = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12))]
    (tmp_path / "metadata.yaml").write_text("\n".join(levels))
    with pytest.raises(UsageError, match="holds references"):
        read_metadata(tmp_path)


def test_figures_that_cannot_be_are_refused() -> None:
    figure = {
        "policy": "strict",
        "metric": "pass@k",
        "k": 1,
        "estimator": "unbiased",
        "group_kind": "all",
        "group": "all",
    }
    StoredFigure.model_validate({**figure, "n": 3, "total": 3, "value": 1.0})
    for wrong in ({"n": 3, "total": 3, "value": 5.0}, {"n": 4, "total": 3, "value": 0.5}):
        with pytest.raises(ValueError, match="rate over 1|more than total"):
            StoredFigure.model_validate({**figure, **wrong})


def test_missing_double_and_unknown_rows_are_counted(tmp_path: Path) -> None:
    suite = load_suite("pocket")
    rows_here = [row.sample for row in suite.splits["full"]]
    first, second, third, fourth = rows_here[:4]

    def line(row: int, github_id: int, *output: str) -> str:
        return json.dumps({"id": row, "github_id": github_id, "output": output})

    file = tmp_path / "predictions.jsonl"
    file.write_text(
        "\n".join(
            [
                line(first.id, first.github_id, "a"),
                line(first.id, first.github_id, "b", "c"),
                line(second.id, second.github_id, "d"),
                line(fourth.id, fourth.github_id, "not asked for"),
                line(999_999, 1, "no row"),
                "{",
            ]
        )
    )
    target = tmp_path / "completed.jsonl"
    faults = complete(file, suite, [first.id, second.id, third.id], 2, target)
    assert (faults.missing, faults.double, faults.unknown) == ((second.id, third.id), (first.id,), (fourth.id,))
    assert len(faults.malformed) == 2 and faults.malformed[0].startswith("line 5: ")
    assert faults.counted() == [
        "2 rows without all answers",
        "1 row answered too often",
        "1 row not asked for",
        "2 lines malformed",
    ]
    kept = {record["id"]: record["output"] for record in map(json.loads, target.read_text().splitlines())}
    assert kept == {first.id: ["a", "b"], second.id: ["d", ""], third.id: ["", ""]}


def test_a_file_without_any_answer_is_completed(tmp_path: Path) -> None:
    (tmp_path / "predictions.jsonl").write_text("")
    suite = load_suite("pocket")
    faults = complete(tmp_path / "predictions.jsonl", suite, [0], 1, tmp_path / "completed.jsonl")
    assert faults.missing == (0,) and len(faults.malformed) == 1


def test_rows_are_those_of_the_suite_here(tmp_path: Path) -> None:
    suite = load_suite("pocket")
    assert len(rows_of(read_metadata(metadata(tmp_path)), suite)) == 260
    assert rows_of(read_metadata(metadata(tmp_path, rows=[3, 1])), suite) == [1, 3]
    with pytest.raises(UsageError, match="made on pocket version 2; here is version 3"):
        rows_of(read_metadata(metadata(tmp_path, suite_version="2")), suite)
    with pytest.raises(UsageError, match="999999 is no row"):
        rows_of(read_metadata(metadata(tmp_path, rows=[999_999])), suite)


def test_a_submission_is_made_from_a_run(tmp_path: Path) -> None:
    folder = made(tmp_path, "small", ["10", "01", "00"], organisation="An Organisation")
    assert folder.name == "20260102_small"
    submission = read_submission(folder)
    assert submission.metadata.rows == (0, 1, 2)  # a part of the split says so
    assert submission.metadata.k == 2 and submission.metadata.organisation == "An Organisation"
    assert submission.claimed is not None and submission.claimed.judged.passed[Policy.STRICT][0] == (True, False)
    assert submission.claimed.predictions == submission.digests["predictions.jsonl"]
    with pytest.raises(UsageError, match="is there already"):
        made(tmp_path, "small", ["10"])


def test_runs_of_one_configuration_become_one_submission(tmp_path: Path) -> None:
    runs = [run(rows(["1", "0"]), each=1, suite_version=VERSION, split="full") for _ in range(3)]
    submission = read_submission(add_submission(runs, tmp_path / "thrice"))
    assert submission.metadata.k == 3
    assert submission.claimed is not None and submission.claimed.judged.passed[Policy.STRICT][0] == (True,) * 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"setting": "code"}, "differ in setting: oracle and code"),
        ({"suite_version": "2"}, "differ in suite version: 3 and 2"),
        ({"status": "error"}, "is not finished"),
    ],
)
def test_runs_that_are_no_submission_are_refused(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    one = run(rows(["1", "0"]), each=1, suite_version=VERSION, split="full")
    other = run(rows(["1", "0"]), each=1, **{"suite_version": VERSION, "split": "full", **changes})
    with pytest.raises(UsageError, match=said):
        add_submission([one, other], tmp_path / "both")
    with pytest.raises(UsageError, match="is not finished"):
        add_submission([run(rows(["1", "x"]), each=1, suite_version=VERSION, split="full")], tmp_path / "part")


def test_a_log_of_verify_needs_to_be_told_what_answered(tmp_path: Path) -> None:
    verified = run(rows(["1"]), each=1, suite_version=VERSION, split="outputs", setting="given")
    with pytest.raises(UsageError, match="--model, --split and --setting"):
        add_submission([verified], tmp_path / "verified")
    about = {"model": "own/model", "split": "full", "setting": "code"}
    submission = read_submission(add_submission([verified], tmp_path / "verified", **about))
    found = submission.metadata
    assert submission.claimed is not None and submission.claimed.tokens_in is None  # verify does not know it
    assert (found.name, found.split, found.setting, found.rows) == ("own/model", "full", "code", (0,))


def test_a_folder_that_is_no_submission_is_named(tmp_path: Path) -> None:
    made(tmp_path, "good", ["1"])
    (tmp_path / "bad name").mkdir()
    broken = made(tmp_path, "broken", ["1"])
    results = json.loads((broken / "results.json").read_text())
    results["judged"]["figures"][0]["value"] = "much"
    (broken / "results.json").write_text(json.dumps(results))
    valid, invalid = read_submissions(tmp_path)
    assert [each.name for each in valid] == ["20260102_good"]
    assert [each.fault.rpartition("/")[2][:40] for each in invalid] == [
        "results.json: judged.figures.0.value: In",
        "bad name: name it YYYYMMDD_NAME with let",
    ]


def test_a_check_counts_only_for_the_files_it_saw(tmp_path: Path) -> None:
    folder = made(tmp_path, "small", ["1", "0"])
    rejudged(folder, run(rows(["1", "0"]), each=1))
    assert read_check(tmp_path, read_submission(folder)) is not None
    with (folder / "predictions.jsonl").open("a") as file:
        file.write("\n")
    assert read_check(tmp_path, read_submission(folder)) is None


def test_the_committed_submissions_are_valid_and_checked_as_they_are() -> None:
    root = Path(__file__).parents[2] / "leaderboard"
    valid, invalid = read_submissions(root)
    assert valid and invalid == []
    checks = {each.name: read_check(root, each) for each in valid}
    assert [name for name, check in checks.items() if check is None or check.differences] == []
    assert [name for name, check in checks.items() if check and check.judged is None] == [
        each.name for each in valid if each.metadata.agent
    ]


def test_entries_are_compared_only_within_a_board(tmp_path: Path) -> None:
    made(tmp_path, "low", ["0"] * 4, name="low")
    made(tmp_path, "high", ["1"] * 4, name="high")
    other = made(tmp_path, "other", ["1"] * 4, name="other", run_as={"split": "quarter"})
    older = made(tmp_path, "older", ["1"] * 4, name="older", run_as={"suite_version": "2"})
    for each in (other, older):
        rejudged(each, run(rows(["1"] * 4), each=1))
    found = boards((each, read_check(tmp_path, each), "") for each in read_submissions(tmp_path)[0])
    strict = {
        board.title: [entry.metadata.name for entry in board.entries] for board in found if board.policy == "strict"
    }
    assert strict == {
        "pocket version 3, split full, policy strict": ["high", "low"],
        "pocket version 2, split full, policy strict": ["older"],
        "pocket version 3, split quarter, policy strict": ["other"],
    }


def test_the_board_shows_what_was_judged_and_not_what_is_claimed(tmp_path: Path) -> None:
    folder = made(tmp_path, "forged", ["1"] * 4)
    rejudged(folder, run(rows(["1", "0", "1", "0"]), each=1), outcome=CheckOutcome.DIFFERS)
    submission = read_submission(folder)
    by_policy = {
        board.policy: board.entries[0] for board in boards([(submission, read_check(tmp_path, submission), "")])
    }
    strict, paper = by_policy[Policy.STRICT], by_policy[Policy.PAPER]
    first = strict.pass_at(1)
    assert first is not None and first.value == 0.5 and strict.claim == 1.0 and strict.outcome is CheckOutcome.DIFFERS
    claimed = paper.pass_at(1)
    assert claimed is not None and claimed.value == 1.0 and paper.outcome is CheckOutcome.NOT_JUDGED


def test_the_page_says_how_many_rows_a_rate_rests_on(tmp_path: Path) -> None:
    folder = made(tmp_path, "part", ["1"] * 4)
    file = folder / "results.json"
    claimed = json.loads(file.read_text())
    claimed["judged"]["passed"]["strict"] |= {row: [None] for row in "123"}  # without a verdict
    file.write_text(json.dumps(claimed))
    page = render_board([CheckedSubmission(read_submission(folder), None, "")])
    assert ">1 of 4" in page


def test_exports(tmp_path: Path) -> None:
    folder = made(tmp_path / "dir", "small", ["1", "0"], model="org/../<model>", url="https://example.org")
    rejudged(folder, run(rows(["1", "0"]), each=1))
    out = tmp_path / "out"
    [file] = export(folder.parent, ExportFormat.EVERY_EVAL_EVER, out, ExportNames())
    assert file.relative_to(out).as_posix().startswith("data/mlbench/unnamed/model/")
    record = json.loads(file.read_text())
    assert {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "eval_library"} <= set(record)
    assert record["model_info"]["additional_details"]["model_availability"] == "unknown"
    scores = {each["evaluation_result_id"]: each["score_details"]["score"] for each in record["evaluation_results"]}
    assert scores["pocket/full/oracle/strict/pass@1"] == 0.5
    with pytest.raises(UsageError, match="nothing to export as hub"):  # a part of the split
        export(folder.parent, ExportFormat.HUB, out, ExportNames(dataset="a/b"))
    names = ExportNames(repository="https://example.org/owner/r", commit="c")
    entry = yaml.safe_load(export(folder.parent, ExportFormat.INSPECT, out, names)[0].read_text())
    assert entry["source"] == {"repository_url": names.repository, "repository_commit": "c"}
    assert [task["task_path"] for task in entry["tasks"]] == ["src/mlbench/evals/ml_llm_bench/task.py"]
    # the register refuses every other field, and needs `common_title`
    known = "full_title common_title description arxiv contributors tasks metadata source"
    assert set(entry) == set(known.split()) and "\n" not in entry["description"]
    assert entry["common_title"] == "ML-LLM-Bench"
    for form, wrong in (
        (ExportFormat.HUB, ExportNames(dataset="b")),
        (ExportFormat.INSPECT, ExportNames(repository="r", commit="c")),
    ):
        with pytest.raises(UsageError, match="write it as OWNER/NAME|begins with http"):
            export(folder.parent, form, out, wrong)
    for form in (ExportFormat.HUB, ExportFormat.INSPECT):
        with pytest.raises(UsageError, match=f"--format {form.value}"):
            export(folder.parent, form, out, ExportNames())


def test_the_hub_gets_whole_splits_that_were_judged_again(tmp_path: Path) -> None:
    ids = [row.sample.id for row in load_suite("pocket").splits["full"]]
    folder = made(tmp_path / "dir", "whole", ["1" if n % 2 else "0" for n in range(len(ids))], model="org/model")
    whole = read_submission(folder).metadata
    assert sorted(ids) == list(range(len(ids))) and whole.rows is None
    with pytest.raises(UsageError, match="nothing to export as hub: it takes whole splits"):  # not judged again
        export(folder.parent, ExportFormat.HUB, tmp_path, ExportNames(dataset="a/b"))
    rejudged(folder, run(rows(["1" if n % 2 else "0" for n in range(len(ids))]), each=1))
    [file] = export(folder.parent, ExportFormat.HUB, tmp_path, ExportNames(dataset="a/b"))
    assert file == tmp_path / "org" / "model" / ".eval_results" / "20260102_whole.yaml"
    [result, *others] = yaml.safe_load(file.read_text())
    assert all("_strict_" in each["dataset"]["task_id"] for each in (result, *others))  # the other policies are claims
    assert result["value"] == 50.0 and result["dataset"]["id"] == "a/b"
    entries = pytest.importorskip("huggingface_hub").parse_eval_result_entries([result, *others])
    assert {(entry.dataset_id, entry.value) for entry in entries} == {("a/b", 50.0)}


def test_the_folder_alone_builds_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path / "dir", "small", ["1", "0"])
    for words in (["dir", "-o", "one"], ["build", "dir", "-o", "two"]):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["mlbench", "leaderboard", *words])
        with pytest.raises(SystemExit) as leaving:
            main()
        assert leaving.value.code in (0, None)
        assert capsys.readouterr().out == f"leaderboard: {words[-1]}/index.html\n"
    assert (tmp_path / "one/index.html").read_text() == (tmp_path / "two/index.html").read_text()
