"""The policies: what an answer has to be under each. Nothing runs here.

A rule first looks at what is known before anything of the candidate runs for real (`before`): it decides, or asks for
an execution. Then it judges what happened (`after`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from mlbench.types import Candidate, Check, Ending, Execution, Invocation, Policy, Sample, Stage, Status, Verdict
from mlbench.verdict.arguments import published_hits, token_hits
from mlbench.verdict.interface import Comparison, Standard
from mlbench.verdict.reasons import NO_ANSWER, NO_CODE
from mlbench.verdict.witnessed import State, mistrust, runs

VERSION = 2
"""Raised whenever a verdict can come out otherwise for the same evidence: remembered verdicts are then forgotten."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
EVIDENCE_LINES = 12


@dataclass(frozen=True)
class Evidence:
    """What is known of one answer. What is None has not happened."""

    sample: Sample
    candidate: Candidate
    check: Check | None = None
    standard: Standard | None = None
    execution: Execution | None = None

    @property
    def comparison(self) -> Comparison | None:
        """The checked candidate against the reference."""
        if self.check is None or self.standard is None or self.standard.fault:
            return None
        return self.compare(self.standard, self.check.invocations)

    def compare(self, standard: Standard, invocations: Iterable[Invocation]) -> Comparison:
        """What the candidate starts, as checked or as witnessed, against what is right."""
        return standard.compare(invocations, token_hits(self.candidate, standard.written).by_name)


class Rule(Protocol):
    @property
    def policy(self) -> Policy: ...

    def before(self, evidence: Evidence) -> Verdict | None:
        """The verdict where nothing has to run for it; None where the candidate has to be executed."""
        ...

    def after(self, evidence: Evidence, execution: Execution) -> Verdict:
        """The verdict over what happened when it ran."""
        ...


def form_fault(sample: Sample, candidate: Candidate, policy: Policy) -> Verdict | None:
    """No answer, or one without code, of no language, or of the wrong one."""
    if not candidate.code.strip():
        reason = NO_ANSWER if candidate.source == NO_ANSWER else NO_CODE
        return Verdict(policy, False, Stage.EXTRACTION, reason, candidate.fault)
    if candidate.kind is None:
        return Verdict(policy, False, Stage.KIND, "syntax", candidate.fault)
    if candidate.kind != sample.kind:
        return Verdict(policy, False, Stage.KIND, "wrong-kind", f"{sample.kind} is wanted, this is {candidate.kind}")
    return None


@dataclass(frozen=True)
class Interface:
    """Accepted by the program, with the right configuration; nothing of the program runs but its parser."""

    policy: Policy = Policy.INTERFACE

    def before(self, evidence: Evidence) -> Verdict:
        """The verdict; `undecided` where the check could not tell, which is not a pass."""
        if fault := form_fault(evidence.sample, evidence.candidate, self.policy):
            return fault
        check, standard = evidence.check, evidence.standard
        assert check is not None and standard is not None  # whoever asks has checked
        if check.status is not Status.ACCEPTED:
            reason = check.reason if check.status is Status.REJECTED else f"{check.status}: {check.reason}"
            return self._verdict(False, reason, check.message, check)
        comparison = evidence.comparison
        if comparison is None:
            return self._verdict(False, "undecided: reference", standard.fault, check)
        return self._verdict(comparison.right, comparison.reason or "right", comparison.evidence(), check)

    def after(self, evidence: Evidence, execution: Execution) -> Verdict:
        return self.before(evidence)

    def _verdict(self, passed: bool, reason: str, evidence: str, check: Check) -> Verdict:
        return Verdict(self.policy, passed, Stage.INTERFACE, reason, evidence, check.seconds)


