"""What the policies make of executions, and how their evidence is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mlbench.judging import evidence as evidence_module
from mlbench.judging.bind import bind
from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected
from mlbench.judging.policy import Interface, Paper, Strict, describe, has_script_marker, last_lines
from mlbench.records import (
    Candidate,
    Check,
    CheckStatus,
    Execution,
    ExitKind,
    Invocation,
    Kind,
    LeftBehind,
    OutputFile,
    Policy,
    ProcessTrace,
    Sample,
    Stage,
    TracedProcess,
    Verdict,
)

SAMPLE = Sample(1, "pocket/x", 1, 1, ".", "{'lr': '0.1'}", "", "", "Bash Script", "", "")
CANDIDATE = Candidate("python train.py --lr 0.1", "shell", "fence")


def ran(lr: float = 0.1, program: str = "train.py") -> Invocation:
    return Invocation(
        CheckStatus.ACCEPTED, program=program, configuration={"lr": lr}, given=("lr",), options={"lr": ("--lr",)}
    )


def evidence(check: Check | None = None, code: str = CANDIDATE.code, fault: str = "") -> AnswerEvidence:
    reference = call_sites([ran()])
    expectation = Expectation(tuple(reference), tuple(bind({"lr": "0.1"}, reference, {})), fault)
    check = check or Check(CheckStatus.ACCEPTED, invocations=(ran(),))
    return AnswerEvidence(SAMPLE, Candidate(code, "shell", "fence"), check, expectation)


def seen(invocation: Invocation | None = None, exit_code: int | None = 0, **about: object) -> ProcessTrace:
    said = (invocation or ran(),)
    return ProcessTrace(
        (
            TracedProcess(
                2,
                1,
                "/opt/env/bin/python",
                ("python", "train.py"),
                "/workspace",
                exit_code=exit_code,
                invocations=said,
                **about,
            ),
        )  # type: ignore[arg-type]
    )


def strict(execution: Execution, limit: float = 60.0) -> str:
    verdict = Strict(limit).after(evidence(), execution)
    return f"{verdict.stage}: {verdict.reason} {'+' if verdict.passed else '-'}"


@pytest.mark.parametrize(
    ("execution", "wanted"),
    [
        (Execution(ExitKind.EXITED, 0, 1.5), "exit-0 +"),
        (Execution(ExitKind.EXITED, 2, 1.5), "exit-code -"),
        (Execution(ExitKind.EXITED, 0, 12.0), "timeout +"),
        (Execution(ExitKind.EXITED, 1, 12.0), "timeout +"),  # it was still running when the paper stopped
        (Execution(ExitKind.TIMEOUT, 137, 60.0), "timeout +"),
        (Execution(ExitKind.TIMEOUT, 137, 9.999), "timeout +"),  # the limit itself, by another clock
        (Execution(ExitKind.MEMORY, 137, 1.5), "memory-limit -"),
        (Execution(ExitKind.MEMORY, 0, 1.5), "memory-limit -"),
        (Execution(ExitKind.MEMORY, 137, 12.0), "timeout +"),
    ],
)
def test_the_published_rule_over_executions(execution: Execution, wanted: str) -> None:
    verdict = Paper(10.0).after(evidence(), execution)
    assert f"{verdict.reason} {'+' if verdict.passed else '-'}" == wanted
    assert (verdict.policy, verdict.stage, verdict.seconds) == (Policy.PAPER, Stage.EXECUTION, execution.seconds)


@pytest.mark.parametrize(
    ("execution", "wanted"),
    [
        (Execution(ExitKind.EXITED, 0, 1.5, witness=seen()), "execution: exit-0 +"),
        (Execution(ExitKind.EXITED, 2, 1.5, witness=seen()), "execution: exit-code -"),
        (Execution(ExitKind.MEMORY, 0, 1.5, witness=seen()), "execution: memory-limit -"),
        (Execution(ExitKind.EXITED, 0, 1.5, witness=seen(exit_code=1)), "witness: program-failed -"),
        (Execution(ExitKind.EXITED, 0, 1.5, witness=seen(ran(0.5))), "witness: wrong-value -"),
        (Execution(ExitKind.EXITED, 0, 1.5, witness=seen(ran(program="other.py"))), "witness: wrong-program -"),
        (Execution(ExitKind.EXITED, 0, 1.5, witness=seen(tampering=("a report was lost",))), "witness: tampering -"),
        (Execution(ExitKind.EXITED, 0, 1.5, witness=ProcessTrace()), "witness: wrong-program -"),
        (
            Execution(ExitKind.TIMEOUT, 137, 60.0, witness=seen(exit_code=None, progress={"cpu": 9.0})),
            "execution: running +",
        ),
        (
            Execution(ExitKind.TIMEOUT, 137, 60.0, witness=seen(exit_code=None, progress={"cpu": 0.0})),
            "execution: timeout -",
        ),
        (
            Execution(ExitKind.TIMEOUT, 137, 60.0, witness=seen()),
            "execution: timeout -",
        ),  # it ended, something else slept
        (
            Execution(
                ExitKind.TIMEOUT, 137, 60.0, witness=seen(exit_code=None, progress={"cpu": 9.0}), absent=("*.npz",)
            ),
            "execution: timeout -",
        ),
        (Execution(ExitKind.TIMEOUT, 137, 60.0, witness=ProcessTrace()), "execution: timeout -"),
        (Execution(ExitKind.EXITED, 0, 1.5), "execution: exit-0-unwitnessed +"),
        (Execution(ExitKind.TIMEOUT, 137, 60.0), "execution: timeout -"),
    ],
)
def test_strict_without_a_declared_outcome_wants_a_witnessed_run(execution: Execution, wanted: str) -> None:
    assert strict(execution) == wanted


def test_what_the_check_left_open_the_witness_decides() -> None:
    unsure = evidence(Check(CheckStatus.UNDECIDED, "cannot-follow"))
    assert Strict().before(unsure) is None
    assert Strict().after(unsure, Execution(ExitKind.EXITED, 0, 1.0, witness=seen())).passed
    assert not Strict().after(unsure, Execution(ExitKind.EXITED, 0, 1.0)).passed
    assert Interface().before(unsure).reason == "undecided: cannot-follow"


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (Check(CheckStatus.ACCEPTED, invocations=(ran(),)), "right"),
        (Check(CheckStatus.ACCEPTED, invocations=(ran(0.15),)), "wrong-value"),
        (Check(CheckStatus.REJECTED, "unknown-argument", "unrecognized arguments: --rl"), "unknown-argument"),
        (Check(CheckStatus.BROKEN, "import-fails"), "broken: import-fails"),
    ],
)
def test_interface(check: Check, reason: str) -> None:
    verdict = Interface().before(evidence(check))
    assert (verdict.passed, verdict.reason) == (reason == "right", reason)
    early = Strict().before(evidence(check))
    assert (early is None) == (reason == "right" or check.status is CheckStatus.BROKEN)


OUTCOME = OutcomeSpec.model_validate({"files": [{"path": "out/*.json"}], "prints": ["accuracy <number>"]})
LEFT = LeftBehind((OutputFile("/workspace/out/a.json", 8, b'{"a": 1}'),))


def test_the_work_is_done_by_other_files_than_the_program_that_starts_it() -> None:
    """A right answer called the library as `train.py` does, and failed for not running `train.py` itself."""
    library = seen(ran(program="/tmp/own.py"), used=("lib/work.py",))
    assert judged(library, used=("lib/work.py", "train.py")) == "outcome: other-route +"
    assert judged(seen(ran(program="/tmp/own.py")), used=("lib/work.py", "train.py")) == "witness: wrong-program -"


def judged(
    witness: ProcessTrace | None = None,
    printed: str = "accuracy 0.8123",
    outcome: LeftBehind = LEFT,
    kind: Kind = "shell",
    ending: ExitKind = ExitKind.EXITED,
    used: tuple[str, ...] = ("train.py",),
    **more: Any,
) -> str:
    running = ending is ExitKind.TIMEOUT
    expected = Expected(OUTCOME, "accuracy 0.8123", LEFT, running=running, used=used)
    about = evidence()
    about = replace(about, candidate=replace(CANDIDATE, kind=kind), expected=expected, **more)
    execution = Execution(ending, 0, 1.0, stdout=printed, witness=witness or seen(), outcome=outcome)
    verdict = Strict().after(replace(about, execution=execution), execution)
    return f"{verdict.stage}: {verdict.reason} {'+' if verdict.passed else '-'}"


USED = {"used": ("train.py",)}


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (judged(), "outcome: right +"),
        (judged(printed="accuracy 0.99"), "outcome: figures-missing -"),
        (judged(outcome=LeftBehind()), "outcome: outcome-missing -"),
        (
            judged(outcome=LeftBehind((OutputFile("/workspace/out/a.json", 8, b'{"a": 2}'),))),
            "outcome: wrong-outcome -",
        ),
        (judged(outcome=replace(LEFT, removed=("/workspace/x.py",))), "outcome: outcome-destroyed -"),
        (judged(outcome=replace(LEFT, altered=("/workspace/x.py",))), "outcome: outcome-destroyed -"),
        (judged(proof="another result"), "outcome: not-proven -"),
        (judged(proof=""), "outcome: right +"),
        (judged(seen(exit_code=1)), "witness: program-failed -"),
        (judged(seen(tampering=("it reported what its recorder did not see",))), "witness: tampering -"),
        (judged(seen(ran(0.5), **USED)), "witness: wrong-value -"),
        (judged(seen(ran(program="/tmp/copy.py"))), "witness: wrong-program -"),  # nothing of the repository ran
        (judged(seen(ran(program="/tmp/copy.py"), **USED)), "outcome: other-route +"),
        (judged(seen(ran(program="/tmp/copy.py"), **USED), printed="accuracy 0.7"), "witness: wrong-program -"),
    ],
)
def test_strict_compares_what_was_left(found: str, wanted: str) -> None:
    assert found == wanted


def test_another_value_is_another_route_only_if_it_would_show() -> None:
    wrong = seen(ran(0.5), **USED)
    assert judged(wrong, kind="python") == "witness: wrong-value -"
    assert judged(wrong, kind="python", shows=frozenset({"lr"})) == "outcome: other-route +"
    assert judged(wrong, kind="shell", shows=frozenset({"lr"})) == "witness: wrong-value -"


def test_what_nobody_asked_for_harms_nobody_if_a_telling_outcome_does_not_show_it() -> None:
    """`with_scores=True` prints more beside the answers; in a shell a wrong setting is a wrong setting."""
    more = seen(replace(ran(), configuration={"lr": 0.1, "scores": True}, given=("lr", "scores")), **USED)
    assert judged(more, kind="python") == "outcome: other-route +"
    assert judged(more, kind="python", printed="accuracy 0.9") == "witness: unasked-change -"
    assert judged(more, kind="shell") == "witness: unasked-change -"


def test_who_fills_the_sandbox_with_processes_fails() -> None:
    bomb = replace(seen(), excess="252 processes at once, of 256 that are allowed")
    assert judged(bomb) == "execution: process-limit -"
    assert strict(Execution(ExitKind.EXITED, 0, 1.0, witness=bomb)) == "execution: process-limit -"


def test_a_replay_is_wanted_if_the_right_configuration_leaves_something_else() -> None:
    about = replace(evidence(), expected=Expected(OUTCOME, "accuracy 0.8123", LEFT))
    documented = "```\npython train.py --seed 3\n```"
    assert about.expectation is not None
    about = replace(about, expectation=replace(about.expectation, shown=documented))
    claim = replace(ran(), configuration={"lr": 0.1, "seed": 3}, given=("lr", "seed"), options={"seed": ("--seed",)})

    def wants(invocation: Invocation, printed: str = "accuracy 0.7", outcome: LeftBehind = LEFT) -> bool:
        execution = Execution(ExitKind.EXITED, 0, 1.0, stdout=printed, witness=seen(invocation), outcome=outcome)
        return Strict().wants_replay(replace(about, execution=execution))

    assert wants(claim)
    assert not wants(claim, "accuracy 0.8123")
    assert not wants(ran())  # the reference's own configuration: its outcome is known
    assert not wants(replace(claim, configuration={"lr": 0.1, "seed": 4}))
    assert not wants(claim, outcome=replace(LEFT, removed=("/workspace/x.py",)))


def test_what_was_left_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are parsed for it."""
    count = []
    real = evidence_module.compared
    monkeypatch.setattr(evidence_module, "compared", lambda *args: count.append(1) or real(*args))
    execution = Execution(ExitKind.EXITED, 0, 1.0, stdout="accuracy 0.8123", witness=seen(), outcome=LEFT)
    about = replace(evidence(), expected=Expected(OUTCOME, "accuracy 0.8123", LEFT), execution=execution)
    Strict().wants_replay(about)
    Strict().wants_variants(about)
    Strict().after(about, execution)
    assert about.left is not None and count == [1]


