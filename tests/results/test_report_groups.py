"""The page of several suites, its error classes by repository, and success against cost."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from itertools import pairwise

import pytest
from rich.console import Console

from mlbench.reasons import Reason
from mlbench.records import Policy, UsageError
from mlbench.results import plots
from mlbench.results.aggregate import summarise
from mlbench.results.benches import benches, headings
from mlbench.results.cost_plots import RateAtCost, against_cost, in_dollars, success_at_cost
from mlbench.results.mlagentbench.plots import mean_gains
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.report import render_report
from mlbench.results.report_counts import classes_in, errors_by_repository
from mlbench.results.run_labels import labels
from mlbench.results.statistics import NO_RATE
from mlbench.results.table import show
from mlbench.results.usage import Usage
from tests.results.log_factory import HOSTILE, attempt, fault, mixed, run

NEEDS_REPORT = pytest.mark.skipif(not plots.available(), reason="needs pip install mlbench-harness[report]")


def _other(**more: object) -> RunRecord:
    return replace(mixed(), suite="other", **more)  # type: ignore[arg-type]


def _shown(runs: list[RunRecord]) -> str:
    file = StringIO()
    show(runs, Policy.STRICT, Console(file=file, width=80))
    return file.getvalue()


def test_two_suites_are_two_groups_with_a_heading_each() -> None:
    """They were refused, so that one folder of logs of two suites had no report."""
    runs = [mixed(), _other(), replace(mixed(), model="b")]
    found = benches(runs)
    assert [(bench.suite, len(bench.runs)) for bench in found] == [("pocket", 2), ("other", 1)]
    assert headings(found) == ["pocket", "other"] and headings(found[:1]) == [""]
    page = render_report(runs)
    assert re.findall(r'<h2 class="suite">(.*?)</h2>', page) == 2 * ["pocket", "other"]  # under two policies
    assert "<h1>pocket, other</h1>" in page and "other, answers: task version" in page
    ids = re.findall(r' id="[^"]*"', page)
    assert len(ids) == len(set(ids))
    text = _shown(runs)
    assert text.index("pocket ──") < text.index("pocket, policy strict") < text.index("other ──")
    assert max(map(len, text.splitlines())) <= 80 and "──" not in _shown([mixed()]).splitlines()[0]


def test_agents_stand_below_the_answers_of_their_suite_under_one_heading() -> None:
    agents = [replace(each, agent="codeact") for each in (mixed(), _other())]
    found = benches([mixed(), _other(), *agents])
    assert [(bench.suite, bench.title) for bench in found] == [
        ("pocket", "Answers"),
        ("pocket", "Agents"),
        ("other", "Answers"),
        ("other", "Agents"),
    ]
    assert headings(found) == ["pocket", "", "other", ""]


def test_versions_of_one_suite_are_still_refused() -> None:
    with pytest.raises(UsageError, match="the logs of other are of different task versions"):
        render_report([mixed(), _other(), _other(version="2")])


def test_a_run_of_another_suite_has_the_suite_in_its_label() -> None:
    assert labels([mixed(), _other()]) == ["provider/model pocket", "provider/model other"]


def test_a_hostile_name_of_a_suite_stays_text() -> None:
    page = render_report([mixed(), _hostile()])
    page.encode()
    assert "<img" not in page and page.count("<script") == 2 and page.count("</script>") == 2
    assert not set("\x00\x1b\u202e") & set(page)
    assert "\x1b" not in _shown([mixed(), _hostile()])


def _hostile() -> RunRecord:
    failed = _wrong(1, HOSTILE, HOSTILE)
    return run([failed], each=1, suite=HOSTILE, model=HOSTILE)


def _wrong(row: int, repository: str, *kinds: str) -> AttemptRecord:
    faults = tuple(fault(kind, Reason.WRONG_VALUE, "") for kind in kinds)
    return replace(attempt(row, 1, False, repository=repository), faults=faults)


def _failing() -> RunRecord:
    attempts = [
        _wrong(1, "lichen", "E1"),
        _wrong(2, "lichen", "E2/choices", "E2/domain"),
        _wrong(3, "lichen", "E1", "E3"),
        _wrong(4, "moss"),
    ]
    return run([*attempts, attempt(5, 1, True, repository="lichen")], each=1)


def test_errors_by_repository_count_an_attempt_once_in_each_class() -> None:
    lines = errors_by_repository([summarise(_failing(), Policy.STRICT)], Policy.STRICT)
    (lichen,), (moss,) = lines["lichen"], lines["moss"]
    assert (lichen.failures, lichen.answers, dict(lichen.counts)) == (3, 4, {"E1": 2, "E2": 1, "E3": 1})
    assert lichen.share("E1") == 2 / 3 and lichen.share("E5") == 0
    assert dict(moss.counts) == {"none": 1} and classes_in(lines) == ["E1", "E2", "E3", "none"]


def test_each_count_of_the_page_leads_to_its_attempts() -> None:
    page = render_report([_failing()])
    assert "Error classes by repository" in page
    assert 'href="#policy=strict&amp;run=1&amp;repo=lichen&amp;error=E1">2</a>' in page
    assert 'href="#policy=strict&amp;run=1&amp;repo=moss&amp;error=none">1</a>' in page
    assert 'href="#policy=strict&amp;run=1&amp;repo=lichen&amp;outcome=failed">3/4</a>' in page
    passed = render_report([run([attempt(1, 1, True)], each=1)])
    assert "Error classes by repository" not in passed


def _priced(cost: float | None) -> RunRecord:
    attempts = [replace(attempt(row, 1, True), usage=Usage(90, 10, cost)) for row in range(4)]
    return run(attempts, each=1)


def test_the_cost_of_an_attempt_is_the_mean_of_those_that_began() -> None:
    begun = _priced(0.5)
    never = replace(begun.attempts[0], row=9, verdicts={}, usage=Usage(), error="the run ended before this attempt")
    point = success_at_cost(summarise(replace(begun, attempts=(*begun.attempts, never)), Policy.STRICT), "a")
    assert (point.rate.value, point.dollars, point.tokens) == (1.0, 0.5, 100)
    nobody = replace(_priced(None), agent="gold", model="mlbench/nothing")
    assert success_at_cost(summarise(nobody, Policy.STRICT), "b").dollars == 0


def test_costs_are_in_tokens_if_a_price_is_unknown() -> None:
    priced, free, unknown = (RateAtCost("a", NO_RATE, dollars, 10) for dollars in (0.5, 0.0, None))
    assert in_dollars([priced, free]) and not in_dollars([priced, unknown]) and not in_dollars([free])


@NEEDS_REPORT
def test_a_plot_of_costs_names_every_run_once_and_none_over_another() -> None:
    """Labels of runs with the same cost and success stood one over the other."""
    summary = summarise(_priced(0.5), Policy.STRICT)
    names = [f"agent-{at} · provider/model-{at}" for at in range(5)]
    drawn = against_cost([success_at_cost(summary, name) for name in names], names)
    assert drawn is not None and "dollars an attempt" in drawn
    places = re.findall(r'translate\(([\d.]+),([\d.-]+)\)"[^>]*>(agent-\d · model-\d)<', drawn)
    assert len(places) == len({height for _, height, _ in places}) == 5
    heights = sorted(float(height) for _, height, _ in places)
    assert min(high - low for low, high in pairwise(heights)) > 11


@NEEDS_REPORT
def test_runs_without_any_cost_have_no_plot_of_it() -> None:
    free = run([replace(attempt(row, 1, True), usage=Usage()) for row in range(3)], each=1)
    assert against_cost([success_at_cost(summarise(free, Policy.STRICT), "a")], ["a"]) is None


@NEEDS_REPORT
def test_a_plot_says_from_which_width_it_scrolls() -> None:
    """Wide plots shrank to unreadable ones on narrow screens."""
    page = render_report([_failing(), replace(_failing(), model="b")])
    least = [int(width) for width in re.findall(r"--least:(\d+)px", page)]
    widths = [int(width) for width in re.findall(r'<svg[^>]* width="(\d+)', page)]
    assert least == [round(0.75 * width) for width in widths] and max(widths) > 400


def test_the_mean_over_attempts_keeps_the_last_score_of_each() -> None:
    assert mean_gains([{1: 0.0, 3: 0.4}, {2: 0.2}]) == {1: 0.0, 2: 0.1, 3: pytest.approx(0.3)}
    assert mean_gains([]) == {}
