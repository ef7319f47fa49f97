"""What was answered is not asked again, where it comes out the same each time."""

from pathlib import Path

from mlbench.interface_check.check_server import AnswerCache, CheckEnv

PLACE = CheckEnv(Path("/r"))
ASKED = {"do": "program", "target": "train.py", "argv": ["--lr", "1"], "cpu": 10.0, "wall": 30.0}
ACCEPTED = {"status": "accepted", "configuration": {"lr": 1.0}}


def test_the_same_question_has_the_same_answer_whatever_its_bounds() -> None:
    known = AnswerCache()
    known.keep(PLACE, ASKED, ACCEPTED)
    assert known.get(PLACE, {**ASKED, "wall": 3.0}) == ACCEPTED
    assert known.get(PLACE, {**ASKED, "argv": ["--lr", "2"]}) is None
    assert known.get(CheckEnv(Path("/other")), ASKED) is None
    assert known.get(CheckEnv(Path("/r"), Path("/environment")), ASKED) is None


def test_what_may_come_out_otherwise_is_not_kept() -> None:
    known = AnswerCache()
    for answer in ({"status": "undecided", "reason": "time-limit"}, {**ACCEPTED, "wrote": True}, {}):
        known.keep(PLACE, ASKED, answer)
        assert known.get(PLACE, ASKED) is None


def test_the_oldest_is_forgotten() -> None:
    known = AnswerCache(most=2)
    for word in "abc":
        known.keep(PLACE, {**ASKED, "argv": [word]}, ACCEPTED)
        known.get(PLACE, {**ASKED, "argv": ["a"]})
    assert known.get(PLACE, {**ASKED, "argv": ["b"]}) is None
    assert known.get(PLACE, {**ASKED, "argv": ["a"]}) == ACCEPTED
