"""Figures against numbers worked out by hand."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from math import isclose

import pytest

from mlbench.reasons import Reason
from mlbench.records import Policy, Stage, Verdict
from mlbench.results.aggregate import counts_by_outcome, summarise
from mlbench.results.group_records import ks_of, tallies
from mlbench.results.pass_at_k import Tally, any_of_first, bootstrap, estimated, unbiased
from mlbench.results.report_counts import verdict_groups
from mlbench.results.result_records import PHP_METRICS
from mlbench.results.statistics import Interval, wilson
from tests.results.log_factory import attempt, mixed, rows, run


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (5, 0, 1, 0.0),
        (5, 2, 1, 0.4),
        (5, 2, 2, 1 - 3 / 10),  # C(3,2) / C(5,2)
        (5, 1, 5, 1.0),
        (5, 4, 2, 1.0),  # one failure cannot fill two places
        (10, 3, 5, 1 - 21 / 252),
        (1, 1, 1, 1.0),
    ],
)
def test_unbiased(n: int, c: int, k: int, expected: float) -> None:
    assert isclose(unbiased(n, c, k), expected)


@pytest.mark.parametrize(("n", "c", "k"), [(2, 1, 5), (0, 0, 1), (3, 4, 1), (3, 1, 0)])
def test_unbiased_is_undefined_for_more_than_there_is(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="not defined"):
        unbiased(n, c, k)


def test_wilson_against_published_values() -> None:
    # Newcombe 1998, table I: 81/263, 15/148, 0/20, 1/29
    for passed, total, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = wilson(passed, total)
        assert isclose(found[0], low, abs_tol=5e-5) and isclose(found[1], high, abs_tol=5e-5)
    assert wilson(20, 20)[1] == 1.0
    with pytest.raises(ValueError, match="no share"):
        wilson(0, 0)


def test_any_of_first_k_looks_at_the_first_k_only() -> None:
    counted = [Tally((False, True, True)), Tally((True, False, False)), Tally((False, False, True))]
    assert [any_of_first(counted, k).value for k in (1, 2, 3)] == [1 / 3, 2 / 3, 1.0]


def test_the_two_estimates_differ_and_are_both_given() -> None:
    # passes 1 of 3, 0 of 2 scored, 3 of 3, 1 of 3
    overall = summarise(mixed(), Policy.STRICT).overall
    first, second = overall.pass_at(1), overall.pass_at(2)
    assert first and second and overall.pass_at(5) is None
    assert first.first.value == 2 / 4  # rows 1 and 3
    assert isclose(first.unbiased.value or 0, (1 / 3 + 0 + 1 + 1 / 3) / 4)
    assert second.first.value == 3 / 4
    assert isclose(second.unbiased.value or 0, (2 / 3 + 0 + 1 + 2 / 3) / 4)
    assert first.first.interval is Interval.WILSON and first.unbiased.interval is Interval.BOOTSTRAP
    assert (overall.scored, overall.total, overall.passed, overall.samples) == (11, 12, 5, 4)


def test_a_sample_with_too_few_scored_attempts_does_not_count() -> None:
    summary = summarise(run(rows(["11111", "0000x", "xxxxx"]), each=5), Policy.STRICT)
    five, one = summary.overall.pass_at(5), summary.overall.pass_at(1)
    assert five and one
    assert (five.scored, five.total, five.first.value, five.unbiased.value) == (1, 3, 1.0, 1.0)
    assert (one.scored, one.total, one.first.value, one.unbiased.value) == (2, 3, 0.5, 0.5)
    assert (summary.overall.scored, summary.overall.total) == (9, 15)


def test_one_attempt_a_sample_has_wilsons_interval() -> None:
    one = summarise(run(rows(["1", "0", "1", "1"]), each=1), Policy.STRICT).overall.pass_at(1)
    assert one and one.first.value == one.unbiased.value == 0.75
    assert one.unbiased.interval is Interval.WILSON and (one.unbiased.low, one.unbiased.high) == wilson(3, 4)


def test_all_alike_has_an_interval_with_width() -> None:
    # the bootstrap of equal values would claim certainty
    rate = estimated([Tally((True,) * 5)] * 20, [1])[1]
    assert rate.interval is Interval.WILSON and rate.low == wilson(20, 20)[0]


def test_nothing_and_nothing_but_errors() -> None:
    empty = summarise(run([], each=1, expected=0), Policy.STRICT)
    assert empty.overall.samples == 0 and empty.outcomes == () and empty.by_repository == ()
    errors = summarise(run(rows(["xx", "xx"]), each=2), Policy.STRICT)
    for summary in (empty, errors):
        one = summary.overall.pass_at(1)
        assert one and [(each.value, each.low, each.n) for each in (one.first, one.unbiased)] == [(None, None, 0)] * 2
        assert [summary.overall.figure(metric).value for metric in PHP_METRICS] == [None] * 3
    assert (errors.overall.scored, errors.overall.total) == (0, 4)


def test_rows_that_were_never_begun_stay_in_sight() -> None:
    overall = summarise(run(rows(["11"]), each=2, expected=6, status="cancelled"), Policy.STRICT).overall
    one = overall.pass_at(1)
    assert one and (overall.scored, overall.total, overall.samples, one.scored, one.total) == (2, 6, 3, 1, 3)


def test_groups_policies_and_outcomes() -> None:
    strict, paper = (summarise(mixed(), policy) for policy in (Policy.STRICT, Policy.PAPER))
    assert [(group.name, group.passed, group.scored, group.total) for group in strict.by_type] == [
        ("Bash Script", 2, 8, 9),
        ("Python Code", 3, 3, 3),
    ]
    assert [(group.name, group.passed, group.scored, group.total) for group in strict.by_repository] == [
        ("lichen", 1, 5, 6),
        ("mirage", 4, 6, 6),
    ]
    assert (strict.overall.passed, paper.overall.passed) == (5, 6)
    assert [(o.stage, o.reason, o.passed, o.count) for o in strict.outcomes] == [
        (Stage.ARGUMENTS, "missing-argument", False, 6),
        (Stage.EXECUTION, "exit-0", True, 5),
    ]
    assert strict.faults == {"E3": 6} and paper.faults == {"E3": 5}
    assert strict.stages()[Stage.ARGUMENTS] == 6 and strict.stages()[Stage.KIND] == 0
    assert (strict.tokens_in, strict.tokens_out, strict.seconds) == (1200, 120, 65.0)
    assert isclose(strict.working, 7.2) and isclose(strict.cost or 0, 0.12)


def test_reasons_as_frequent_as_each_other_have_one_order() -> None:
    """It changed with Python's hash seed, so that two reports of one log differed."""
    reasons = [Reason.WRONG_VALUE, Reason.STRAY, Reason.HELP, Reason.USAGE, Reason.RAISED, Reason.STUB, Reason.NOTHING]
    made = [attempt(row, 1, False) for row in range(len(reasons))]
    failed = [
        replace(each, verdicts={Policy.STRICT: Verdict(Policy.STRICT, False, Stage.INTERFACE, reason)})
        for each, reason in zip(made, reasons, strict=True)
    ]
    summaries = [summarise(run(failed, each=1), Policy.STRICT)]
    groups = verdict_groups(summaries, Policy.STRICT)
    assert [group.name for group in groups] == sorted(reasons)
    assert list(counts_by_outcome(summaries).values()) == [[1]] * len(reasons)


