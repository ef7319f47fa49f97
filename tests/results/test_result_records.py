"""The long table of results: every figure once, made from the counts of `aggregate.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.records import Policy
from mlbench.results.aggregate import result_records, summarise
from mlbench.results.result_records import (
    Estimator,
    GroupKind,
    Metric,
    ResultRecord,
    ResultSource,
)
from mlbench.results.usage import Usage
from tests.results.log_factory import mixed, rows, run


def one(records: list[ResultRecord], **key: object) -> ResultRecord:
    """The only record with these fields."""
    found = [each for each in records if all(getattr(each, name) == value for name, value in key.items())]
    assert len(found) == 1, found
    return found[0]


def test_pass_at_k_of_all_rows_is_the_summary_s() -> None:
    made = mixed()
    records, summary = result_records(made, Policy.STRICT), summarise(made, Policy.STRICT)
    for at in summary.overall.at:
        key = {"metric": Metric.PASS_AT_K, "k": at.k, "group_kind": GroupKind.ALL}
        first = one(records, estimator=Estimator.FIRST_K, **key)
        unbiased = one(records, estimator=Estimator.UNBIASED, **key)
        assert (first.value, first.low, first.high, first.n) == (
            at.first.value,
            at.first.low,
            at.first.high,
            at.scored,
        )
        assert (unbiased.value, unbiased.interval) == (at.unbiased.value, at.unbiased.interval)
        assert first.total == at.total == 4


def test_no_two_records_have_the_same_key() -> None:
    made = mixed()
    records = [*result_records(made, Policy.STRICT), *result_records(replace(made, agent="codeact"), Policy.STRICT)]
    keys = [(r.agent, r.metric, r.k, r.estimator, r.group_kind, r.group) for r in records]
    assert len(keys) == len(set(keys))


def test_groups_are_types_repositories_and_domains() -> None:
    records = result_records(mixed(), Policy.STRICT)
    groups = {(record.group_kind.value, record.group) for record in records}
    assert groups == {
        ("all", "all"),
        ("type", "Bash Script"),
        ("type", "Python Code"),
        ("repository", "lichen"),
        ("repository", "mirage"),
        ("domain", "graphs"),
    }
    own = one(records, metric=Metric.PASS_AT_K, k=1, estimator=Estimator.UNBIASED, group="mirage")
    assert (own.n, own.tokens_in, own.dollars) == (2, 600, pytest.approx(0.06))


def test_parameter_hit_precision_has_no_policy_and_stands_per_repository() -> None:
    strict, paper = (result_records(mixed(), policy) for policy in (Policy.STRICT, Policy.PAPER))
    key = {"metric": Metric.PHP_PARAMETER, "group": "lichen"}
    assert one(strict, **key) == one(paper, **key)
    assert one(strict, **key).policy is None
    assert (one(strict, **key).n, one(strict, **key).value) == (10, 0.5)


def test_an_agent_s_success_and_dollars_stand_beside_pass_at_k() -> None:
    made = run(rows(["1", "0", "1", "x"]), each=1, agent="codeact", usage=Usage(400, 40, 3.0))
    records = result_records(made, Policy.STRICT)
    success = one(records, metric=Metric.SUCCESS, group_kind=GroupKind.ALL)
    assert (success.value, success.n, success.total) == (pytest.approx(2 / 3), 3, 4)
    assert one(records, metric=Metric.SOLVED, group_kind=GroupKind.ALL).value == 2
    dollars = one(records, metric=Metric.DOLLARS_PER_SOLVED)
    assert (dollars.value, dollars.n, dollars.doubt) == (1.5, 2, "")


def test_a_price_that_cannot_be_given_says_why() -> None:
    made = run(rows(["0", "0"]), each=1, agent="codeact")
    dollars = one(result_records(made, Policy.STRICT), metric=Metric.DOLLARS_PER_SOLVED)
    assert (dollars.value, dollars.doubt) == (None, "none solved")


def test_a_record_names_the_run_without_its_folder() -> None:
    made = replace(mixed(), location="/somewhere/else/2026_llm-bench.eval", version="6, suite version 2")
    first = result_records(replace(made, suite_version="2"), Policy.PAPER)[0]
    assert (first.log, first.suite, first.suite_version, first.task_version) == (
        "2026_llm-bench.eval",
        "pocket",
        "2",
        "6",
    )
    assert (first.source, first.policy, first.model) == (ResultSource.MEASURED, Policy.PAPER, "provider/model")


def test_a_run_without_a_scored_attempt_has_records_without_a_value() -> None:
    records = result_records(run(rows(["x", "x"]), each=1), Policy.STRICT)
    rates = [each for each in records if each.metric is Metric.PASS_AT_K and each.group_kind is GroupKind.ALL]
    assert [(each.value, each.n, each.total) for each in rates] == [(None, 0, 2), (None, 0, 2)]
