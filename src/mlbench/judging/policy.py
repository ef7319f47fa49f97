"""The policies: what an answer has to be under each. Nothing runs here.

A rule first looks at what is known before anything of the candidate runs for real (`before`): it decides, or asks for
an execution. Then it judges what happened (`after`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mlbench.judging.arguments import published_hits
from mlbench.judging.call_sites import acts
from mlbench.judging.compare_config import Comparison, Expectation, MatchState
from mlbench.judging.error_taxonomy import NO_ANSWER, NO_CODE
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.inputs import FILE_SETTING
from mlbench.judging.outcomes import Compared, Difference, Expected, Lack
from mlbench.judging.process_evidence import RunState, runs
from mlbench.judging.values import shown
from mlbench.records import Candidate, Check, CheckStatus, Execution, ExitKind, Policy, Sample, Stage, Verdict

VERSION = 5
"""Raised whenever a verdict can come out otherwise for the same evidence: remembered verdicts are then forgotten."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
EVIDENCE_LINES = 12


class Rule(Protocol):
    @property
    def policy(self) -> Policy: ...

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """The verdict where nothing has to run for it; None where the candidate has to be executed."""
        ...

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """The verdict over what happened when it ran."""
        ...


def form_fault(sample: Sample, candidate: Candidate, policy: Policy) -> Verdict | None:
    """No answer, or one without code or of no language."""
    if not candidate.code.strip():
        reason = NO_ANSWER if candidate.source == NO_ANSWER else NO_CODE
        return Verdict(policy, False, Stage.EXTRACTION, reason, candidate.fault)
    if candidate.kind is None:
        return Verdict(policy, False, Stage.KIND, "syntax", candidate.fault)
    return None


@dataclass(frozen=True)
class Interface:
    """Accepted by the program, with the right configuration; nothing of the program runs but its parser."""

    policy: Policy = Policy.INTERFACE

    def before(self, evidence: AnswerEvidence) -> Verdict:
        """The verdict; `undecided` where the check could not tell, which is not a pass."""
        if fault := form_fault(evidence.sample, evidence.candidate, self.policy):
            return fault
        check, standard = evidence.check, evidence.standard
        assert check is not None and standard is not None  # whoever asks has checked
        if check.status is not CheckStatus.ACCEPTED:
            reason = check.reason if check.status is CheckStatus.REJECTED else f"{check.status}: {check.reason}"
            return self._verdict(False, reason, check.message, check)
        comparison = evidence.comparison
        if comparison is None:
            return self._verdict(False, "undecided: reference", standard.fault, check)
        return self._verdict(comparison.right, comparison.reason or "right", comparison.evidence(), check)

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        return self.before(evidence)

    def _verdict(self, passed: bool, reason: str, evidence: str, check: Check) -> Verdict:
        return Verdict(self.policy, passed, Stage.INTERFACE, reason, evidence, check.seconds)


_REFUSALS = frozenset(
    {
        *("unknown-argument", "ambiguous-argument", "missing-argument", "invalid-choice", "invalid-type"),
        *("wrong-number-of-values", "conflicting-arguments", "usage", "shell-syntax", "python-syntax", "nul-byte"),
        *("too-long", "nothing", "pasted-characters", "help"),
    }
)
"""Refusals that no execution would overturn, unless something else of the answer is accepted."""
_FINAL = frozenset({"remote-code", "unsteady"})
"""Findings about a text that stand whatever comes of one execution."""