@pytest.mark.parametrize(
    ("printed", "outcome", "wanted"),
    [
        ("accuracy 0.8123", LEFT, "outcome: right-unwitnessed +"),
        ("accuracy 0.7", LEFT, "outcome: figures-missing -"),
        ("accuracy 0.8123", LeftBehind(), "outcome: outcome-missing -"),
        ("accuracy 0.8123", replace(LEFT, removed=("/workspace/x.py",)), "outcome: outcome-destroyed -"),
        ("accuracy 0.8123", None, "execution: exit-0-unwitnessed +"),
    ],
)
def test_without_a_witness_what_was_left_is_compared_where_it_could_be_read(
    printed: str, outcome: LeftBehind | None, wanted: str
) -> None:
    execution = Execution(ExitKind.EXITED, 0, 1.0, stdout=printed, outcome=outcome)
    expected = Expected(OUTCOME, "accuracy 0.8123", LEFT) if outcome else None
    verdict = Strict().after(replace(evidence(), expected=expected, execution=execution), execution)
    assert f"{verdict.stage}: {verdict.reason} {'+' if verdict.passed else '-'}" == wanted


def test_what_still_runs_is_right_only_if_the_reference_would_run_too() -> None:
    working = seen(exit_code=None, progress={"cpu": 9.0})
    assert judged(working, ending=ExitKind.TIMEOUT) == "execution: running +"
    execution = Execution(ExitKind.TIMEOUT, 137, 60.0, witness=working, outcome=LEFT)
    ended = replace(evidence(), expected=Expected(OUTCOME, seconds=0.3), execution=execution)
    verdict = Strict().after(ended, execution)
    assert (verdict.passed, verdict.reason) == (False, "timeout")
    assert verdict.evidence.startswith("the reference ends after 0.3 s")


