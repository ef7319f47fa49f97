"""References through the interface check: what is right passes, what is not is found with its reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import anyio

from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suite_builder.quality import by_repository, references, write_findings
from mlbench.suites.suite import load_split


def test_a_reference_that_its_program_refuses_is_found(tmp_path: Path) -> None:
    rows = [row for row in load_split("pocket", "full") if row.kind == "shell" and row.output.startswith("python ")][:3]
    bad = replace(rows[1], output=rows[1].output + " --nosuch 3")
    told: list[int] = []
    place = machine("bubblewrap", "pocket", Limits(), 2)
    found = anyio.run(references, [rows[0], bad, rows[2]], place, told.append)
    assert [(each.row, each.passed) for each in found] == [(rows[0].id, True), (rows[1].id, False), (rows[2].id, True)]
    assert (found[1].reason, found[1].undecided) == ("unknown-argument", False)
    assert sorted(told) == [1, 2, 3]
    counts = by_repository(found)
    assert sum(each["rows"] for each in counts.values()) == 3 and sum(each["passed"] for each in counts.values()) == 2
    write_findings(found, tmp_path / "references.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "references.jsonl").read_text().splitlines()]
    assert [line["reason"] for line in lines] == ["right", "unknown-argument", "right"]