def test_hit_precision_by_parameter_and_by_generation() -> None:
    attempts = [
        attempt(1, 1, True, php=1.0),
        attempt(1, 2, False, php=0.5),
        attempt(1, 3, False, php=0.0),
        attempt(1, 4, None),
    ]
    overall = summarise(run(attempts, each=4), Policy.STRICT).overall
    found = [overall.figure(metric) for metric in PHP_METRICS]
    assert [each.n for each in found] == [6, 3, 3]
    assert [each.value for each in found] == [3 / 6, 1 / 3, 0.5]


def test_attempts_count_in_the_order_of_their_numbers() -> None:
    shuffled = [attempt(1, 3, False), attempt(1, 1, True), attempt(1, 2, False)]
    assert tallies(shuffled, Policy.STRICT) == [Tally((True, False, False))]


def test_the_bootstrap_is_deterministic_close_and_fast() -> None:
    choose = random.Random(1)
    pairs = [(5, choose.randrange(6)) for _ in range(260)]
    start = time.perf_counter()
    drawn = bootstrap(pairs, [1, 2, 5])
    assert time.perf_counter() - start < 1.0
    assert drawn == bootstrap(pairs, [1, 2, 5])
    # against the normal interval of a mean
    values = [c / 5 for _, c in pairs]
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    half = 1.96 * deviation / len(values) ** 0.5
    assert isclose(drawn[1][0], mean - half, abs_tol=0.01) and isclose(drawn[1][1], mean + half, abs_tol=0.01)


def test_the_bootstrap_draws_whole_samples() -> None:
    # two samples that are all or nothing in 100 attempts are two observations, not 200
    low, high = bootstrap([(100, 100), (100, 0)], [1])[1]
    assert (low, high) == (0.0, 1.0)


@pytest.mark.parametrize(("attempts", "shown"), [(1, [1]), (3, [1, 2, 3]), (5, [1, 2, 5]), (10, [1, 2, 5, 10])])
def test_the_own_k_of_a_run_is_shown(attempts: int, shown: list[int]) -> None:
    """`-k 3` and `-k 10` showed pass@1, 2, 5 alone."""
    assert ks_of(attempts) == shown


def test_one_sample_has_no_interval_of_no_width() -> None:
    """Two passes of five attempts at one sample: the bootstrap drew the same sample 2,000 times, 40.0 40-40."""
    rate = estimated([Tally((True, True, False, False, False))], [1])[1]
    assert (rate.value, rate.low, rate.high, rate.interval) == (0.4, None, None, Interval.NONE)
