"""What the reasons of verdicts mean, and why nothing was compared: a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

from mlbench.records import ExitKind, Policy, Verdict
from mlbench.results.models import AttemptRecord

REASONS: Mapping[str, str] = {
    # what an answer left behind
    "right": "It did what was asked with the repository's own code, and left behind what the reference leaves behind.",
    "other-route": "It took another way than the reference, with the repository's code, and left the same behind.",
    "wrong-outcome": "A file that it left differs from the reference's.",
    "outcome-missing": "A file that the reference leaves behind is not there.",
    "figures-missing": "A figure that the reference prints is not in the output.",
    "outcome-destroyed": "It removed or changed files of the repository that the reference leaves alone.",
    "not-proven": "Run again on the answer's own input, the reference does not come to the answer's result.",
    "unasked-change": "A setting that nobody asked for is not the reference's.",
    # how it ended
    "exit-0": "It ended by itself with exit code 0.",
    "right-unwitnessed": "Its settings and what it left behind are the reference's; nothing saw what ran.",
    "exit-0-unwitnessed": "It ended with exit code 0 after the interface check found it right; nothing saw what ran.",
    "running": "At the time limit it still worked, with the right settings, and was as far as the reference.",
    "timeout": "It reached the time limit without being right so far.",
    "exit-code": "It ended with an exit code other than 0.",
    "memory-limit": "It was ended because it used more memory than it may.",
    "process-limit": "It filled its sandbox with processes.",
    "program-failed": "The answer ended with exit code 0, but the program in it failed.",
    "not-witnessed": "It ended well, but the required program or call was not seen to run.",
    "not-honest": "The program was seen to run, but what it reports cannot be trusted.",
    "keyboard-interrupt": "`KeyboardInterrupt` stands in its output, which the published rule takes for a pass.",
    # the reply
    "no-answer": "The reply holds no answer.",
    "no-code": "No code was found in the reply.",
    "syntax": "The code is neither a shell script nor Python.",
    "no-run-script": "The agent left no `run.sh`.",
    "no-python-file": "The `run.sh` starts no Python file, and the row asks for Python.",
    "workspace-not-carried": "The agent's folder could not be carried over to the trial.",
    # its settings, against the reference's
    "wrong-program": "A program or function of the reference is never reached.",
    "wrong-value": "A required argument has another value.",
    "absent-argument": "A required argument is not given.",
    "harmful-argument": "A setting turns the task into another one.",
    "stray": "It also does the same with other values, or starts something else of the repository.",
    # what the check says of the command or the code (docs/reference/probe.md)
    "unknown-argument": "The program takes no such option or word.",
    "ambiguous-argument": "An abbreviation stands for several options.",
    "missing-argument": "An argument that the program requires is not given.",
    "invalid-choice": "A value is none of the choices.",
    "invalid-type": "A value cannot be read as its type.",
    "wrong-number-of-values": "One option has too few or too many values.",
    "conflicting-arguments": "Two arguments exclude each other.",
    "usage": "The program refuses the command line.",
    "help": "Help or a version is asked for instead of a run.",
    "no-such-file": "A file that is needed is not there.",
    "no-such-folder": "The folder to start in is not there.",
    "no-such-module": "A module cannot be found.",
    "no-such-name": "The repository's module has no such name.",
    "no-such-program": "The command is not found, or the file is not executable.",
    "not-a-call-of-the-repository": "Nothing of the repository is started or called.",
    "nothing": "There is no code.",
    "shell-syntax": "The shell cannot read the text.",
    "python-syntax": "Python cannot read the code.",
    "undefined-name": "The code uses a name that it never defines.",
    "unresolved-variable": "A shell variable without a value reaches the command.",
    "placeholder": "A place to be filled in reaches the command.",
    "pasted-characters": "Dashes, quotes or spaces are those of a document, not of a shell.",
    "call-does-not-bind": "A call does not fit the function's parameters.",
    "raised": "The program, or a call into the repository, raises an exception.",
    "import-fails": "A module of the repository fails to import.",
    "touches-code": "The text changes the repository's code, or what runs it, before it is run.",
    "undecided": "The check could not tell whether the program accepts this, which is not a pass.",
    "broken": "The repository's own program fails at this commit, whatever the arguments.",
}
"""By reason; a reason such as `undecided: stub` is explained by the word before the colon."""

_ELSEWHERE: Mapping[tuple[Policy, str], str] = {
    (Policy.INTERFACE, "right"): "The repository's own program accepts it, with the settings that were asked for.",
    (Policy.PAPER, "missing-argument"): "A required value does not stand in the text.",
    (
        Policy.PAPER,
        "wrong-kind",
    ): "A script's text lacks `.py ` and `.sh `, or the text of Python code holds one of them.",
    (Policy.PAPER, "timeout"): "It still ran when its time was up, which the published rule takes for a pass.",
}
"""What a reason means under another policy than `strict`, if that is something else."""


def explained(policy: Policy, reason: str) -> str:
    """What a verdict's reason means, in a sentence; empty if nothing is known of it."""
    if (policy, reason) in _ELSEWHERE:
        return _ELSEWHERE[policy, reason]
    return REASONS.get(reason) or REASONS.get(reason.partition(":")[0], "")


def not_compared(attempt: AttemptRecord) -> str:
    """Why nothing was compared with what the reference leaves behind, after "because"; empty if something was."""
    outcome, process, verdict = attempt.outcome, attempt.process, attempt.verdict(Policy.STRICT)
    if outcome is not None and outcome.fault:
        return f"the reference itself failed: {outcome.fault}"
    if outcome is not None:
        nothing = not outcome.items and outcome.proof is None
        return "the reference left nothing that an answer can be held against" if nothing else ""
    if not attempt.scored:
        return "the attempt was not scored"
    if verdict is None:
        return "the rows of this suite are not executed"
    if process is None:
        return f"the answer never ran: it failed before ({_how(verdict)})"
    if process.ending == ExitKind.MEMORY or (process.ending == ExitKind.EXITED and process.exit_code):
        ended = f"with exit code {process.exit_code}" if process.ending == ExitKind.EXITED else "at the memory limit"
        return f"the answer did not end well: it ended {ended}"
    if "no witness in this sandbox" in verdict.evidence:
        return "this sandbox has no witness that sees what runs and what it leaves"
    return "no outcome is declared for this row, or the log is older than this comparison"


def _how(verdict: Verdict) -> str:
    return f"{verdict.stage.value}: {verdict.reason}"


_REPLAY = (
    "This row prints little more than shapes, so the reference is run again on what the answer's calls took,"
    " and has to return what they returned."
)


def comparison_notes(attempt: AttemptRecord) -> list[str]:
    """What has to be known to read the comparison of an attempt, a sentence or two each."""
    notes = []
    outcome = attempt.outcome
    if outcome is not None and outcome.proof is not None:
        notes.append(
            f"✗ Not proven: {outcome.proof}. {_REPLAY}"
            if outcome.proof
            else f"✓ Proven: the reference made the same of the answer's own input. {_REPLAY}"
        )
    if attempt.process is not None and attempt.process.ending == ExitKind.TIMEOUT:
        notes.append("The answer was ended at the time limit: these lines say how far it had come by then.")
    return notes
