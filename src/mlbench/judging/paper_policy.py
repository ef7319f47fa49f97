"""The policy `paper`: the published rule of ML-LLM-Bench, unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.judging.arguments import published_hits
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.execution_text import describe, ended_reason, exited_well
from mlbench.reasons import Reason
from mlbench.records import Execution, ExitKind, Policy, Stage, Verdict


@dataclass(frozen=True)
class Paper:
    """The published rule: value substrings, a script marker, exit 0 or still running.

    Source: `utils/exec.py` of the published harness.

    Args:
        timeout: seconds after which a running program passes (published: 10; 4 and 7 for two repositories).
    """

    timeout: float = 10.0
    policy: Policy = Policy.PAPER

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """Fail a text without the required values, or without the right script marker."""

        sample, code = evidence.sample, evidence.candidate.code
        missing = published_hits(code, sample.required()).missing
        if missing:
            lines = f"not in the text: {', '.join(missing)}"
            return Verdict(self.policy, False, Stage.ARGUMENTS, Reason.MISSING_ARGUMENT, lines)
        marked = has_script_marker(code)
        if marked != (sample.kind == "shell"):
            lines = f"`.py ` or `.sh ` {'stands' if marked else 'does not stand'} in the text"
            return Verdict(self.policy, False, Stage.KIND, Reason.WRONG_KIND, lines)
        return None

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        # at the limit the clock may read a little less than the limit
        """Pass a run that exited with code 0 or still ran at the time limit."""

        timed_out = execution.ending is ExitKind.TIMEOUT or execution.seconds >= self.timeout
        passed = timed_out or exited_well(execution)
        reason = Reason.TIMEOUT if timed_out else ended_reason(execution)
        return Verdict(self.policy, passed, Stage.EXECUTION, reason, describe(execution), execution.seconds)


def has_script_marker(code: str) -> bool:
    """Whether the published harness takes a text for a script: it contains `.py ` or `.sh `."""
    return ".sh " in code or ".py " in code
