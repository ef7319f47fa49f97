"""No attack on an experiment succeeds, and of each it is said why; some of each group here, all in `make test-all`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.snapshots import SnapshotStep
from tests.mlagentbench.attack_experiments import Outcome, outcomes
from tests.mlagentbench.attack_types import STARTER, Attack, Do, script
from tests.mlagentbench.attacks import ATTACKS

EVERY = 25
"""Of each group, every 25th attack is done here: the first, and of the many on files two more."""

GROUPS = {"files", "labels", "grader", "submission", "clock", "resources", "claims"}
RIGHT = script(
    "import csv\nrows = list(csv.DictReader(open('test.csv')))\n"
    "text = ''.join(f\"{r['id']},{10 * float(r['length'])}\\n\" for r in rows)\n"
    "open('submission.csv', 'w').write('id,weight\\n' + text)"
)


def test_every_attack_says_what_it_tries() -> None:
    assert len(ATTACKS) >= 100
    assert {attack.group for attack in ATTACKS} == GROUPS
    assert len({attack.name for attack in ATTACKS}) == len({attack.aim for attack in ATTACKS}) == len(ATTACKS)
    silent = [
        each
        for each in ATTACKS
        if each.group != "clock" and not (each.seen or each.invalid != "^$" or each.false_claim)
    ]
    assert [each.name for each in silent] == []


def _check(attacks: list[Attack], folder: Path) -> None:
    found = outcomes(attacks, folder)
    assert [outcome.attack for outcome in found] == attacks
    assert {each.attack.name: faults for each in found if (faults := list(each.faults()))} == {}


def test_no_attack_succeeds(tmp_path: Path) -> None:
    others = [attack for attack in ATTACKS if not attack.claim]
    of_group = [[attack for attack in others if attack.group == group] for group in sorted(GROUPS)]
    numbers = [attack for attack in ATTACKS if attack.claim]
    _check([*(attack for attacks in of_group for attack in attacks[::EVERY]), *numbers], tmp_path)


@pytest.mark.slow
def test_of_all_attacks_none_succeeds(tmp_path: Path) -> None:
    _check([*ATTACKS], tmp_path)


def test_honest_work_is_no_attack_that_failed(tmp_path: Path) -> None:
    """Where a scorer fails everything, that attacks fail says nothing."""
    honest = Attack(
        "honest",
        "submission",
        "do what is asked for",
        RIGHT,
        claim={"claimed_score": 0.5, "metric": "mean absolute error"},
    )
    [found] = outcomes([honest], tmp_path)
    assert (found.value["success"], found.value["valid"], found.value["false_claim"]) == (1.0, 1.0, 0.0)
    assert list(found.faults()) == [f"IT SUCCEEDED with {found.score}"]


def test_what_is_not_as_it_must_be_is_named() -> None:
    attack = Attack(
        "x", "files", "x", (STARTER,), seen="refused", error="read-only-file", invalid="link", false_claim=True
    )
    value = {"success": 0.0, "false_claim": 1.0}
    last = SnapshotStep(1, "write_file", observation="it is refused", error="read-only-file")
    good = Outcome(attack, value, None, "a link", last)
    assert list(good.faults()) == []
    assert list(replace(good, invalid="a number").faults()) == ["invalid: 'a number', expected 'link'"]
    assert len(list(replace(good, last=SnapshotStep(1, "write_file")).faults())) == 2
    assert list(replace(good, value={**value, "false_claim": 0.0}).faults()) == ["false claim: False, expected True"]
    assert list(replace(good, problems=("STILL RUNS: 7",)).faults()) == ["STILL RUNS: 7"]
    assert list(replace(good, value={**value, "success": 1.0}, score=0.5).faults()) == ["IT SUCCEEDED with 0.5"]
    quiet = replace(attack, does=(Do("List Files", {}),), seen="", error="", invalid="^$", false_claim=False)
    nothing = Outcome(quiet, {"success": 0.0, "false_claim": 0.0}, None, "", SnapshotStep(1, "list_files"))
    assert list(nothing.faults()) == ["it is not reported"]