def test_no_standard_no_pass() -> None:
    verdict = Interface().before(evidence(fault="the reference is broken"))
    assert (verdict.reason, verdict.evidence) == ("undecided: reference", "the reference is broken")
    assert verdict.unscored
    no_answer = replace(evidence(fault="the reference is broken"), candidate=Candidate("", None, "none"), check=None)
    assert Interface().before(no_answer).unscored, "an answer without code is no failure if nothing could be right"
    assert not Strict().after(evidence(fault="x"), Execution(ExitKind.EXITED, 0, 1.0, witness=seen())).passed


def test_the_paper_timeout_is_a_parameter() -> None:
    execution = Execution(ExitKind.EXITED, 1, 5.0)
    assert Paper(4.0).after(evidence(), execution).passed
    assert not Paper(7.0).after(evidence(), execution).passed


def test_the_paper_asks_for_the_values_before_the_kind() -> None:
    verdict = Paper().before(evidence(code="ls"))
    assert isinstance(verdict, Verdict) and verdict.stage is Stage.ARGUMENTS


@pytest.mark.parametrize(("code", "marked"), [("python a.py x", True), ("sh a.sh x", True), ("python a.py", False)])
def test_the_script_marker_needs_a_blank(code: str, marked: bool) -> None:
    assert has_script_marker(code) is marked