@dataclass(frozen=True)
class Strict:
    """The right thing was done by means of the repository, and left behind what doing it leaves behind.

    Three things have to agree: what was seen to run, or to be called, has the reference's configuration; what the
    reference leaves behind, run by us in a fresh jail, is there; and nothing of the repository was destroyed. Another
    route that leaves the same is right as well, if it is the repository's code that went it.

    Args:
        limit: seconds of wall time; one that ran longer, for another policy's sake, has timed out.
    """

    limit: float = float("inf")
    policy: Policy = Policy.STRICT

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        if fault := form_fault(evidence.sample, evidence.candidate, self.policy):
            return fault
        check, comparison = evidence.check, evidence.comparison
        assert check is not None
        accepted = any(each.status is CheckStatus.ACCEPTED for each in check.invocations)
        final = check.reason in _FINAL or (check.reason in _REFUSALS and not accepted)
        if check.status is CheckStatus.REJECTED and final:
            return self._verdict(False, Stage.INTERFACE, check.reason, check.message)
        decided = check.status is CheckStatus.ACCEPTED and comparison is not None and not comparison.right
        if decided and evidence.candidate.kind == "shell" and evidence.standard is not None:
            left_open = evidence.compare(evidence.standard, check.invocations, by_outcome=True)
            absent = any(match.state is MatchState.ABSENT for match in left_open.matches)
            if not left_open.right and not absent:
                return self._verdict(False, Stage.INTERFACE, left_open.reason, left_open.evidence())
        return None

    def wants_outcome(self, evidence: AnswerEvidence) -> bool:
        """Whether the verdict hangs on what the reference leaves behind."""
        execution = evidence.execution
        return execution is not None and (execution.ending is ExitKind.TIMEOUT or exited_well(execution))

    def wants_replay(self, evidence: AnswerEvidence) -> bool:
        """Whether what is left differs, although the configuration that was seen is right, and not the reference's.

        Values that the documentation gives and free settings may rightly lead to another outcome.
        """
        execution, standard, left = evidence.execution, evidence.standard, evidence.left
        if execution is None or execution.witness is None or standard is None or standard.fault or left is None:
            return False
        if not exited_well(execution) or left.harm or not left.differences:
            return False
        comparison = evidence.compare_claim(standard, (run.invocation for run in runs(execution.witness)))
        return comparison.right and bool(comparison.extras)

    def wants_variants(self, evidence: AnswerEvidence) -> dict[str, str]:
        """Required arguments whose value is another, with that value: what would the reference leave with it?

        A Python answer may come to the same by another value and a step of its own.
        """
        expected, execution, standard = evidence.expected, evidence.execution, evidence.standard
        if evidence.candidate.kind != "python" or expected is None or execution is None or execution.witness is None:
            return {}
        if standard is None or not exited_well(execution):
            return {}
        left = evidence.left
        if left is None or left.differences or not (left.telling or evidence.proof == ""):
            return {}
        seen = (run.invocation for run in runs(execution.witness))
        comparison = evidence.compare(standard, seen, by_outcome=True)
        if comparison.missing or comparison.other_route:
            return {}
        return {match.argument: match.found for match in comparison.matches if match.state is MatchState.WRONG}

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        standard = evidence.standard
        assert standard is not None
        timed_out = execution.ending is ExitKind.TIMEOUT or execution.seconds > self.limit
        if not timed_out and not exited_well(execution):
            return self._verdict(False, Stage.EXECUTION, _ended(execution), describe(execution), execution)
        if execution.witness is None:
            return self._unwitnessed(evidence, execution, timed_out)
        if tampering := [line for process in execution.witness.processes for line in process.tampering]:
            return self._verdict(False, Stage.WITNESS, "tampering", _text([*tampering, describe(execution)]), execution)
        if excess := execution.witness.excess:
            lines = _text([excess, describe(execution)])
            return self._verdict(False, Stage.EXECUTION, "process-limit", lines, execution)
        if evidence.expected is not None:
            return self._by_outcome(evidence, evidence.expected, standard, execution, timed_out)
        return self._by_claim(evidence, standard, execution, timed_out)

    def _by_outcome(
        self, evidence: AnswerEvidence, expected: Expected, standard: Expectation, execution: Execution, timed_out: bool
    ) -> Verdict:
        assert execution.witness is not None
        seen = runs(execution.witness)
        comparison = evidence.compare(standard, (run.invocation for run in seen), by_outcome=True)
        if timed_out:
            return self._at_the_limit(evidence, expected, standard, execution, comparison)
        states = {run.state for run in seen if standard.concerns(run.invocation)}
        left = evidence.left
        assert left is not None
        differences = left.differences
        replayed = f"held against a replay of: {' '.join(evidence.replayed.split())[:300]}" if evidence.replayed else ""
        lines = [*map(str, differences), replayed, comparison.evidence(), describe(execution)]
        if left.harm:
            return self._verdict(False, Stage.OUTCOME, "outcome-destroyed", _text(lines), execution)
        if comparison.right and not standard.fault:
            if RunState.FAILED in states:
                return self._verdict(False, Stage.WITNESS, "program-failed", _text(lines), execution)
            if differences:
                return self._verdict(False, Stage.OUTCOME, _lacking(differences), _text(lines), execution)
            if evidence.proof:
                return self._verdict(False, Stage.OUTCOME, "not-proven", _text([evidence.proof, *lines]), execution)
            return self._verdict(True, Stage.OUTCOME, "right", _text(lines), execution)
        if (
            not differences
            and not evidence.proof
            and self._by_another_route(evidence, standard, left, comparison, execution)
        ):
            return self._verdict(True, Stage.OUTCOME, "other-route", _text(lines), execution)
        reason = comparison.reason or (_lacking(differences) if differences else "not-witnessed")
        return self._verdict(False, Stage.WITNESS, reason, _text([standard.fault, *lines]), execution)

    def _by_another_route(
        self,
        evidence: AnswerEvidence,
        standard: Expectation,
        left: Compared,
        comparison: Comparison,
        execution: Execution,
    ) -> bool:
        """Whether what is left proves the work, although the settings that were seen are not the reference's."""
        assert execution.witness is not None and evidence.expected is not None
        wrong = [match for match in comparison.matches if match.state is MatchState.WRONG]
        absent = [match for match in comparison.matches if match.state is MatchState.ABSENT]
        if comparison.harmful or (comparison.stray and not wrong and not absent):
            return False
        if not left.telling and evidence.proof is None:
            return False
        used = {file for process in execution.witness.processes for file in process.used}
        if not used >= _work_of(evidence.expected, standard):
            return False
        checked = evidence.comparison  # it follows files of settings, which the recorder in the program does not
        seen_right = checked is not None and checked.right and not wrong and not comparison.missing
        if seen_right and left.telling and _settings(comparison) <= _checked(evidence.check):
            return True
        by_file = all(FILE_SETTING in line.partition(" = ")[0] for line in comparison.unasked)
        if evidence.candidate.kind != "python":
            return by_file and not wrong
        if comparison.missing or comparison.other_route:
            return True
        changed = bool(wrong or comparison.unasked)  # nobody asked for it, and nothing shows it: that harms nobody
        return changed and (by_file or left.telling) and all(match.argument in evidence.shows for match in wrong)

    def _at_the_limit(
        self,
        evidence: AnswerEvidence,
        expected: Expected,
        standard: Expectation,
        execution: Execution,
        comparison: Comparison,
    ) -> Verdict:
        """One that still runs is right so far if the reference would still run as well, and is no further."""
        assert execution.witness is not None
        states = {run.state for run in runs(execution.witness) if standard.concerns(run.invocation)}
        behind = expected.progress_lacking(execution)
        lines = [behind, comparison.evidence(), describe(execution)]
        if not expected.running:
            lines = [f"the reference ends after {expected.seconds:.1f} s", *lines]
        running = expected.running and comparison.right and not behind and not execution.absent
        running = running and states <= {RunState.FINISHED, RunState.RUNNING} and RunState.RUNNING in states
        if running:
            return self._verdict(True, Stage.EXECUTION, RunState.RUNNING.value, _text(lines), execution)
        reason = ExitKind.TIMEOUT.value if comparison.right else comparison.reason
        return self._verdict(False, Stage.EXECUTION, reason, _text(lines), execution)

    def _by_claim(
        self, evidence: AnswerEvidence, standard: Expectation, execution: Execution, timed_out: bool
    ) -> Verdict:
        """Without a declared outcome: what was seen to run, and how it ended."""
        assert execution.witness is not None
        seen = runs(execution.witness)
        comparison = evidence.compare(standard, (run.invocation for run in seen))
        states = {run.state for run in seen if standard.concerns(run.invocation)}
        lines = [standard.fault, *(f"not there: {glob}" for glob in execution.absent), comparison.evidence()]
        text = _text([*lines, describe(execution)])
        if timed_out:
            running = comparison.right and not standard.fault and not execution.absent
            running = running and states <= {RunState.FINISHED, RunState.RUNNING} and RunState.RUNNING in states
            reason = RunState.RUNNING.value if running else ExitKind.TIMEOUT.value
            return self._verdict(running, Stage.EXECUTION, reason, text, execution)
        if not comparison.right or standard.fault:
            return self._verdict(False, Stage.WITNESS, comparison.reason or "not-witnessed", text, execution)
        if states - {RunState.FINISHED}:
            return self._verdict(False, Stage.WITNESS, "program-failed", text, execution)
        return self._verdict(True, Stage.EXECUTION, "exit-0", text, execution)

    def _unwitnessed(self, evidence: AnswerEvidence, execution: Execution, timed_out: bool) -> Verdict:
        """In a sandbox that has no witness the check must have decided; that nobody looked stands in the evidence."""
        lines = f"no witness in this sandbox\n{describe(execution)}"
        if timed_out:
            return self._verdict(False, Stage.EXECUTION, ExitKind.TIMEOUT.value, lines, execution)
        comparison = evidence.comparison
        decided = (
            evidence.check is not None and evidence.check.status is CheckStatus.ACCEPTED and comparison is not None
        )
        if decided and comparison is not None and not comparison.right:
            return self._verdict(False, Stage.INTERFACE, comparison.reason, comparison.evidence(), execution)
        left, spec = evidence.left, evidence.expected.spec if evidence.expected else None
        if decided and comparison is not None and left is not None and spec is not None:
            differences = "\n".join(map(str, left.differences))
            if left.harm or (left.differences and not comparison.extras):
                reason = "outcome-destroyed" if left.harm else _lacking(left.differences)
                return self._verdict(False, Stage.OUTCOME, reason, f"{differences}\n{lines}", execution)
            if not left.differences and not spec.weak:
                return self._verdict(True, Stage.OUTCOME, "right-unwitnessed", lines, execution)
        reason = "exit-0-unwitnessed" if decided else "not-witnessed"
        return self._verdict(decided, Stage.EXECUTION, reason, lines, execution)

    def _verdict(
        self, passed: bool, stage: Stage, reason: str, evidence: str, execution: Execution | None = None
    ) -> Verdict:
        return Verdict(self.policy, passed, stage, reason, evidence, execution.seconds if execution else 0.0)