@dataclass(frozen=True)
class Strict:
    """`interface`, and an execution in which the witness saw this program, honest, with this configuration, end well.

    Where the check could not decide, the witnessed execution does. One that still runs at the limit passes as
    `running` if it parsed the right configuration, went on working, and has left what its recipe declares.

    Args:
        limit: seconds of wall time; one that ran longer, for another policy's sake, has timed out.
    """

    limit: float = float("inf")
    policy: Policy = Policy.STRICT

    def before(self, evidence: Evidence) -> Verdict | None:
        if fault := form_fault(evidence.sample, evidence.candidate, self.policy):
            return fault
        check, comparison = evidence.check, evidence.comparison
        assert check is not None
        if check.status is Status.REJECTED:
            return self._verdict(False, Stage.INTERFACE, check.reason, check.message)
        if check.status is Status.ACCEPTED and comparison is not None and not comparison.right:
            return self._verdict(False, Stage.INTERFACE, comparison.reason, comparison.evidence())
        return None

    def after(self, evidence: Evidence, execution: Execution) -> Verdict:
        standard = evidence.standard
        assert standard is not None
        timed_out = execution.ending is Ending.TIMEOUT or execution.seconds > self.limit
        if not timed_out and not exited_well(execution):
            return self._verdict(False, Stage.EXECUTION, _ended(execution), describe(execution), execution)
        if execution.witness is None:
            return self._unwitnessed(evidence, execution, timed_out)
        seen = runs(execution.witness)
        comparison = evidence.compare(standard, (run.invocation for run in seen))
        if not comparison.right or standard.fault:
            return self._not_seen(comparison, standard, execution, timed_out)
        states = {run.state for run in seen if standard.concerns(run.invocation)}
        lines = "\n".join([comparison.evidence(), describe(execution)])
        if timed_out:
            running = states <= {State.FINISHED, State.RUNNING} and State.RUNNING in states and not execution.absent
            lines = "\n".join([*(f"not there: {glob}" for glob in execution.absent), lines])
            reason = State.RUNNING.value if running else Ending.TIMEOUT.value
            return self._verdict(running, Stage.EXECUTION, reason, lines, execution)
        if states - {State.FINISHED}:
            return self._verdict(False, Stage.WITNESS, "program-failed", lines, execution)
        return self._verdict(True, Stage.EXECUTION, "exit-0", lines, execution)

    def _not_seen(self, comparison: Comparison, standard: Standard, execution: Execution, timed_out: bool) -> Verdict:
        """It ended well, but what was to run was not what ran, or nobody can say so."""
        assert execution.witness is not None
        found = [*execution.witness.faults]
        for process in execution.witness.processes:
            if process.invocations or process.dishonest:
                found += [f"{' '.join(process.argv)[:80]}: {why}" for why in mistrust(process)]
        reason = Ending.TIMEOUT.value if timed_out else "not-honest" if found else comparison.reason or "not-witnessed"
        lines = [standard.fault, *dict.fromkeys(found[:EVIDENCE_LINES]), comparison.evidence(), describe(execution)]
        stage = Stage.EXECUTION if timed_out else Stage.WITNESS
        return self._verdict(False, stage, reason, "\n".join(line for line in lines if line), execution)

    def _unwitnessed(self, evidence: Evidence, execution: Execution, timed_out: bool) -> Verdict:
        """In a sandbox that has no witness the check must have decided; that nobody looked stands in the evidence."""
        lines = f"no witness in this sandbox\n{describe(execution)}"
        if timed_out:
            return self._verdict(False, Stage.EXECUTION, Ending.TIMEOUT.value, lines, execution)
        comparison = evidence.comparison
        decided = evidence.check is not None and evidence.check.status is Status.ACCEPTED and comparison is not None
        reason = "exit-0-unwitnessed" if decided else "not-witnessed"
        return self._verdict(decided, Stage.EXECUTION, reason, lines, execution)

    def _verdict(
        self, passed: bool, stage: Stage, reason: str, evidence: str, execution: Execution | None = None
    ) -> Verdict:
        return Verdict(self.policy, passed, stage, reason, evidence, execution.seconds if execution else 0.0)


@dataclass(frozen=True)
class Paper:
    """The published rule, exactly: value substrings, `.py ` or `.sh ` for a script, exit 0 or still running.

    Source: `utils/exec.py` of the published harness.

    Args:
        timeout: seconds after which a running program counts as a success (there 10; 4 and 7 for two repositories).
    """

    timeout: float = 10.0
    policy: Policy = Policy.PAPER

    def before(self, evidence: Evidence) -> Verdict | None:
        sample, code = evidence.sample, evidence.candidate.code
        missing = published_hits(code, sample.required()).missing
        if missing:
            lines = f"not in the text: {', '.join(missing)}"
            return Verdict(self.policy, False, Stage.ARGUMENTS, "missing-argument", lines)
        marked = has_script_marker(code)
        if marked != (sample.kind == "shell"):
            lines = f"`.py ` or `.sh ` {'stands' if marked else 'does not stand'} in the text"
            return Verdict(self.policy, False, Stage.KIND, "wrong-kind", lines)
        return None

    def after(self, evidence: Evidence, execution: Execution) -> Verdict:
        # at the limit the clock may read a little less than the limit
        timed_out = execution.ending is Ending.TIMEOUT or execution.seconds >= self.timeout
        passed = timed_out or exited_well(execution)
        reason = Ending.TIMEOUT.value if timed_out else _ended(execution)
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


def has_script_marker(code: str) -> bool:
    """What the published harness takes for a script: `.py ` or `.sh `, each with a blank behind it."""
    return ".sh " in code or ".py " in code


def exited_well(execution: Execution) -> bool:
    """Ended by itself, with exit code 0."""
    return execution.ending is Ending.EXITED and execution.exit_code == 0


def _ended(execution: Execution) -> str:
    if execution.ending is not Ending.EXITED:
        return execution.ending.value
    return "exit-0" if execution.exit_code == 0 else "exit-code"


def describe(execution: Execution) -> str:
    """How it ended, and its last lines, safe to show in a terminal or a page."""
    how = {
        Ending.EXITED: f"exit {execution.exit_code}",
        Ending.TIMEOUT: "ended at the time limit",
        Ending.MEMORY: "killed at the memory limit",
    }[execution.ending]
    figures = f"{how}, {execution.seconds:.2f} s, {execution.peak_memory / 2**20:.0f} MiB"
    return "\n".join([figures, *(last_lines(execution.stderr) or last_lines(execution.stdout))])


def last_lines(text: str, count: int = EVIDENCE_LINES) -> list[str]:
    """The last lines of an output without control characters, each cut to 300 characters."""
    clean = _ESCAPES.sub("", text[-20_000:])
    clean = "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in clean.replace("\r", "\n"))
    return [line[:300] for line in clean.splitlines() if line.strip()][-count:]