def test_evidence_says_how_it_ended_and_shows_the_errors() -> None:
    text = describe(Execution(ExitKind.EXITED, 1, 1.234, 3 * 2**20, stdout="epoch 1\n", stderr="KeyError: 'lr'\n"))
    assert text.splitlines() == ["exit 1, 1.23 s, 3 MiB", "KeyError: 'lr'"]


def test_evidence_shows_the_output_where_errors_are_only_blank() -> None:
    assert describe(Execution(ExitKind.TIMEOUT, 137, 60.0, 0, stdout="epoch 1\n", stderr=" \n\n")).endswith("\nepoch 1")


def test_last_lines_are_safe_to_show() -> None:
    text = "\x1b[31mred\x1b[0m\n\x1b]0;title\x07after\n\x1b]8;;http://x\x1b\\link\na\rb\x00\x07\u202ec\n\x9b1mx\n\n"
    shown = last_lines(text)
    assert shown == ["red", "after", "link", "a", "b\ufffd\ufffd\ufffdc", "\ufffd1mx"]
    assert all(sign.isprintable() for line in shown for sign in line)


def test_an_unfinished_escape_hides_no_other_line() -> None:
    assert last_lines("\x1b]0;title\nValueError: lr") == ["ValueError: lr"]


def test_last_lines_are_few_and_short() -> None:
    shown = last_lines("\n".join(f"{number} " + "x" * 1000 for number in range(100)))
    assert len(shown) == 12
    assert shown[-1].startswith("99 ")
    assert {len(line) for line in shown} == {300}
    assert last_lines("") == []


def test_strict_holds_its_own_limit_where_paper_lets_it_run_longer() -> None:
    """With a time limit below the paper's time-out, a candidate that took longer than the limit passed `strict`."""
    execution = Execution(ExitKind.EXITED, 0, 3.5, witness=seen())
    assert strict(execution, limit=1.0) == "execution: timeout -"
    assert strict(execution, limit=5.0) == "execution: exit-0 +"
