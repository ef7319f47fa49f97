"""Replies as models write them (tests/cases/replies.jsonl), and the code that is their answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlbench.judging.extract import extract

FILE = Path(__file__).parent.parent / "cases" / "replies.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def lines(code: str) -> list[str]:
    return [line.rstrip() for line in code.split("\n") if line.strip()]


def test_cases_are_many_and_well_formed() -> None:
    assert len(CASES) >= 120
    assert len({case["name"] for case in CASES}) == len(CASES)
    assert all(set(case) == {"name", "part", "kind", "code", "reply"} for case in CASES)
    assert {case["part"] for case in CASES} == {"open", "held-out", "second", "third"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_answer_is_taken(case: dict[str, str]) -> None:
    candidate = extract(case["reply"])
    assert lines(candidate.code) == lines(case["code"])
    assert (candidate.kind or "none") == case["kind"]
    assert candidate.code or candidate.fault


START = "```bash\npython run_ppr.py\n```\n"
CODE = "```python\nfrom lichen import fit\nfit()\n```\n"


def test_what_was_left_stands_in_the_record() -> None:
    candidate = extract(
        "Install:\n```bash\npip install x\n```\nDon't run:\n```bash\npython a.py --x 2\n```\nRun:\n"
        "```bash\npython a.py --x 1\n```\n"
    )
    assert candidate.source == "1 of 3 fences"
    assert candidate.left == (
        "bash: 'pip install x': installation only",
        "bash: 'python a.py --x 2': introduced as wrong",
    )


def test_the_file_of_a_saved_program_has_its_name() -> None:
    assert extract(f"Save this as `run_ppr.py`:\n{CODE}and run it:\n{START}").file == "run_ppr.py"
    assert extract(f"{CODE}Run:\n{START}").file == "run_ppr.py"
    assert extract(CODE).file == ""


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("", "the reply is empty"),
        ("I cannot.", "the reply holds no code"),
        ("<think>\n```bash\npython a.py --x 1\n```", "the reply holds nothing but thoughts, comments or tags"),
        ("Don't run:\n```bash\npython a.py --x 1\n```", "the reply holds no code but what it introduces as wrong"),
    ],
)
def test_why_there_is_no_code(reply: str, fault: str) -> None:
    candidate = extract(reply)
    assert (candidate.code, candidate.kind, candidate.fault) == ("", None, fault)


def test_a_hundred_comments_do_not_hide_the_answer() -> None:
    assert extract("<!-- a -->\n" * 1000 + CODE).kind == "python"


FIRST, SECOND = "python main.py --data a --k 4", "python main.py --data b --k 5"
INTRODUCTIONS = json.loads((FILE.parent / "introductions.json").read_text(encoding="utf-8"))


def fence(code: str) -> str:
    return f"```bash\n{code}\n```\n"


@pytest.mark.parametrize("prose", INTRODUCTIONS["of an answer"])
def test_a_negation_that_is_not_about_the_block(prose: str) -> None:
    assert extract(f"{prose}\n\n{fence(FIRST)}").code == FIRST


@pytest.mark.parametrize("prose", INTRODUCTIONS["of a wrong answer"])
def test_what_is_introduced_as_wrong_never_counts(prose: str) -> None:
    assert extract(f"{prose}\n\n{fence(FIRST)}").code == ""
    assert extract(f"{prose}\n\n{fence(FIRST)}\nUse this:\n\n{fence(SECOND)}").code == SECOND


@pytest.mark.parametrize("prose", INTRODUCTIONS["of a correction"])
def test_a_correction_counts_instead(prose: str) -> None:
    assert extract(f"Run:\n\n{fence(FIRST)}\n{prose}\n\n{fence(SECOND)}").code == SECOND


@pytest.mark.parametrize("prose", INTRODUCTIONS["of another way"])
def test_another_way_does_not(prose: str) -> None:
    assert extract(f"Run:\n\n{fence(FIRST)}\n{prose}\n\n{fence(SECOND)}").code == FIRST
