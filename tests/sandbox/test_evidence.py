"""What the host makes of the agent's notes: unknown sizes, half a file, reports of hostile processes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mlbench.sandbox import evidence
from mlbench.sandbox.streams import memory_file
from mlbench.types import Process, Status

SEEN: dict[str, Any] = {
    "pid": 3,
    "parent": 2,
    "program": "/usr/bin/python3.11",
    "argv": ["python", "train.py"],
    "cwd": "/workspace/examples",
    "env": {"LR": "1", "HOME": "/home/user", "_": "x", "PYTHONPATH": "."},
    "interpreter": True,
    "greeted": True,
    "exit_code": 0,
    "findings": [],
    "reports": ['parse\0{"status": "accepted", "main": "/workspace/train.py", "configuration": {"lr": 1}}', "end\0"],
    "progress": {},
}


def process(**changes: Any) -> Process:
    data = json.dumps({"processes": [{**SEEN, **changes}], "faults": []}).encode()
    (found,) = evidence.witness(memory_file(data), {"HOME": "/home/user"}).processes
    return found


def test_a_parse_is_an_invocation_with_the_variables_that_the_candidate_set() -> None:
    (invocation,) = process().invocations
    assert (invocation.status, invocation.program, invocation.cwd) == (Status.ACCEPTED, "train.py", "examples")
    assert (invocation.configuration, invocation.env) == ({"lr": 1}, {"LR": "1", "PYTHONPATH": "."})
    assert process().env == {"PYTHONPATH": "."}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"greeted": False}, "never started"),
        ({"reports": SEEN["reports"][:1]}, "without coming to its end"),
        ({"reports": [SEEN["reports"][0], "forked\0end\0"]}, "without coming to its end"),
        ({"reports": ["forked\0foreign\0/tmp/x.py", *SEEN["reports"]]}, "/tmp/x.py"),
        ({"reports": ["cut\0parse", *SEEN["reports"]]}, "too long"),
        ({"findings": ["it lied"]}, "it lied"),
    ],
)
def test_what_speaks_against_a_process(changes: dict[str, Any], word: str) -> None:
    assert process().dishonest == ()
    assert word in " ".join(process(**changes).dishonest)


@pytest.mark.parametrize(
    "report",
    [
        "parse\0",
        "parse\0[]",
        "parse\0{",
        "parse\0" + "[" * 100_000,
        'parse\0{"status": "perfect"}',
        'parse\0{"status": "accepted", "configuration": 5}',
        'parse\0{"status": "accepted", "options": {"a": 5}}',
        'call\0{"function": "f", "arguments": 5, "given": []}',
        "call\0null",
        'forked\0parse\0{"status": "accepted"}',
        "forked\0",
        "\0",
        "",
    ],
)
def test_reports_that_make_no_sense_are_passed_over(report: str) -> None:
    assert process(reports=[report, "end\0"]).invocations == ()


@pytest.mark.parametrize("data", [b"", b"x\0y", b"[]", b'{"processes": [', b'{"processes": [{}], "faults": []}'])
def test_half_a_file_is_a_fault(data: bytes) -> None:
    witness = evidence.witness(memory_file(data), {})
    assert witness.processes == () and len(witness.faults) == 1