def _settings(comparison: Comparison) -> set[str]:
    """The settings that nobody asked for, each with its value."""
    return {line.partition(", not ")[0] for line in comparison.unasked}


def _checked(check: Check | None) -> set[str]:
    """The settings of an answer, each with its value, as the check saw them."""
    done = acts(check.invocations) if check else []
    return {f"{name} = {shown(value)}" for act in done for name, value in act.values.items()}


def _work_of(expected: Expected, standard: Expectation) -> set[str]:
    """The files of the repository that do the work: but for the programs' own, if those only start it."""
    programs = {act.name for act in standard.acts if act.is_program}
    return set(expected.used) - programs or set(expected.used)


def _lacking(differences: Sequence[Difference]) -> str:
    """The reason of the gravest difference."""
    lacks = {each.lack for each in differences}
    if Lack.CONTENT in lacks:
        return "wrong-outcome"
    return "outcome-missing" if Lack.FILE in lacks else "figures-missing"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True)
class Paper:
    """The published rule, exactly: value substrings, `.py ` or `.sh ` for a script, exit 0 or still running.

    Source: `utils/exec.py` of the published harness.

    Args:
        timeout: seconds after which a running program counts as a success (there 10; 4 and 7 for two repositories).
    """

    timeout: float = 10.0
    policy: Policy = Policy.PAPER

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
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

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        # at the limit the clock may read a little less than the limit
        timed_out = execution.ending is ExitKind.TIMEOUT or execution.seconds >= self.timeout
        passed = timed_out or exited_well(execution)
        reason = ExitKind.TIMEOUT.value if timed_out else _ended(execution)
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


