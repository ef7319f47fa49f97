"""The policies: the published rule, kept for comparison, and the strict one. Nothing runs here.

A rule first looks at the answer alone (`before`): it decides, or asks for an execution. Then it judges what happened
(`after`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from mlbench.types import Candidate, Ending, Execution, Policy, Sample, Stage, Verdict
from mlbench.verdict.arguments import published_hits, token_hits

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
EVIDENCE_LINES = 12


class Rule(Protocol):
    @property
    def policy(self) -> Policy: ...

    def before(self, sample: Sample, candidate: Candidate) -> Verdict | None:
        """The verdict where the answer alone decides it; None where it has to run."""
        ...

    def after(self, sample: Sample, candidate: Candidate, execution: Execution) -> Verdict:
        """The verdict over what happened when it ran."""
        ...


@dataclass(frozen=True)
class Strict:
    """Right kind, every required value as a whole token, exit 0 within the limit. A time-out does not pass.

    Args:
        limit: seconds of wall time; one that ran longer, for another policy's sake, has timed out.
    """

    limit: float = float("inf")
    policy: Policy = Policy.STRICT

    def before(self, sample: Sample, candidate: Candidate) -> Verdict | None:
        if not candidate.code.strip():
            return self._fail(Stage.EXTRACTION, "no-code", candidate.fault)
        if candidate.kind is None:
            return self._fail(Stage.KIND, "syntax", candidate.fault)
        if candidate.kind != sample.kind:
            return self._fail(Stage.KIND, "wrong-kind", f"{sample.kind} is wanted, this is {candidate.kind}")
        hits = token_hits(candidate, sample.required())
        if hits.missing:
            wanted = sample.required()
            missing = ", ".join(f"{name} = {wanted[name]}" for name in hits.missing)
            return self._fail(Stage.ARGUMENTS, "missing-argument", f"not in the answer: {missing}")
        return None

    def after(self, sample: Sample, candidate: Candidate, execution: Execution) -> Verdict:
        if execution.seconds > self.limit:
            return self._ran(False, Ending.TIMEOUT.value, execution)
        return self._ran(_exited_well(execution), _ended(execution), execution)

    def _fail(self, stage: Stage, reason: str, evidence: str) -> Verdict:
        return Verdict(self.policy, False, stage, reason, evidence)

    def _ran(self, passed: bool, reason: str, execution: Execution) -> Verdict:
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


@dataclass(frozen=True)
class Paper:
    """The published rule, exactly: value substrings, `.py ` or `.sh ` for a script, exit 0 or still running.

    Source: `utils/exec.py` of the published harness.

    Args:
        timeout: seconds after which a running program counts as a success (there 10; 4 and 7 for two repositories).
    """

    timeout: float = 10.0
    policy: Policy = Policy.PAPER

    def before(self, sample: Sample, candidate: Candidate) -> Verdict | None:
        missing = published_hits(candidate.code, sample.required()).missing
        if missing:
            evidence = f"not in the text: {', '.join(missing)}"
            return Verdict(self.policy, False, Stage.ARGUMENTS, "missing-argument", evidence)
        marked = has_script_marker(candidate.code)
        if marked != (sample.kind == "shell"):
            evidence = f"`.py ` or `.sh ` {'stands' if marked else 'does not stand'} in the text"
            return Verdict(self.policy, False, Stage.KIND, "wrong-kind", evidence)
        return None

    def after(self, sample: Sample, candidate: Candidate, execution: Execution) -> Verdict:
        # at the limit the clock may read a little less than the limit
        timed_out = execution.ending is Ending.TIMEOUT or execution.seconds >= self.timeout
        passed = timed_out or _exited_well(execution)
        reason = Ending.TIMEOUT.value if timed_out else _ended(execution)
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


def has_script_marker(code: str) -> bool:
    """What the published harness takes for a script: `.py ` or `.sh `, each with a blank behind it."""
    return ".sh " in code or ".py " in code


def _exited_well(execution: Execution) -> bool:
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
