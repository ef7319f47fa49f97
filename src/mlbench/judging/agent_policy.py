"""ML-Agent-Bench's rules: how an agent's `run.sh` is judged after a fresh run.

Nothing runs here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlbench.judging.error_taxonomy import ErrorFinding, found_by
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.policy import Interface, Strict, describe, exited_well, last_lines
from mlbench.reasons import Reason
from mlbench.records import Candidate, CheckStatus, Execution, ExitKind, Policy, Stage, Verdict

_NOTHING_TO_RUN = (Reason.NO_RUN_SCRIPT, Reason.WORKSPACE_NOT_CARRIED)

_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w+)'")
"""A name with a dot is a part of a package that is there."""

_TAIL = 1500  # characters of an agent's last message that are searched
_ASKS = re.compile(
    r"(?:could|can|would|will) you (?:please )?(?:provide|confirm|tell|share|specify|clarify|run|install|give|let me)"
    r"|please (?:provide|confirm|specify|clarify|share|let me know|tell me|run|upload|download|install)"
    r"|(?:do|would) you (?:want|like|prefer) (?:me )?|let me know (?:if|how|whether|which)"
    r"|i (?:need|require|am waiting for) (?:your|you to|more information|further information)",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"i(?:'m| am) (?:sorry|unable|not able|afraid|giving up)"
    r"|i (?:can(?:no|')t|cannot|could not|couldn't|won't|give up)\b"
    r"|(?:not|im)possible (?:for me )?to|unfortunately",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AgentStrict(Strict):
    """`Strict` without the check beforehand.

    A submission may need files of its own, so it is always run.
    """

    limit: float = 120.0

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """Fail a submission without code; `candidate.source` is then the reason."""
        return nothing_to_run(evidence.candidate, self.policy)

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """Decide as `Strict`; fail a script that also starts the program with rejected arguments."""
        verdict = super().after(evidence, execution)
        if not verdict.passed and (module := missing_module(evidence, execution)):
            lines = f"the agent's environment has no package with the module {module}\n{verdict.evidence}"
            return Verdict(self.policy, False, Stage.EXECUTION, Reason.MISSING_PACKAGE, lines, verdict.seconds)
        refused = _refused(evidence, execution) if verdict.passed else ()
        if not refused:
            return verdict
        lines = "\n".join([*refused, verdict.evidence])
        return Verdict(self.policy, False, Stage.WITNESS, Reason.PROGRAM_FAILED, lines, verdict.seconds)


@dataclass(frozen=True)
class AgentInterface(Interface):
    """`Interface` for a `run.sh`: the programs that it starts accept their arguments, with the right configuration."""

    def before(self, evidence: AnswerEvidence) -> Verdict:
        """Decide from the check of `run.sh`; fail a submission without code, and a program that is cut short."""
        if fault := nothing_to_run(evidence.candidate, self.policy):
            return fault
        verdict = super().before(evidence)
        if not verdict.passed or evidence.check is None or evidence.expectation is None:
            return verdict
        for each in evidence.check.invocations:
            if each.cut_short and evidence.expectation.concerns(each):
                lines = f"{each.program or 'its Python code'}: {each.cut_short}\n{verdict.evidence}"
                return Verdict(self.policy, False, Stage.INTERFACE, Reason.CUT_SHORT, lines, verdict.seconds)
        return verdict


def _refused(evidence: AnswerEvidence, execution: Execution) -> tuple[str, ...]:
    """Command lines that the required program rejected.

    An agent that tries several command lines in `run.sh` has not found out which one is right.
    """
    if evidence.expectation is None or execution.witness is None:
        return ()
    required = {call.name for call in evidence.expectation.call_sites}
    same = evidence.expectation.equivalent
    refused = [
        f"{each.program} was also started with words that it refuses: {each.message or each.reason}"
        for process in execution.witness.processes
        for each in process.invocations
        if each.status is CheckStatus.REJECTED
        and each.reason != Reason.HELP
        and same.get(each.program, each.program) in required
    ]
    return tuple(dict.fromkeys(refused))


@dataclass(frozen=True)
class AgentPaper:
    """The published rule: exit 0, a time-out, or `KeyboardInterrupt` in the output.

    Arguments do not count. Source: ML-Bench, section 4; the published harness runs `run.sh` for 120 s.

    Args:
        timeout: seconds after which a running script passes.
    """

    timeout: float = 120.0
    policy: Policy = Policy.PAPER

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """Fail a submission without code; `candidate.source` is then the reason."""
        return nothing_to_run(evidence.candidate, self.policy)

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """Pass a run that exited with code 0, was interrupted, or reached the time limit."""

        timed_out = execution.ending is ExitKind.TIMEOUT or execution.seconds >= self.timeout
        interrupted = "KeyboardInterrupt" in execution.stdout + execution.stderr
        passed = timed_out or interrupted or exited_well(execution)
        reason = (
            Reason.TIMEOUT
            if timed_out
            else Reason.KEYBOARD_INTERRUPT
            if interrupted
            else Reason.EXIT_0
            if exited_well(execution)
            else Reason.EXIT_CODE
        )
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


def nothing_to_run(candidate: Candidate, policy: Policy) -> Verdict | None:
    """The verdict on a submission without code, whose `source` is then the reason; None if there is code."""
    if candidate.source not in _NOTHING_TO_RUN:
        return None
    return Verdict(policy, False, Stage.EXTRACTION, Reason(candidate.source), candidate.fault)


def missing_module(evidence: AnswerEvidence, execution: Execution) -> str:
    """The module that no package of the agent's environment provides; empty if no import failed for that.

    An agent makes its environment itself. A module of the repository that is not found is another error.
    """
    found = _NO_MODULE.findall("\n".join(last_lines(execution.stderr)))
    own = evidence.expectation.files if evidence.expectation else frozenset()
    names = {path.rpartition("/")[2].removesuffix(".py") for path in own}
    return next((name for name in reversed(found) if name not in names), "")


def operational(source: str, outcome: str, last_words: str) -> tuple[ErrorFinding, ...]:
    """Find E5 errors by rule: no `run.sh`, giving up, or asking a person.

    Source: ML-Bench, section 5.2.

    Args:
        source: where the candidate was found, or `no-run-script`.
        outcome: how the agent ended, an `AgentOutcome`.
        last_words: the agent's last message.
    """
    if asked := _ASKS.search(last_words[-_TAIL:]):
        return (found_by(Reason.ASKED_HUMAN, _around(last_words[-_TAIL:], asked)),)
    if source != Reason.NO_RUN_SCRIPT:
        return ()
    if gave_up := _GIVES_UP.search(last_words[-_TAIL:]):
        return (found_by(Reason.GAVE_UP, _around(last_words[-_TAIL:], gave_up)),)
    return (found_by(Reason.NO_RUN_SCRIPT, f"it ended ({outcome}) without a run.sh"),)


def _around(text: str, match: re.Match[str]) -> str:
    return " ".join(text[max(0, match.start() - 80) : match.end() + 120].split())
