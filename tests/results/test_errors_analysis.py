"""Errors of runs: counts, transitions, the paper's statements, the documentation audit, experiments."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.judging.error_taxonomy import main_class
from mlbench.reasons import Reason
from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Policy, UsageError
from mlbench.results.analyses import claim_results, error_tables, errors, tables
from mlbench.results.analyses.claim_results import ClaimResult
from mlbench.results.analyses.differences import difference
from mlbench.results.analyses.documentation import audit, needed_options
from mlbench.results.analyses.error_plots import write_plots
from mlbench.results.analyses.transitions import transitions
from mlbench.results.models import AttemptRecord, RunRecord
from tests.results.log_factory import attempt, fault, run, sample, write_log


def wrong(row: int, *kinds: str, number: int = 1, repository: str = "lichen", type: str = SHELL_TYPE) -> AttemptRecord:
    made = attempt(row, number, False, repository=repository, type=type)
    return replace(made, faults=tuple(fault(kind, Reason.WRONG_VALUE, "why") for kind in kinds))


def of(*attempts: AttemptRecord, **changes: object) -> RunRecord:
    return run(list(attempts), each=1, **changes)


def counted(runs: list[RunRecord]) -> dict[tuple[str, str, str], int]:
    found = errors.error_counts(runs, Policy.STRICT)
    return {(each.group, each.error_class, each.sub_kind): each.count for each in found}


def test_every_class_and_kind_is_counted_once_an_answer() -> None:
    runs = [
        of(
            attempt(1, 1, True),
            wrong(2, "E2/choices", "E2/choices", "E3"),
            wrong(3, "E2/local-paths", repository="mirage"),
            wrong(4, type=PYTHON_TYPE),
            attempt(5, 1, None),
        )
    ]
    found = errors.error_counts(runs, Policy.STRICT)
    counts = counted(runs)
    assert counts["all", "E2", ""] == 2 and counts["all", "E2", "choices"] == counts["all", "E3", ""] == 1
    assert counts["mirage", "E2", "local-paths"] == counts["all", "none", ""] == counts[PYTHON_TYPE, "none", ""] == 1
    (all_e2,) = [each for each in found if (each.group, each.error_class, each.sub_kind) == ("all", "E2", "")]
    assert (all_e2.failures, all_e2.answers) == (3, 4)
    assert (all_e2.share_of_failures, all_e2.share_of_answers) == (2 / 3, 0.5)


def test_csv_and_json_hold_every_count(tmp_path: Path) -> None:
    found = errors.error_counts([of(wrong(1, "E1"), wrong(2, "E4"), model='a,"b"\n')], Policy.STRICT)
    error_tables.write_csv(found, tmp_path / "e.csv")
    error_tables.write_json(found, tmp_path / "e.json")
    with (tmp_path / "e.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    records = json.loads((tmp_path / "e.json").read_text())
    assert len(lines) == len(records) == len(found)
    assert lines[0]["model"] == records[0]["model"] == 'a,"b"\n'
    assert float(lines[0]["share_of_failures"]) == records[0]["share_of_failures"] == 0.5


def test_the_tables_fit_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [of(wrong(1, "E2/parameter-names"), wrong(2, "E1", repository="a-very-long-name-of-a-repository"))]
    tables.show(error_tables.sheets(runs, errors.error_counts(runs, Policy.STRICT)), Console(width=80))
    shown = capsys.readouterr().out
    assert "E2/parameter-names" in shown and "1 hallucination" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_cannot_be_counted_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^no answer .* failed under the policy strict"):
        errors.error_counts([of(attempt(1, 1, True))], Policy.STRICT)
    with pytest.raises(UsageError, match=r"^the logs are of answers and of agents"):
        errors.error_counts([of(wrong(1, "E1")), of(wrong(1, "E1"), agent="codeact")], Policy.STRICT)
    with pytest.raises(UsageError, match="different suites"):
        errors.error_counts([of(wrong(1, "E1")), of(wrong(1, "E1"), suite="ml-bench")], Policy.STRICT)


def test_the_main_class_is_what_makes_the_others_not_matter() -> None:
    assert main_class(["E3", "E2/choices", "E4"]) == "E4"
    assert main_class(["E3", "E1", "E4"]) == "E1"
    assert main_class(["E3", "E2/choices"]) == "E2"
    assert main_class([]) is None


def test_transitions_pair_the_answers_of_two_runs() -> None:
    first = of(attempt(1, 1, True), wrong(2, "E2/choices", "E1"), wrong(3, "E3"), attempt(4, 1, None), wrong(5))
    second = of(
        wrong(1, "E3"), wrong(2, "E2/choices"), attempt(3, 1, True), wrong(4, "E1"), wrong(5), setting="retrieval"
    )
    found = transitions(first, second, Policy.STRICT)
    assert found.counts == {("pass", "E3"): 1, ("E1", "E2"): 1, ("E3", "pass"): 1, ("none", "none"): 1}
    assert found.unpaired == 1
    assert found.sheet().rows[-1][-1] == 4


def test_transitions_need_the_same_rows() -> None:
    one = of(wrong(1, "E1"))
    for other, what in (
        (of(wrong(1, "E1"), suite="ml-bench"), "different suites: pocket, ml-bench"),
        (of(wrong(1, "E1"), version="6, suite version 9"), "different versions of the suite: "),
        (of(wrong(2, "E1")), "share none"),
    ):
        with pytest.raises(UsageError, match=what):
            transitions(one, other, Policy.STRICT)


def test_newcombes_interval_is_the_published_one() -> None:
    """Newcombe 1998, table II, case (a): 56/70 against 48/80, method 10."""
    found = difference(56, 70, 48, 80)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)
    assert difference(0, 0, 1, 2) is None


def errors_of(setting: str, share: float, error: str, n: int = 200) -> RunRecord:
    hits = round(share * n)
    return of(*(wrong(row, error if row < hits else "E9") for row in range(n)), setting=setting)


@pytest.mark.parametrize(
    ("oracle", "code", "error", "result"),
    [
        (0.2, 0.5, "E1", ClaimResult.CONFIRMED),
        (0.5, 0.2, "E1", ClaimResult.REFUTED),
        (0.30, 0.32, "E1", ClaimResult.UNDECIDED),
        (0.01, 0.01, "E3", ClaimResult.CONFIRMED),
        (0.4, 0.1, "E3", ClaimResult.REFUTED),
        (0.30, 0.32, "E3", ClaimResult.UNDECIDED),
    ],
)
def test_a_statement_is_held_against_the_interval(oracle: float, code: float, error: str, result: ClaimResult) -> None:
    runs = [errors_of("oracle", oracle, error), errors_of("code", code, error)]
    (found,) = [
        each
        for each in claim_results.tested(runs, Policy.STRICT)
        if each.claim.error == error and each.claim.text.startswith("The oracle")
    ]
    assert found.result is result
    not_tested = [each for each in claim_results.tested(runs[:1], Policy.STRICT) if each.difference is None]
    assert {each.result for each in not_tested} == {ClaimResult.NOT_TESTED}


def test_statements_on_models_compare_the_settings_that_both_were_run_in() -> None:
    claude = replace(errors_of("oracle", 0.6, "E1"), model="anthropic/claude-3-haiku")
    gpt = [
        replace(errors_of(name, share, "E1"), model="openai/gpt-4o") for name, share in (("oracle", 0.2), ("code", 1.0))
    ]
    (found,) = [
        e for e in claim_results.tested([claude, *gpt], Policy.STRICT) if e.claim.text.startswith("Claude 3 has more")
    ]
    assert found.difference is not None and found.difference.sizes == (200, 200)
    assert found.result is ClaimResult.CONFIRMED


def test_the_audit_looks_for_options_in_the_documents_alone() -> None:
    assert needed_options("python -m x --lr 0.1 --data=a -v", SHELL_TYPE) == ("--lr", "--data", "-v")
    assert needed_options("f(1, lr=g(a=2))", PYTHON_TYPE) == ("lr", "a")
    prompt = "<document path='README'>\nUse --lr, not --dataset-name.\n</document>\n--dataset"
    rows = [replace(wrong(1, "E2/parameter-names"), prompt=prompt), replace(attempt(2, 1, True), prompt=prompt)]
    rows[1] = replace(rows[1], reference="python train.py --lr 1")
    found = audit([of(*rows)], Policy.STRICT)
    assert [row.lacking for row in found.rows] == [("--dataset",), ()]
    rates = dict(found.rates)
    e2 = next(rate for name, rate in rates.items() if name == "E2")
    assert e2 is not None and (e2.first, e2.second) == (1.0, 0.0)
    with pytest.raises(UsageError, match="not of agents or verify"):
        audit([of(*rows, setting="given")], Policy.STRICT)


def test_plots_are_files_of_their_own(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    hostile = "<script>alert(1)</script>"
    runs = [of(wrong(1, "E1"), wrong(2, "E2/choices", repository="mirage"), model=hostile)]
    files = write_plots(runs, Policy.STRICT, tmp_path / "plots")
    assert [file.name for file in files] == ["errors-by-run.svg", "errors-by-repository.svg", "errors-by-type.svg"]
    text = files[0].read_text()
    assert "E1" in text and "<script" not in text and "currentColor" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["errors"], "no log is given"),
        (["errors", "--transitions", "a", "b", "c"], "names its two logs"),
        (["errors", "nowhere"], "nowhere: no such log or folder"),
        (["claims", "nowhere"], "nowhere: no such log or folder"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(app, ["analyse", *words])
    assert isinstance(result.exception, UsageError) and message in str(result.exception)


def test_the_commands_read_logs(tmp_path: Path) -> None:
    first = write_log(tmp_path / "a.eval", [sample(1), sample(2, passed=False)])
    second = write_log(tmp_path / "b.eval", [sample(1, passed=False), sample(2)])
    words = ["analyse", "errors", str(first), "--csv", str(tmp_path / "e.csv"), "--json", str(tmp_path / "e.json")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0 and "1 of 2 answers failed" in result.output
    assert len(json.loads((tmp_path / "e.json").read_text())) == len((tmp_path / "e.csv").read_text().splitlines()) - 1
    result = CliRunner().invoke(app, ["analyse", "errors", "--transitions", str(first), str(second)])
    assert result.exit_code == 0 and "from    pass   E3" in result.output
    result = CliRunner().invoke(app, ["analyse", "claims", str(first)])
    assert result.exit_code == 0 and "Not tested" in result.output
    result = CliRunner().invoke(app, ["analyse", "documentation", str(first)])
    assert result.exit_code == 0 and "--lr" in result.output