def has_script_marker(code: str) -> bool:
    """What the published harness takes for a script: `.py ` or `.sh `, each with a blank behind it."""
    return ".sh " in code or ".py " in code


def exited_well(execution: Execution) -> bool:
    """Ended by itself, with exit code 0."""
    return execution.ending is ExitKind.EXITED and execution.exit_code == 0


def _ended(execution: Execution) -> str:
    if execution.ending is not ExitKind.EXITED:
        return execution.ending.value
    return "exit-0" if execution.exit_code == 0 else "exit-code"


def describe(execution: Execution) -> str:
    """How it ended, and its last lines, safe to show in a terminal or a page."""
    how = {
        ExitKind.EXITED: f"exit {execution.exit_code}",
        ExitKind.TIMEOUT: "ended at the time limit",
        ExitKind.MEMORY: "killed at the memory limit",
    }[execution.ending]
    figures = f"{how}, {execution.seconds:.2f} s, {execution.peak_memory / 2**20:.0f} MiB"
    return "\n".join([figures, *(last_lines(execution.stderr) or last_lines(execution.stdout))])


def last_lines(text: str, count: int = EVIDENCE_LINES) -> list[str]:
    """The last lines of an output without control characters, each cut to 300 characters."""
    clean = _ESCAPES.sub("", text[-20_000:])
    clean = "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in clean.replace("\r", "\n"))
    return [line[:300] for line in clean.splitlines() if line.strip()][-count:]
