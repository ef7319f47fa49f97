"""A real model's wrong answers, labelled by people who did not see the rules' class."""

from __future__ import annotations

from collections import Counter

from benchmarks.error_readings import FILES, answers
from mlbench.judging.error_taxonomy import main_class
from mlbench.judging.errors import classify
from mlbench.judging.extract import read_reply
from mlbench.records import UsageError
from mlbench.suites.suite import load_suite

CLASSES = {"E1", "E2", "E3", "E4", "none"}
FILE = FILES / "smollm2.jsonl"


def test_every_answer_has_its_readings() -> None:
    for file in FILES.glob("*.jsonl"):
        found = answers(file)
        assert len(found) == len({each.id for each in found}) > 0
        assert {len(each.readings) for each in found} == {len(found[0].readings)}
        assert {label for each in found for label in each.readings} <= CLASSES
    assert len(answers(FILE)) >= 150


def test_text_that_does_not_parse_is_labelled_as_people_label_it() -> None:
    """These answers need no interface check; 61 of 107 were E4 when every fault was one of syntax."""
    agreed: Counter[bool] = Counter()
    here = {"pocket", *(["ml-bench"] if _fetched("ml-bench") else [])}
    for each in (each for each in answers(FILE) if each.suite in here):
        row, candidate = load_suite(each.suite).row(each.row).sample, read_reply(each.reply)
        if candidate.kind is None:
            kinds = (str(finding.error) for finding in classify(row, candidate))
            agreed[(main_class(kinds) or "none") == each.readings[0]] += 1
    assert agreed.total() > (80 if "ml-bench" in here else 20)
    assert agreed[True] / agreed.total() >= 0.85


def _fetched(suite: str) -> bool:
    try:
        load_suite(suite).refuse_absent()
    except UsageError:
        return False
    return True
