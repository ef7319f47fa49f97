"""Experiments' results: figures worked out on paper from logs that were made by running, the tables, the page."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from math import isclose
from pathlib import Path
from statistics import fmean

import pytest
from rich.console import Console

from mlbench.evals.mlagentbench.problem import PROBLEMS
from mlbench.evals.mlagentbench.snapshots import SnapshotStep as Kept
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.workspace_diff import Increment
from mlbench.records import Policy, UsageError
from mlbench.results.benches import benches
from mlbench.results.format import change, change_between, score
from mlbench.results.load_log import read_run
from mlbench.results.logs import read_runs
from mlbench.results.mlagentbench.figures import findings
from mlbench.results.mlagentbench.models import ExperimentResult, Point
from mlbench.results.mlagentbench.published_rule import threshold_rates
from mlbench.results.mlagentbench.statistics import Mean, mean_over_repeats
from mlbench.results.mlagentbench.trace import MOST, read_trace
from mlbench.results.models import NO_MODEL, RunRecord
from mlbench.results.prices import NoPrice
from mlbench.results.report import render_report
from mlbench.results.run_labels import label
from mlbench.results.statistics import share, wilson
from mlbench.results.table import show
from mlbench.score_records import ScoredStarter
from tests.results.experiments_at_work import PUBLISHED, UNPRICED, Way, experiment_log, steps_in
from tests.results.log_factory import HOSTILE, mixed, sample, write_log

WAYS = {
    "cifar10": [
        Way(0.7, claim=0.7, progress=[0.5, None, 0.8, 0.7], errors={"failed-script": 2}),
        Way(0.54, claim=0.9, outcome="step-limit"),
        Way(None, claim=0.9),
        Way(None, outcome="crashed"),
        Way(0.5, lost=True),
    ],
    "house-price": [Way(0.4), Way(0.3, errors={"failed-script": 1, "no-such-file": 1}), *3 * [Way(0.6)]],
}
"""Two problems, five attempts each. For the second one, less is better."""

Log = Callable[..., Path]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    yield lambda ways, **more: experiment_log(tmp_path_factory.mktemp("logs"), ways, **more)


@pytest.fixture(scope="module")
def run(log: Log) -> RunRecord:
    return read_run(log(WAYS))


@pytest.fixture(scope="module")
def trivial(log: Log) -> RunRecord:
    return read_run(log({"cifar10": [Way(0.5)]}, model=NO_MODEL, agent="trivial"))


def _shown(runs: list[RunRecord], width: int = 80) -> str:
    file = StringIO()
    show(runs, Policy.STRICT, Console(file=file, width=width))
    return file.getvalue()


def _data(page: str) -> dict:  # type: ignore[type-arg]
    return json.loads(re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)[0])  # type: ignore[no-any-return]


def test_a_log_becomes_experiments(run: RunRecord) -> None:
    assert (run.agent, run.data, run.suite, run.attempts) == ("research_agent", "lite", "experiments", ())
    assert (run.expected, run.scored, run.each) == (10, 9, 5)
    first = run.experiments[0]
    assert (first.problem.name, first.number, first.score, first.success) == ("cifar10", 1, 0.7, True)
    assert (first.problem.metric.better, first.problem.lite, first.problem.published) == (
        "higher",
        "generated data",
        PUBLISHED,
    )
    assert (first.starter, first.reference) == (ScoredStarter(mean=0.5, spread=0.01, n=3), 0.9)
    assert first.best() == 0.8 and first.progress[1] == Point(1, None)
    assert (first.usage.tokens_in, first.usage.tokens_out) == (180, 20)
    assert [each.best() for each in run.experiments if each.problem.name == "house-price"][:2] == [0.4, 0.3]


def test_each_attempt_has_one_result_and_they_add_up(run: RunRecord) -> None:
    found = findings(run)
    assert found.results == {
        ExperimentResult.IMPROVED: 3,
        ExperimentResult.EASY_WIN: 0,
        ExperimentResult.SUSPECT: 0,
        ExperimentResult.NOT_IMPROVED: 4,
        ExperimentResult.INVALID: 1,
        ExperimentResult.CRASHED: 1,
        ExperimentResult.LOST: 1,
    }
    assert sum(found.results.values()) == found.started == 10


def test_success_has_every_started_attempt_in_the_denominator(run: RunRecord) -> None:
    found = findings(run)
    assert (found.succeeded, found.started, found.graded) == (3, 10, 9)
    assert (found.success.value, found.success.low, found.success.high) == (3 / 10, *wilson(3, 10))
    cifar = found.at("cifar10")
    assert cifar and (cifar.succeeded, cifar.started, cifar.valid) == (1, 5, 2)
    assert (cifar.success.value, cifar.success.low) == (1 / 5, wilson(1, 5)[0])


def test_improvement_is_of_valid_submissions_and_a_problem_counts_once(run: RunRecord) -> None:
    found = findings(run)
    cifar, house = found.at("cifar10"), found.at("house-price")
    assert cifar and house and cifar.improvement and house.improvement and found.improvement
    assert isclose(cifar.improvement.value, (0.4 + 0.08) / 2)
    assert isclose(house.improvement.value, (0.2 + 0.4 - 3 * 0.2) / 5, abs_tol=1e-12)
    assert isclose(found.improvement.value, (cifar.improvement.value + house.improvement.value) / 2)
    assert found.improvement.low is not None and found.improvement.low < found.improvement.value
    assert cifar.scale is not None and isclose(cifar.scale, fmean([0.5, 0.1]))
    assert (cifar.final, cifar.best) == (fmean([0.7, 0.54]), 0.8)
    assert (house.final, house.best) == (fmean([0.4, 0.3, 0.6, 0.6, 0.6]), 0.3)


def test_claims_outcomes_and_errors_are_counted(run: RunRecord) -> None:
    found = findings(run)
    assert found.false_claims == 2  # 0.9 beside 0.54, and beside nothing valid
    assert found.outcomes == {"ended": 7, "step-limit": 1, "crashed": 1}
    assert found.errors == {"failed-script": 3, "no-such-file": 1}


def test_what_it_took(run: RunRecord, trivial: RunRecord, log: Log) -> None:
    found = findings(run)
    assert (found.steps, found.tokens, found.seconds) == (2, 200, 12.5)
    assert found.cost is not None and isclose(found.cost, 0.2)  # two calls at 10 cents
    assert isinstance(found.price, float) and isclose(found.price, 9 * 0.2 / 3)
    unpriced = findings(read_run(log({"cifar10": [Way(0.7)]}, model=UNPRICED)))
    assert (unpriced.cost, unpriced.price) == (None, NoPrice.UNKNOWN)
    assert (findings(trivial).cost, findings(trivial).price) == (None, NoPrice.NO_MODEL)
    assert label(trivial) == "trivial"
    some = replace(run.experiments[0], usage=replace(run.experiments[0].usage, cost=None))
    partly = findings(replace(run, experiments=(some, *run.experiments[1:])))
    assert (partly.cost, partly.price) == (None, NoPrice.UNKNOWN)  # the rest alone would look cheap


def test_where_every_attempt_has_a_starter_of_its_own_they_are_averaged(log: Log) -> None:
    found = findings(read_run(log({"cifar10": [Way(0.7, starter=0.5), Way(0.7, starter=0.3)]})))
    starter = found.by_problem[0].starter
    assert starter and isclose(starter.mean, 0.4) and isclose(starter.spread, 0.2 / 2**0.5) and starter.n == 2


def test_intervals_over_repeats() -> None:
    assert mean_over_repeats([[], []]) is None
    assert mean_over_repeats([[0.2], [0.4]]) == Mean(0.2 / 2 + 0.4 / 2)
    found = mean_over_repeats([[0.0, 1.0], [0.5]])
    assert found == Mean(0.5, 0.25, 0.75)  # the first group's mean is 0, 0.5 or 1; its ends are drawn often enough
    assert mean_over_repeats([[0.3, 0.3]]) == Mean(0.3, 0.3, 0.3)
    assert share(0, 0).value is None and share(1, 4).value == 0.25


def test_an_endless_improvement_is_none_and_still_a_success(log: Log) -> None:
    run = read_run(log({"cifar10": [Way(0.7, starter=0.0)]}))
    found = findings(run)
    assert found.succeeded == 1 and found.improvement is None and run.experiments[0].improvement is None
    assert "1/1" in _shown([run]) and render_report([run])


def test_an_absurd_error_does_not_outweigh_the_others(log: Log) -> None:
    run = read_run(log({"cifar10": [Way(0.75), Way(-1e300)]}))
    [stats] = findings(run).by_problem
    assert stats.improvement and isclose(stats.improvement.value, (0.5 - 1) / 2)
    assert stats.scale is not None and -1 <= stats.scale < 0


def test_what_is_too_good_to_be_true_is_to_be_looked_at(log: Log) -> None:
    def looked_at(limit: float | None) -> bool:
        run = read_run(log({"cifar10": [Way(0.7)]}))
        [found] = run.experiments
        metric = found.problem.metric.model_copy(update={"suspect": limit})
        found = replace(found, problem=replace(found.problem, metric=metric))
        run = replace(run, experiments=(found,))
        said = "too good to be true; `mlbench" in _shown([run], 160)
        assert said == ("cifar10: 1 score too good to be true" in render_report([run]))
        return said

    assert (looked_at(0.7), looked_at(0.71), looked_at(None)) == (True, False, False)


def test_figures_are_the_same_again(run: RunRecord) -> None:
    assert findings(run) == findings(run)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_the_tables_fit(run: RunRecord, width: int, number: int) -> None:
    text = _shown([replace(run, agent=f"agent-{at}") for at in range(number)], width)
    assert max(map(len, text.splitlines())) <= width and "\x1b" not in text
    for at in range(number):
        assert f"agent-{at}" in text
    if width > 60:
        assert "…" not in text


def test_the_tables_say_what_the_data_are(run: RunRecord, trivial: RunRecord) -> None:
    text = _shown([run, trivial])
    titles = [line for line in text.splitlines() if re.match(r"\S.*(data|published)", line, re.IGNORECASE)]
    for title in ("experiments", "Effort", "By problem", "Scores", "Results of", "How agents", "Actions"):
        assert any(line.startswith(title) and "lite" in line for line in titles), title
    assert "Published: MLAgentBench" not in text, "other data: published figures cannot be set beside them"
    for part in (
        "9/10 scored",
        "30.0 11-60",
        "3/10",
        "- (no model)",
        "crashed, nothing valid left",
        "invalid submission",
    ):
        assert part in text, part
    assert "62.5" not in text and "0.5 ± 0.01" in text and "failed-script" in text


def test_three_benches_stand_beside_one_another(run: RunRecord, log: Log, tmp_path: Path) -> None:
    answers = read_run(write_log(tmp_path / "a.eval", [sample(7)]))
    assert [bench.title for bench in benches([run, answers])] == ["Answers", "Experiments"]
    text = _shown([run, answers])
    assert "pocket, policy strict" in text and "experiments, lite data" in text
    page = render_report([run, answers])
    assert "<h1>pocket, experiments</h1>" in page
    data = _data(page)
    assert [attempt.get("experiment") is not None for attempt in data["attempts"]] == [False, *10 * [True]]
    assert all(set(attempt["verdicts"]) in ({"strict", "paper"}, set()) for attempt in data["attempts"])
    experiments = Path(run.location)
    assert {found.suite for found in read_runs([experiments, tmp_path / "a.eval"])} == {"experiments", "pocket"}


def test_other_data_are_another_group(run: RunRecord) -> None:
    full = replace(run, data="full")
    assert [bench.suite for bench in benches([run, full])] == ["experiments, lite data", "experiments, full data"]
    page = render_report([run, full])
    assert page.count('<h2 class="suite">experiments, ') == 2
    ids = re.findall(r' id="[^"]*"', page)
    assert len(ids) == len(set(ids))


def test_published_results_stand_beside_published_data_alone(run: RunRecord) -> None:
    """They stood below runs on small data as well, as if the figures could be compared."""
    for data in ("lite", "full", "full (seed 7)"):
        other = replace(run, data=data)
        assert "Claude 3 Opus" not in render_report([other]) and "Claude" not in _shown([other])
    published = replace(run, data="published")
    page, text = render_report([published]), _shown([published])
    assert "The published data" in page and "in place of the published ones" not in page
    assert "Published: MLAgentBench" in text and "62.5" in text and '<td class="n">62.5</td>' in page


def test_success_as_published_stands_beside_the_published_figures(run: RunRecord) -> None:
    published = replace(run, data="published")
    text, page = " ".join(_shown([published]).split()), render_report([published])
    for shown in (text, page):
        assert "Published: MLAgentBench" in shown or "MLAgentBench, success in per cent of 8 runs" in shown
        assert "Success by improvement over the starter" in shown and "at any point" in shown
    assert "62.5" in text
    rates = threshold_rates(published.experiments)
    counts = [(each.threshold, each.final.value) for each in rates]
    assert [threshold for threshold, _ in counts] == [0.05, 0.1, 0.3]
    values = [value for _, value in counts]
    assert values == sorted(values, reverse=True) and values[0] > values[-1]
    assert all(each.any_point and each.any_point.value >= each.final.value for each in rates)
    without = [replace(each, progress=()) for each in published.experiments]
    assert [each.any_point for each in threshold_rates(without)] == [None] * 3


def test_the_page_has_every_experiment(run: RunRecord, trivial: RunRecord) -> None:
    page = render_report([run, trivial])
    attempts = _data(page)["attempts"]
    assert len(attempts) == 11 and "<h2" in page and "Published" not in page
    first = attempts[0]
    assert (first["row"], first["repo"], first["n"]) == ("cifar10", "cifar10", 1)
    assert first["verdicts"]["strict"][:3] == [True, "grading", "improved"]
    assert first["experiment"]["progress"][1] == [1, "-"]
    assert attempts[4]["verdicts"] == {} and attempts[4]["error"] is not None
    assert "lite data" in page and page.count("<svg") == 3
    assert 'aria-label="Score over time: improvement after each step' in page


def test_texts_of_a_log_are_inert(log: Log) -> None:
    text = HOSTILE.replace("\ud800", "")
    ways = {"cifar10": [Way(0.7, words=text, folder=text, outcome=text, errors={text: 1})]}
    page = render_report([read_run(log(ways))])
    assert "<img" not in page and not set("\x1b\u202e") & set(page)
    assert not set("\x1b\u202e") & set(_shown([read_run(log(ways))]))


def test_a_name_that_no_problem_has_is_refused(log: Log) -> None:
    with pytest.raises(UsageError, match="is no problem's name"):
        read_run(log({"cifar10": [Way(0.7)]}, names={"cifar10": "../etc"}))


def _archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def test_kept_steps_show_what_changed(tmp_path: Path) -> None:
    starter = (PROBLEMS / "cifar10" / "visible" / "train.py").read_text()
    better = starter.replace(starter.splitlines()[0], "# better", 1)
    kept = Steps(tmp_path)
    kept.add(Kept(0, "Read File", {"file_name": "train.py"}, 3_000 * "x"), Increment())
    files = {"train.py": better.encode(), "model.bin": b"\0\1", "big.txt": b"x" * 200_000}
    edit = Kept(1, "Edit Script (AI)", {"script_name": "train.py"})
    kept.add(edit, Increment(_archive(files), tuple(files), ("a.csv",)))
    again = {"train.py": better.replace("# better", "# best").encode()}
    kept.add(Kept(2, "Execute Script", {}, "boom", "failed-script", 1.5), Increment(_archive(again), tuple(again)))
    steps = read_trace(str(tmp_path), "cifar10").steps
    assert [step.by for step in steps] == ["action", "seen", "action", "seen", "changed", "action", "seen", "changed"]
    assert steps[0].tool == "0 · Read File" and steps[0].text == "file_name: train.py"
    assert "characters left out" in steps[1].text
    changed = steps[4]
    assert changed.tool == "train.py, model.bin, big.txt, a.csv (removed)"
    assert "+# better" in changed.text and f"-{starter.splitlines()[0]}" in changed.text and "xxx" not in changed.text
    assert steps[6].tool == "1.5 s · failed-script"
    assert "-# better\n+# best" in steps[7].text  # held against the step before, not against the starter


def test_the_reply_stands_before_its_step(tmp_path: Path) -> None:
    steps_in(
        tmp_path,
        [
            {"action": "Read File", "reply": "I look first."},
            {"action": "List Files"},
            {"action": "turn", "reply": "ls"},
        ],
    )
    steps = read_trace(str(tmp_path), "cifar10").steps
    assert [step.by for step in steps] == ["model", "action", "seen", "action", "seen", "model", "seen"]
    assert steps[0].text == "I look first."
    assert (steps[5].tool, steps[5].text) == ("2 · turn", "ls")


def test_what_is_no_trace_is_none(tmp_path: Path) -> None:
    assert read_trace("", "cifar10").steps == ()
    assert read_trace(str(tmp_path / "gone"), "cifar10").steps == ()
    assert read_trace("a\0b", "cifar10").steps == ()
    (tmp_path / "steps.jsonl").write_text('{"number": 0, "other": 1}\n')
    assert read_trace(str(tmp_path), "cifar10").steps == ()
    (tmp_path / "steps.jsonl").write_text("no json\n")
    assert read_trace(str(tmp_path), "cifar10").steps == ()


def test_a_spoilt_archive_is_passed_over(tmp_path: Path) -> None:
    steps_in(tmp_path, [{"action": "Write File", "changed": ["train.py"], "digest": "0" * 64}])
    assert [step.by for step in read_trace(str(tmp_path), "other").steps] == ["action", "seen", "changed"]
    (tmp_path / "step-000.tgz").write_bytes(b"\x1f\x8b no archive")
    assert read_trace(str(tmp_path), "other").steps[2].text == "(no text that is compared)"


def test_a_long_trace_is_bounded(tmp_path: Path) -> None:
    trace = read_trace(steps_in(tmp_path, 500 * [{"action": "Read File", "observation": 9_000 * "x"}]), "cifar10")
    assert len(trace.steps) == MOST and trace.left_out == 1000 - MOST
    assert max(len(step.text) for step in trace.steps) < 2_100
    assert max(len(step.text) for step in read_trace(str(tmp_path), "cifar10", 500).steps) < 600


def test_the_page_takes_kept_steps_and_else_the_logs(log: Log, tmp_path: Path) -> None:
    folder = steps_in(tmp_path, [{"action": "Execute Script", "observation": "ran"}])
    run = read_run(log({"cifar10": [Way(0.7, folder=folder), Way(0.7)]}))
    kept, logged = _data(render_report([run]))["attempts"]
    assert [step[0] for step in kept["steps"]] == ["action", "seen"]
    assert [step[0] for step in logged["steps"]] == ["model", "model"]


def test_a_score_of_another_shape_says_so(tmp_path: Path) -> None:
    made = sample(7, changes={"metadata": {"problem": "cifar10"}})
    about = {"experiment": True, "suite": "experiments", "agent": "react", "data": "lite"}
    file = write_log(tmp_path / "a.eval", [made], metadata=about)
    with pytest.raises(UsageError, match="run mlbench experiment again"):
        read_run(file)
    with pytest.raises(UsageError, match="mlbench experiment --resume"):
        read_run(write_log(tmp_path / "b.eval", [made], metadata=about, status="started"))


def test_words() -> None:
    assert [change(value) for value in (0.234, -0.05, 0.0, 12.345, None)] == ["+23.4", "-5.0", "+0.0", "+1,234", "-"]
    assert change_between(Mean(0.2, 0.1, 0.3)) == "10-30" and change_between(Mean(0.2, -0.1, 0.3)) == "-10 to 30"
    assert change_between(Mean(0.2)) == "" and change_between(None) == ""
    assert [score(value) for value in (39900.4, 0.71234, 0.0026, None)] == ["39,900", "0.7123", "0.0026", "-"]


def test_answers_have_no_part_of_experiments() -> None:
    assert "Experiments" not in render_report([mixed()])
