"""Agents' results: figures worked out on paper from logs that were made by running, the tables, the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from math import isclose
from pathlib import Path

import pytest
from rich.console import Console

from mlbench.reasons import Reason
from mlbench.records import Policy, UsageError
from mlbench.results.agents import stats_of_agents
from mlbench.results.format import mean, price
from mlbench.results.load_log import RunRecord, read_run
from mlbench.results.logs import read_runs
from mlbench.results.prices import NoPrice
from mlbench.results.published.published_records import published_agents
from mlbench.results.report import render_report
from mlbench.results.run_labels import label, labels
from mlbench.results.statistics import wilson
from mlbench.results.table import show
from mlbench.results.trajectories import Trajectory, TrajectoryStep, bounded, entries_kept, read_trajectories
from tests.results.agents_at_work import (
    CRASHES,
    ENDLESS,
    GIVES_UP,
    LONG,
    LOST,
    SCRIPTS,
    SOLVES,
    STEPS,
    UNPRICED,
    WRONG,
    agent_log,
)
from tests.results.log_factory import HOSTILE, fault, mixed, sample, write_log

ALL = (SOLVES, WRONG, ENDLESS, GIVES_UP, CRASHES, LOST)

Log = Callable[..., Path]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """Runs rows and gives the log."""
    with pytest.MonkeyPatch.context() as patch:
        yield lambda *rows, **more: agent_log(tmp_path_factory.mktemp("logs"), patch, *rows, **more)


@pytest.fixture(scope="module")
def every(log: Log) -> RunRecord:
    """A run in which each row goes another way."""
    return read_run(log(*ALL))


@pytest.fixture(scope="module")
def idle(log: Log) -> RunRecord:
    """A run of an agent that asks no model and leaves nothing."""
    return read_run(log(SOLVES, WRONG, model="mlbench/nothing", name="nothing"))


def _data(page: str) -> dict:  # type: ignore[type-arg]
    return json.loads(re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)[0])  # type: ignore[no-any-return]


def _shown(runs: list[RunRecord], policy: Policy = Policy.STRICT, width: int = 80) -> str:
    file = StringIO()
    show(runs, policy, Console(file=file, width=width))
    return file.getvalue()


def test_a_log_says_what_the_agent_did(every: RunRecord) -> None:
    assert (every.agent, every.sandbox, every.network, every.asks_model) == ("codeact", "bubblewrap", "index", True)
    by_row = {attempt.row: attempt for attempt in every.attempts}
    solved = by_row[SOLVES].work
    assert solved and (solved.outcome, solved.steps, solved.script) == ("ended", 3, SCRIPTS[SOLVES])
    assert (solved.packages, solved.left_out) == (("numpy==2.0", "own==1"), ("own==1",))
    assert solved.earlier == ("numpy==2.0",)
    assert by_row[SOLVES].candidate == SCRIPTS[SOLVES]
    crashed, endless = by_row[CRASHES].work, by_row[ENDLESS].work
    assert crashed and (crashed.outcome, crashed.detail) == ("crashed", "Traceback | KeyError: 'x'")
    assert endless and endless.outcome == "step-limit" and endless.steps >= STEPS and endless.script == ""
    assert by_row[GIVES_UP].faults == (fault("E5", Reason.GAVE_UP, "I'm sorry, I cannot do that."),)
    assert by_row[LOST].work is None and not by_row[LOST].scored


def test_where_models_answer_there_is_no_work(tmp_path: Path) -> None:
    run = read_run(write_log(tmp_path / "a.eval", [sample(7)]))
    assert run.agent == "" and run.asks_model and run.attempts[0].work is None


def test_success_and_price(every: RunRecord) -> None:
    found = stats_of_agents(every)
    assert (
        found.success[Policy.STRICT].solved,
        found.success[Policy.PAPER].solved,
        found.success[Policy.STRICT].scored,
    ) == (1, 2, 5)  # row 6 is not scored
    rate = found.success[Policy.STRICT].rate
    assert rate.value == 1 / 5 and (rate.low, rate.high) == wilson(1, 5)
    # every call of the model costs 10 cents, those of failures too
    calls = 2 * 3 + sum(attempt.work.steps for attempt in every.attempts if attempt.work and attempt.row in (3, 4))
    assert isinstance(found.price, float) and isclose(found.price, 0.1 * calls / 1)


def test_steps_and_tokens_are_those_of_the_attempts_that_came_to_an_end(every: RunRecord) -> None:
    found = stats_of_agents(every)
    limited = [attempt.work.steps for attempt in every.attempts if attempt.work and attempt.row in (3, 4)]
    assert found.worked == 5 and found.steps_median == 3
    assert found.steps_mean == (3 + 3 + sum(limited) + 0) / 5
    assert found.tokens == 100 * (6 + sum(limited)) / 5
    assert found.outcomes == {"ended": 2, "step-limit": 2, "crashed": 1}


def test_a_dash_says_why_there_is_no_price(log: Log, every: RunRecord, idle: RunRecord) -> None:
    assert stats_of_agents(idle).price is NoPrice.NO_MODEL
    assert stats_of_agents(read_run(log(SOLVES, model=UNPRICED))).price is NoPrice.UNKNOWN
    assert stats_of_agents(read_run(log(WRONG))).price is NoPrice.NONE_SOLVED
    first, *others = every.attempts
    partly = replace(every, attempts=(replace(first, usage=replace(first.usage, cost=None)), *others))
    assert stats_of_agents(partly).price is NoPrice.UNKNOWN  # a part of the sum would look cheap
    assert [price(value) for value in (NoPrice.UNKNOWN, 1.5)] == ["- (no prices)", "$1.50"]


def test_nothing_scored_has_no_figures(log: Log) -> None:
    found = stats_of_agents(read_run(log(LOST)))
    assert (found.success[Policy.STRICT].rate.value, found.steps_mean, found.tokens, found.seconds) == (
        None,
        None,
        None,
        None,
    )
    assert found.outcomes == {} and found.worked == 0
    assert "0/1 scored" in _shown([read_run(log(LOST))])


def test_several_attempts_a_row_each_count(log: Log) -> None:
    run = read_run(log(SOLVES, WRONG, epochs=2))
    found = stats_of_agents(run)
    assert (
        found.success[Policy.STRICT].solved,
        found.success[Policy.STRICT].scored,
        found.success[Policy.STRICT].rate.value,
    ) == (2, 4, 0.5)
    text = _shown([run])
    assert "2/4 solved" in text and "Pass@2" in text


def test_labels_name_the_agent_and_its_model(every: RunRecord, idle: RunRecord) -> None:
    assert labels([every, idle, replace(every, network="none")]) == [
        "codeact · mockllm/priced index",
        "nothing",
        "codeact · mockllm/priced none",
    ]
    assert label(replace(every, agent="", model="provider/model")) == "provider/model"
    assert label(replace(idle, agent="", model="mlbench/nothing")) == "mlbench/nothing"
    assert [mean(value) for value in (None, 9.5, 9.0, 25_587.25)] == ["-", "9.5", "9", "25,587"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_shows_agents_side_by_side(every: RunRecord, idle: RunRecord, width: int) -> None:
    text = _shown([every, idle], width=width)
    assert max(map(len, text.splitlines())) <= width
    for part in ("pocket, agents", "codeact", "nothing", "20.0 4-62", "1/5 solved", "2/5 solved", "- (no model)"):
        assert part in text
    assert "5/6 scored" in text and "operational" in text and "step-limit" in text


def test_published_results_stand_under_agents_of_their_suite_alone(every: RunRecord) -> None:
    assert "Published: " not in _shown([every]) and "published-agents" not in render_report([every])  # of pocket
    theirs = replace(every, suite="ml-bench")
    assert "published-agents-0-strict" in render_report([theirs])
    text = _shown([theirs])
    block = text.split("Published: ")[1]
    assert "Other data, other" in block
    for line in published_agents():
        assert f"{line.success:.2f}" in block and line.model in block
    assert "47 of 68 rows are 69.12 %" in " ".join(block.split())
    assert "Published" not in _shown([mixed()])


def test_a_run_under_interface_shows_no_other_policy(every: RunRecord) -> None:
    attempts = tuple(
        replace(
            each,
            verdicts={Policy.INTERFACE: replace(each.verdicts[Policy.STRICT], policy=Policy.INTERFACE)}
            if Policy.STRICT in each.verdicts
            else {},
        )
        for each in every.attempts
    )
    run = replace(every, attempts=attempts)
    text = " ".join(_shown([run], Policy.STRICT).split())
    assert "success, interface" in text and "success, strict" not in text and "1/5 solved" in text
    assert "nothing was run" in text and "pass under interface" in text
    page = render_report([run])
    assert "nothing was run" in page and ">paper<" not in page


def test_agents_and_answers_of_one_suite_are_two_groups(every: RunRecord, tmp_path: Path) -> None:
    answers = read_run(write_log(tmp_path / "a.eval", [sample(7)]))
    text = _shown([every, answers], Policy.INTERFACE)
    assert text.index("policy strict") < text.index("pocket, agents")  # neither was judged under interface
    page = render_report([every, answers])
    assert "answers: task version 1, suite version ? · agents: task version 1, suite version 1" in page
    data = _data(page)
    assert data["runs"] == ["provider/model", "codeact · mockllm/priced"]
    assert {attempt["run"] for attempt in data["attempts"] if "work" in attempt} == {1}
    assert 'href="#policy=strict&amp;run=2&amp;ended=step-limit">2</a>' in page
    assert len(re.findall(r'id="[^"]*"', page)) == len(set(re.findall(r'id="[^"]*"', page)))


def test_agents_of_two_versions_are_refused(every: RunRecord) -> None:
    with pytest.raises(UsageError, match="different task versions"):
        _shown([every, replace(every, version="2")])


def test_a_folder_holds_both(log: Log, tmp_path: Path) -> None:
    agents = log(SOLVES)
    write_log(agents.parent / "a.eval", [sample(7)])
    assert {run.agent for run in read_runs([agents.parent])} == {"", "codeact"}


def test_a_policy_that_judged_no_agent_says_so(every: RunRecord) -> None:
    first, *others = mixed().attempts
    interface = {Policy.INTERFACE: replace(first.verdicts[Policy.STRICT], policy=Policy.INTERFACE)}
    answers = replace(mixed(), attempts=(replace(first, verdicts={**first.verdicts, **interface}), *others))
    page = render_report([answers, every])
    assert page.count("Agents are not judged under interface: choose strict or paper above.") == 1


def test_the_page_holds_an_agents_work(every: RunRecord) -> None:
    page = render_report([every])
    assert "- (no model)" not in page and "1/5" in page and "Other data, other judge" not in page
    data = _data(page)
    attempts = {attempt["row"]: attempt for attempt in data["attempts"]}
    work = attempts[SOLVES]["work"]
    assert (work["outcome"], work["packages"], work["left_out"]) == ("ended", ["numpy==2.0", "own==1"], ["own==1"])
    assert data["texts"][work["script"]] == SCRIPTS[SOLVES]
    assert [step[0] for step in attempts[SOLVES]["steps"]] == ["model", "tool", "model", "tool", "model", "tool"]
    kind, reason, evidence = attempts[GIVES_UP]["errors"][0]
    assert (kind, reason, data["texts"][evidence]) == ("E5", "gave-up", "I'm sorry, I cannot do that.")
    assert "work" not in attempts[LOST]


def test_a_trajectory_is_what_the_model_said_and_heard(every: RunRecord) -> None:
    taken = read_trajectories(every.location)
    steps = taken[SOLVES, 1].steps
    assert steps[0] == TrajectoryStep("model", "I look.\n\n→ look: train.py")
    assert steps[1].by == "tool" and steps[1].tool == "look"
    assert steps[1].text.startswith("first line") and steps[1].text.endswith("last line")
    assert len(steps[1].text) < 2_100 < len(LONG)
    assert 'script="python train.py --lr 0.1\\n", note="as told"' in steps[2].text
    assert steps[-1] == TrajectoryStep("tool", "done", "submit")  # what the model never saw is there as well
    told = [step for step in taken[GIVES_UP, 1].steps if step.by == "told"]
    assert told and "submit" in told[0].text
    for attempt in every.attempts:
        if attempt.work:
            said = [step for step in taken[attempt.row, attempt.number].steps if step.by == "model"]
            assert len(said) == attempt.work.steps
    assert taken[CRASHES, 1].steps == ()


def test_a_long_trajectory_keeps_its_ends() -> None:
    steps = [TrajectoryStep("model", str(number)) for number in range(1_000)]
    short = bounded(steps, 40)
    assert len(short.steps) == 40 and (short.head, short.left_out) == (24, 960)
    assert [short.steps[at].text for at in (0, 23, 24, 39)] == ["0", "23", "984", "999"]
    assert bounded(steps[:40], 40) == Trajectory(tuple(steps[:40]), 40, 0)


def test_a_page_of_few_attempts_keeps_whole_trajectories() -> None:
    """Forty entries were kept of each attempt, also if there was one: less than the published fifty steps."""
    assert [entries_kept(attempts) for attempts in (0, 1, 50, 100, 1_000)] == [240, 240, 240, 120, 40]


def test_a_log_that_went_away_is_said(every: RunRecord, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the steps cannot be read") as caught:
        render_report([replace(every, location=str(tmp_path / "none.eval"))])
    assert "\n" not in str(caught.value)


def test_what_an_agent_left_stays_data(every: RunRecord) -> None:
    first, *others = every.attempts
    assert first.work
    ours = HOSTILE.replace("\ud800", "")  # it has passed through a log
    changes = {"outcome": ours, "detail": ours, "script": ours, "packages": (ours,)}
    hostile = first.work.model_copy(update=changes)
    run = replace(every, agent=HOSTILE, attempts=(replace(first, work=hostile), *others))
    page = render_report([run])
    page.encode()
    assert "<img" not in page and page.count("<script") == 2 and page.count("</script>") == 2
    text = _shown([run])
    assert "\x1b" not in text and "\x00" not in text


def test_an_unfinished_run_of_agents_goes_on_with_its_own_verb(tmp_path: Path) -> None:
    about = {"suite": "pocket", "agent": "codeact"}
    file = write_log(tmp_path / "a.eval", [sample(7)], status="started", metadata=about)
    with pytest.raises(UsageError, match="mlbench agent --resume"):
        read_run(file)
