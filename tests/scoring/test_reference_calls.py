"""What the reference really calls decides in a run, if its check had only stubs to follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mlbench.judging.bind import bind
from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected
from mlbench.judging.policy import Strict
from mlbench.reasons import Reason
from mlbench.records import (
    Candidate,
    CheckStatus,
    Execution,
    ExitKind,
    Invocation,
    LeftBehind,
    ProcessTrace,
    RepositoryCall,
    Sample,
    TracedProcess,
)
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.scoring.reference_calls import of_run
from mlbench.scoring.reference_outcomes import Outcomes
from mlbench.scoring.reference_runs import References
from mlbench.suites.suite import load_suite

pytestmark = pytest.mark.anyio

PRINTED = "loss 0.123456789012"
REQUIRED = {"model": "small", "layers": "6"}
SAMPLE = Sample(1, "x/y", 1, 1, ".", "{'model': 'small', 'layers': '6'}", "", "", "Python Code", "x", "")
CANDIDATE = Candidate("x", "python", "fence")


def code(*calls: tuple[str, dict[str, Any]]) -> Invocation:
    made = tuple(RepositoryCall(name, values, tuple(values)) for name, values in calls)
    return Invocation(CheckStatus.ACCEPTED, how="code", calls=made)


CHECKED = code(("lib.load", {"model": "small"}), ("build_old[0].embed", {"0": 6}))  # a stub returned the object
RAN = code(("lib.load", {"model": "small"}), ("lib.Model.embed", {"layers": 6}))


def expectation(invocation: Invocation, fault: str = "") -> Expectation:
    reference = call_sites([invocation])
    return Expectation(tuple(reference), tuple(bind(REQUIRED, reference, {})), fault)


def expected(*invocations: Invocation) -> Expected:
    return Expected(OutcomeSpec(prints=("loss <number>",)), PRINTED, used=("lib.py",), invocations=invocations)


def evidence(invocation: Invocation, standard: Expectation) -> AnswerEvidence:
    process = TracedProcess(1, 0, "python", (), "/workspace", 0, invocations=(invocation,), used=("lib.py",))
    ran = Execution(ExitKind.EXITED, 0, 0.1, stdout=PRINTED, outcome=LeftBehind(), witness=ProcessTrace((process,)))
    return AnswerEvidence(SAMPLE, CANDIDATE, expectation=standard, execution=ran)


def test_a_run_that_meets_the_check_changes_nothing() -> None:
    assert of_run(expectation(RAN), REQUIRED, expected(RAN)) is None
    assert of_run(expectation(CHECKED), REQUIRED, expected()) is None
    assert of_run(expectation(CHECKED), REQUIRED, replace(expected(RAN), fault="it ended")) is None


@pytest.mark.parametrize(
    "standard",
    [expectation(CHECKED), expectation(CHECKED, "the reference is undecided: stub")],
    ids=["accepted", "undecided"],
)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (RAN, Reason.RIGHT),
        (code(("lib.load", {"model": "small"}), ("lib.Model.embed", {"layers": 5})), Reason.WRONG_VALUE),
        (code(("lib.load", {"model": "large"}), ("lib.Model.embed", {"layers": 6})), Reason.WRONG_VALUE),
        (code(("lib.load", {"model": "small"}), ("lib.Model.encode", {"layers": 6})), Reason.OTHER_ROUTE),
    ],
)
async def test_an_answers_run_is_compared_with_the_references_run(
    standard: Expectation, answer: Invocation, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same outcome, by the calls of the check: each of these answers was another route."""

    async def of(self: References, sample: Sample, config: BubblewrapConfig, code: str | None = None) -> Expected:
        return expected(RAN)

    monkeypatch.setattr(References, "of", of)
    monkeypatch.setattr(Outcomes, "_required", lambda self, sample: REQUIRED)
    outcomes = Outcomes(load_suite("pocket"), Strict())
    found = await outcomes.completed(evidence(answer, standard), BubblewrapConfig(repository="/nowhere"))
    assert found.execution is not None
    verdict = Strict().after(found, found.execution)
    assert (verdict.reason, verdict.passed) == (reason, reason is not Reason.WRONG_VALUE), verdict.evidence
