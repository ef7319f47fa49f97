"""Candidates with known verdicts (tests/cases/README.md): extractor, form that every policy wants, published rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from mlbench.judging.arguments import token_hits
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.extract import extract
from mlbench.judging.policy import Paper, form_fault
from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Policy, Sample

FILES = sorted((Path(__file__).parent.parent / "cases").glob("*.yaml"))
CASES = [
    pytest.param(case, id=f"{file.stem}-{position}")
    for file in FILES
    for position, case in enumerate(yaml.safe_load(file.read_text(encoding="utf-8")), 1)
]
KEYS = {"why", "reply", "bash", "python", "wanted", "required", "code", "kind", "missing", "form", "paper"}


def sample_of(case: dict[str, Any]) -> Sample:
    kind = PYTHON_TYPE if case.get("wanted", "python" if "python" in case else "shell") == "python" else SHELL_TYPE
    required = {name: str(value) for name, value in case.get("required", {}).items()}
    return Sample(1, "pocket/x", 1, 1, ".", repr(required), "", "", kind, "", "")


def reply_of(case: dict[str, Any]) -> str:
    for label in ("bash", "python"):
        if label in case:
            return f"````{label}\n{case[label]}\n````\n"
    return str(case["reply"])


def test_cases_are_many_and_well_formed() -> None:
    cases = [case.values[0] for case in CASES]
    assert len(cases) >= 80
    assert all(set(case) <= KEYS and case["why"] for case in cases)
    assert all(sum(key in case for key in ("reply", "bash", "python")) == 1 for case in cases)


@pytest.mark.parametrize("case", CASES)
def test_candidate(case: dict[str, Any]) -> None:
    candidate = extract(reply_of(case))
    assert (candidate.kind or "none") == case.get("kind", sample_of(case).kind), candidate
    if "code" in case:
        assert candidate.code == case["code"]


@pytest.mark.parametrize("case", CASES)
def test_whole_tokens(case: dict[str, Any]) -> None:
    hits = token_hits(extract(reply_of(case)), sample_of(case).required())
    assert hits.missing == case.get("missing", [])


@pytest.mark.parametrize("case", CASES)
def test_form(case: dict[str, Any]) -> None:
    fault = form_fault(extract(reply_of(case)), Policy.STRICT)
    assert (fault.reason if fault else "checked") == case.get("form", "checked")


@pytest.mark.parametrize("case", CASES)
def test_paper(case: dict[str, Any]) -> None:
    verdict = Paper().before(AnswerEvidence(sample_of(case), extract(reply_of(case))))
    assert verdict is None or not verdict.passed, "nothing passes before it ran"
    assert (verdict.reason if verdict else "runs") == case.get("paper", "runs")
