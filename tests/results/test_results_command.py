"""`mlbench results` on logs: what is refused, what is skipped, how two runs are compared."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.records import Policy, UsageError
from mlbench.results.comparable import common_policy, refuse_incomparable
from mlbench.results.logs import read_runs
from mlbench.results.models import RunRecord
from mlbench.results.paired import PairedTest, compare
from mlbench.results.paired_tests import mcnemar, newcombe
from mlbench.results.paired_views import conclusions, paired_csv, paired_markdown, paired_records
from mlbench.suites.answered_by import AnsweredBy
from tests.results.log_factory import rows, run, sample, write_log


def log(file: Path, passes: str = "10", **about: Any) -> Path:
    samples = [sample(row, passed=sign == "1") for row, sign in enumerate(passes)]
    metadata = {"suite": "pocket", "suite_version": 1, "split": "quarter", "setting": "oracle", **about}
    return write_log(file, samples, metadata=metadata, task_id=file.stem)


def results(*words: str | Path) -> tuple[int, str, str, BaseException | None]:
    done = CliRunner().invoke(app, ["results", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr, done.exception


def comparisons_of(*words: str | Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(results(*words, "--paired", "--format", "json")[1])["comparisons"]
    return found


def refused(*words: str | Path) -> str:
    error = results(*words)[3]
    assert isinstance(error, UsageError), error
    return str(error)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"suite": "other"}, "a.eval is of the suite pocket, b.eval is of the suite other"),
        ({"suite_version": 2}, "a.eval is of suite version 1, b.eval is of suite version 2"),
        ({"split": "full"}, "a.eval is of the split quarter, b.eval is of the split full"),
    ],
)
def test_logs_that_cannot_be_compared_are_refused_with_both_names(
    tmp_path: Path, about: dict[str, Any], said: str
) -> None:
    log(tmp_path / "a.eval")
    log(tmp_path / "b.eval", **about)
    assert refused(tmp_path).startswith(f"{said}: they cannot be compared in one table")


def test_runs_that_no_policy_judged_together_are_refused_with_both_names() -> None:
    strict = replace(_only(Policy.STRICT), location="x/a.eval")
    paper = replace(_only(Policy.PAPER), location="x/b.eval")
    with pytest.raises(UsageError, match=r"a\.eval is judged under strict, b\.eval under paper"):
        common_policy([strict, paper], None)
    with pytest.raises(UsageError, match=r"b\.eval is not judged under strict, only under paper"):
        common_policy([strict, paper], Policy.STRICT)
    both = run(rows(["10"]), each=2)
    assert common_policy([both, paper], None) is Policy.PAPER
    assert common_policy([both], None) is Policy.STRICT


def _only(policy: Policy) -> RunRecord:
    made = run(rows(["10"]), each=2)
    kept = [replace(each, verdicts={policy: each.verdicts[policy]}) for each in made.attempts]
    return replace(made, attempts=tuple(kept))


def test_agents_and_models_of_two_splits_stand_in_two_grids_but_not_in_pairs() -> None:
    model, agent = run(rows(["1"]), each=1), run(rows(["1"]), each=1, agent="codeact", split="full")
    refuse_incomparable([model, agent])
    with pytest.raises(UsageError, match="of the split"):
        compare(model, agent, Policy.STRICT)


def test_a_log_that_cannot_be_read_is_skipped_by_name_and_the_rest_goes_on(tmp_path: Path) -> None:
    whole = log(tmp_path / "a.eval")
    (tmp_path / "cut.eval").write_bytes(whole.read_bytes()[:1500])
    (tmp_path / "other.json").write_text('{"not": "ours"}')
    write_log(tmp_path / "foreign.eval", [sample(1)], metadata={})
    write_log(tmp_path / "open.eval", [sample(1)], status="started")
    code, out, err, _ = results(tmp_path, "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert [each["log"] for each in found["runs"]] == ["a.eval"]
    skipped = {each["name"]: each["why"] for each in found["skipped"]}
    assert set(skipped) == {"cut.eval", "other.json", "foreign.eval", "open.eval"}
    assert "not finished" in skipped["open.eval"]
    assert "not of mlbench" in skipped["foreign.eval"]
    assert all(f"mlbench: skipped {name}: " in err for name in skipped)


def test_without_a_log_that_can_be_read_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "cut.eval").write_bytes(b"PK")
    assert "no log of mlbench in" in refused(tmp_path)
    assert "cut.eval: not an Inspect log" in refused(tmp_path)
    with pytest.raises(UsageError, match=r"cut\.eval: not an Inspect log"):  # so says `report`
        read_runs([tmp_path])
    assert "no such log or folder" in refused(tmp_path / "nosuch")
    assert "no logs are given" in refused()
    assert "--paired compares two runs, or runs of one model and setting; 1 were found" in refused(
        log(tmp_path / "a.eval"), "--paired"
    )


def test_runs_with_another_number_of_rows_are_shown_and_said(tmp_path: Path) -> None:
    log(tmp_path / "a.eval", "1100")
    log(tmp_path / "b.eval", "11")
    said = "These runs do not have the same number of rows: a.eval 4, b.eval 2."
    assert said in " ".join(results(tmp_path)[1].split())
    assert "number of rows" not in results(tmp_path / "a.eval")[1]


def test_the_collector_goes_on_after_the_command(tmp_path: Path) -> None:
    assert results(log(tmp_path / "a.eval"))[0] == 0
    assert gc.isenabled()


def test_a_file_is_written_and_a_folder_is_no_file(tmp_path: Path) -> None:
    made = log(tmp_path / "a.eval")
    for form in ("table", "json", "csv", "md"):
        target = tmp_path / f"out.{form}"
        assert results(made, "--format", form, "-o", target)[0] == 0
        assert "provider/model" in target.read_text().replace("\\", "")
    assert "cannot write" in str(results(made, "-o", tmp_path)[3])


def test_the_command_that_makes_a_run_again_is_shown(tmp_path: Path) -> None:
    arguments = {"suite": "pocket", "split": "quarter", "setting": "oracle", "k": 2, "sandbox": "bubblewrap"}
    limits = {"seconds": 60.0, "memory": 2147483648, "output": 1048576}
    made = write_log(
        tmp_path / "a.eval",
        [sample(1)],
        spec={
            "task_args": {**arguments, "limits": limits, "cache": False, "repo": None},
            "model_args": {"api_key": "sk-hidden", "service": "local 'one'"},
            "model_base_url": "http://user:hidden@127.0.0.1:8000/v1",
            "model": "openai/it's",
        },
    )
    shown = " ".join(results(made, "--show-config")[1].split())
    command = (
        "mlbench eval pocket --model 'openai/it'\"'\"'s' --base-url http://127.0.0.1:8000/v1"
        " -M 'service=local '\"'\"'one'\"'\"'' --split quarter --setting oracle -k 2 --sandbox bubblewrap --no-cache"
        " --run-limit 60 --memory-limit 2048 --output-limit 1"
    )
    assert command in shown
    assert "hidden" not in shown
    (found,) = json.loads(results(made, "--format", "json")[1])["runs"]
    assert found["command"] == command
    assert results(made)[1].count("mlbench eval") == 0


def pair(first: list[str], second: list[str], **about: Any) -> tuple[RunRecord, RunRecord]:
    each = len(first[0])
    return run(rows(first), each=each, location="a.eval"), run(rows(second), each=each, location="b.eval", **about)


def test_one_attempt_a_row_is_compared_by_mcnemar() -> None:
    found = compare(*pair(["1"] * 38 + ["0"] * 12, ["1"] * 36 + ["0"] * 2 + ["1"] * 12), Policy.STRICT)
    (rate,) = found.rates
    assert (rate.test, rate.n, len(rate.only_first), len(rate.only_second)) == (PairedTest.MCNEMAR, 50, 2, 12)
    assert rate.difference == pytest.approx(0.2)
    assert (rate.low, rate.high) == (pytest.approx(0.0569, abs=1e-4), pytest.approx(0.3404, abs=1e-4))  # Newcombe 1998
    assert rate.p == pytest.approx(0.012939, abs=1e-6)
    assert conclusions(found) == ["A and B differ at Pass@1: +20.0 points, +5.7 to +34.0 (exact McNemar, p = 0.013)."]


def test_no_difference_is_a_result_with_an_interval() -> None:
    same = ["1", "0"] * 20
    found = compare(*pair(same, same), Policy.STRICT)
    (rate,) = found.rates
    assert (rate.difference, rate.p, rate.differs) == (0.0, 1.0, False)
    assert rate.low < 0 < rate.high
    (said,) = conclusions(found)
    assert said.startswith("No difference is shown at Pass@1: 0.0 points, -")


def test_several_attempts_are_compared_by_a_bootstrap_over_rows() -> None:
    first, second = pair(["1000"] * 20 + ["0000"] * 20, ["1110"] * 20 + ["0000"] * 20)
    found = compare(first, second, Policy.STRICT)
    assert [rate.k for rate in found.rates] == [1, 2, 4]
    assert [rate.test for rate in found.rates] == [PairedTest.BOOTSTRAP, PairedTest.BOOTSTRAP, PairedTest.MCNEMAR]
    assert found.rates[0].difference == pytest.approx(0.25)
    assert 0 < found.rates[0].low < 0.25 < found.rates[0].high
    assert found.rates[0].differs
    assert not found.rates[2].differs
    assert compare(first, second, Policy.STRICT) == found


def test_only_rows_that_both_runs_scored_count() -> None:
    found = compare(*pair(["1", "0", "x", "1"], ["1", "x", "1", "1"]), Policy.STRICT)
    assert (found.rates[0].n, found.only_in_first, found.only_in_second) == (2, (1,), (2,))
    assert "1 rows are judged only in A and do not count: 1." in conclusions(found)
    with pytest.raises(UsageError, match=r"a\.eval and b\.eval have no row in common"):
        compare(*pair(["1", "x"], ["x", "1"]), Policy.STRICT)


def test_the_first_log_that_is_named_is_a(tmp_path: Path) -> None:
    """A was the older run, whichever log was named first."""
    older, newer = log(tmp_path / "a.eval", "1100"), log(tmp_path / "b.eval", "1111")
    for first, second in ((older, newer), (newer, older)):
        found = comparisons_of(first, second)[0]
        assert (found["first"], found["second"]) == (first.name, second.name)


def test_a_comparison_is_written_in_every_form(tmp_path: Path) -> None:
    log(tmp_path / "a.eval", "1100")
    log(tmp_path / "b.eval", "1111")
    said = "No difference is shown at Pass@1"
    assert said in " ".join(results(tmp_path, "--paired")[1].split())
    found = comparisons_of(tmp_path)[0]
    assert (found["first"], found["rates"][0]["only_second"], found["rates"][0]["differs"]) == ("a.eval", [2, 3], False)
    assert said in results(tmp_path, "--paired", "--format", "md")[1].replace("\\", "")
    assert (
        results(tmp_path, "--paired", "--format", "csv")[1]
        .splitlines()[1]
        .startswith("oracle,provider/model,provider/model,1,4,0.5,1.0,0.5,")
    )
    compared = [compare(*pair(["1"], ["1"]), Policy.STRICT)]
    assert all(view(compared) for view in (paired_csv, paired_records, paired_markdown))


def tuned_log(file: Path, passes: str, tuned_on: tuple[str, ...], setting: str = "oracle", **more: Any) -> Path:
    maker = AnsweredBy(
        model="small", tuned_on=tuned_on, split="quarter", setting=setting, context_tokens=4096, reply_tokens=512
    )  # type: ignore[arg-type]
    return log(file, passes, answered_by=maker.model_dump(), setting=setting, **more)


def test_raw_and_tuned_models_stand_as_in_table_3_and_are_compared(tmp_path: Path) -> None:
    """The names of the logs say nothing: what a log says of its answers decides name, order and pairs."""
    for setting in ("oracle", "retrieval"):
        tuned_log(tmp_path / f"1-{setting}.eval", "111110", ("id_train",), setting)
        tuned_log(tmp_path / f"2-{setting}.eval", "110000", (), setting)
        tuned_log(tmp_path / f"3-{setting}.eval", "111000", ("ood_train",), setting)
    log(tmp_path / "other.eval", "111111")
    found = comparisons_of(tmp_path)
    raw, ood, same = "small", "small (tuned, other repositories)", "small (tuned, same repositories)"
    for setting in ("oracle", "retrieval"):
        pairs = [(c["first_model"], c["second_model"]) for c in found if c["setting"] == setting]
        assert pairs == [(raw, ood), (raw, same), (ood, same)]
    assert [round(each["rates"][0]["difference"] * 6) for each in found] == [1, 3, 2] * 2
    text = " ".join(results(tmp_path, "--paired", "--published")[1].split())
    assert text.index(f"{raw} ") < text.index(ood) < text.index(same) < text.index("CodeLlama-7b (tuned")
    assert f"A: {raw}, 2-oracle.eval" in text and f"B: {ood}, 3-oracle.eval" in text
    assert len(results(tmp_path, "--paired", "--format", "csv")[1].splitlines()) == 7
    assert f"B: {ood}" in results(tmp_path, "--paired", "--format", "md")[1].replace("\\", "")


def test_runs_over_twins_are_set_aside(tmp_path: Path) -> None:
    twins = {"kind": "value", "seed": 1, "of": {"suite": "pocket", "version": 1, "split": "quarter"}}
    log(tmp_path / "a.eval", "1100")
    log(tmp_path / "twins.eval", "1111", suite="pocket-twins", twins=twins)
    code, out, err, _ = results(tmp_path)
    assert code == 0 and "50.0" in out and "skipped twins.eval: of twins; `mlbench analyse memory`" in err
    assert results(tmp_path / "twins.eval")[0] == 0


@pytest.mark.parametrize(("lost", "won", "p"), [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (3, 3, 1.0)])
def test_mcnemar_by_hand(lost: int, won: int, p: float) -> None:
    assert mcnemar(lost, won) == mcnemar(won, lost) == p


def test_an_interval_of_few_rows_is_wide() -> None:
    low, high = newcombe(4, 0, 0, 0)
    assert low < -0.4
    assert high > 0.4
