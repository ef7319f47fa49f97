"""Explanations of verdicts: what a reason means, and why nothing was compared."""

from __future__ import annotations

from collections.abc import Mapping

from mlbench.reasons import Reason
from mlbench.records import CheckStatus, ExitKind, Policy
from mlbench.results.models import AttemptRecord

REASONS: Mapping[str, str] = {
    # the outcome
    Reason.RIGHT: "It ran the repository's own code with the right settings, and its outcome equals the reference's.",
    Reason.OTHER_ROUTE: "It took another route than the reference through the repository, to the same outcome.",
    Reason.WRONG_OUTCOME: "A file that it left differs from the reference's.",
    Reason.OUTCOME_MISSING: "A file that the reference leaves is missing.",
    Reason.FIGURES_MISSING: "A figure that the reference prints is missing in the output.",
    Reason.OUTCOME_DESTROYED: "It removed or changed files of the repository that the reference does not touch.",
    Reason.NOT_PROVEN: "A replay of the reference on the answer's own input gives another result.",
    Reason.UNASKED_CHANGE: "A setting differs from the reference's, and nothing asks for that.",
    # the execution
    Reason.EXIT_0: "It exited with code 0.",
    Reason.RIGHT_UNWITNESSED: "Its settings and its outcome equal the reference's, but no witness recorded what ran.",
    Reason.EXIT_0_UNWITNESSED: "The interface check found it right and it exited with code 0, without a witness.",
    Reason.RUNNING: "It still ran at the time limit, with the right settings, and was as far as the reference.",
    Reason.TIMEOUT: "It reached the time limit and was not right so far.",
    Reason.EXIT_CODE: "It exited with a code other than 0.",
    Reason.MEMORY_LIMIT: "It was stopped at the memory limit.",
    Reason.PROCESS_LIMIT: "It filled its sandbox with processes.",
    Reason.PROGRAM_FAILED: "The answer exited with code 0, but the program in it failed.",
    Reason.NOT_WITNESSED: "It exited with code 0, but no witness recorded the required program or call.",
    Reason.TAMPERING: "A process sent reports in the recorder's place.",
    "not-honest": "The program was recorded, but the record cannot be trusted.",  # in logs of earlier versions
    Reason.KEYBOARD_INTERRUPT: "`KeyboardInterrupt` is in its output, and the published rule counts that as a pass.",
    # the reply
    Reason.NO_ANSWER: "The reply holds no answer.",
    Reason.NO_CODE: "The reply holds no code.",
    Reason.SYNTAX: "The code is neither a shell script nor Python.",
    Reason.WRONG_KIND: "The answer is Python where the row asks for a shell script, or the other way round.",
    Reason.CONTEXT_OVERFLOW: "The endpoint refused the prompt because it is too long.",
    Reason.NO_RUN_SCRIPT: "The agent left no `run.sh`.",
    Reason.NO_PYTHON_FILE: "The `run.sh` starts no Python file, and the row asks for Python.",
    Reason.WORKSPACE_NOT_CARRIED: "The agent's folder could not be copied to the trial.",
    Reason.CUT_SHORT: "The `run.sh` ends the program, or ends itself, before the program can have done its work.",
    Reason.MISSING_PACKAGE: "The environment that the agent made has no package with a module that is imported.",
    Reason.GAVE_UP: "The agent left no `run.sh`, and its last message says that it cannot do the task.",
    Reason.ASKED_HUMAN: "The agent asked a person instead of finishing.",
    # the configuration, compared with the reference's
    Reason.WRONG_PROGRAM: "A program or function of the reference is never reached.",
    Reason.WRONG_VALUE: "A required argument has another value.",
    Reason.ABSENT_ARGUMENT: "A required argument is not given.",
    Reason.HARMFUL_ARGUMENT: "A setting turns the task into another one.",
    Reason.STRAY: "It also does the same with other values, or starts another program of the repository.",
    Reason.UNDECIDED_REFERENCE: "The reference itself is not accepted, so there is nothing to compare with.",
    Reason.NOT_RUN: "The row cannot be run here, so this policy has no verdict.",
    # the interface check (docs/reference/reasons.md)
    Reason.UNKNOWN_ARGUMENT: "The program has no such option or word.",
    Reason.AMBIGUOUS_ARGUMENT: "An abbreviation matches several options.",
    Reason.MISSING_ARGUMENT: "An argument that the program requires is not given.",
    Reason.INVALID_CHOICE: "A value is not one of the choices.",
    Reason.INVALID_TYPE: "A value cannot be read as its type.",
    Reason.WRONG_NUMBER_OF_VALUES: "An option has too few or too many values.",
    Reason.CONFLICTING_ARGUMENTS: "Two arguments exclude each other.",
    Reason.USAGE: "The program refuses the command line.",
    Reason.HELP: "It asks for help or a version instead of a run.",
    Reason.NO_SUCH_FILE: "A required file is missing.",
    Reason.NO_SUCH_FOLDER: "The folder to start in is missing.",
    Reason.NO_SUCH_MODULE: "A module cannot be found.",
    Reason.NO_SUCH_NAME: "The repository's module has no such name.",
    Reason.NO_SUCH_PROGRAM: "The command is not found, or the file is not executable.",
    Reason.NOT_A_CALL_OF_THE_REPOSITORY: "It starts or calls nothing of the repository.",
    Reason.RUN_WITH_M: "A file with relative imports is run as a script; it needs `python -m`.",
    Reason.NOTHING: "There is no code.",
    Reason.SHELL_SYNTAX: "The shell cannot read the text.",
    Reason.PYTHON_SYNTAX: "Python cannot read the code.",
    Reason.UNDEFINED_NAME: "The code uses a name that it never defines.",
    Reason.UNRESOLVED_VARIABLE: "A shell variable without a value reaches the command.",
    Reason.PLACEHOLDER: "A placeholder reaches the command.",
    Reason.PASTED_CHARACTERS: "Dashes, quotes or spaces are those of a document, not of a shell.",
    Reason.NUL_BYTE: "The text holds a NUL byte.",
    Reason.TOO_LONG: "The text is longer than the check reads.",
    Reason.REMOTE_CODE: "The text downloads code and runs it.",
    Reason.UNSTEADY: "Random numbers or the clock decide which programs the text starts.",
    Reason.MALFORMED_LINE: "A line of the batch cannot be read.",
    Reason.CALL_DOES_NOT_BIND: "A call does not fit the function's parameters.",
    Reason.RAISED: "The program, or a call into the repository, raises an exception.",
    Reason.IMPORT_FAILS: "A module of the repository fails to import.",
    Reason.TOUCHES_CODE: "The text changes the repository's code, or what runs it, before it is run.",
    Reason.EXITS_EARLY: "The program ends before it reads its command line.",
    Reason.NEVER_PARSES: "The program ended and never read its command line.",
    Reason.READS_ARGV_BY_HAND: "The program reads `sys.argv` itself and refuses nothing.",
    Reason.READS_INPUT: "The program asks for input, and there is none.",
    Reason.TIME_LIMIT: "The check reached a time limit.",
    Reason.CANNOT_FOLLOW: "The check cannot follow what the text or the program does.",
    Reason.STUB: "The result depends on a library that is not installed here.",
    Reason.CONFLICTING_OPTIONS: "The program defines an option twice.",
    # refinements for the error classes
    Reason.WRONG_UNIT: "A value is in another unit, for example percent for a share.",
    Reason.WRONG_MEANING: "A value does not mean what the instruction describes.",
    Reason.SWAPPED_VALUES: "The value belongs to another argument.",
    Reason.WRONG_CONCATENATION: "A variable and the text beside it are joined wrongly.",
    Reason.STRAY_WORD: "The shell takes an option or a setting for a command.",
    Reason.BROKEN_CONTINUATION: "A line break ends the command too early.",
    Reason.LITERAL_DOLLAR: "Quotes keep the shell from replacing a variable.",
    Reason.CUT_BY_COMMENT: "A comment cuts the command off.",
    Reason.VARIABLE_NOT_PASSED: "A variable is set, but the program does not get it.",
    Reason.FAILED_ASSIGNMENT: "An assignment fails, for example because of spaces around `=`.",
    Reason.PLACEHOLDER_PATH: "The path is a placeholder.",
    CheckStatus.UNDECIDED: "The check could not tell whether the program accepts this, and that is not a pass.",
    CheckStatus.BROKEN: "The repository's own program fails at this commit, whatever the arguments.",
}
"""Meaning by reason. A reason such as `undecided: stub` is explained by the word before the colon."""

_UNDER_POLICY: Mapping[tuple[Policy, str], str] = {
    (Policy.INTERFACE, Reason.RIGHT): "The repository's own program accepts it, with the right settings.",
    (Policy.PAPER, Reason.MISSING_ARGUMENT): "A required value is not in the text.",
    (Policy.PAPER, Reason.WRONG_KIND): "A script must contain `.py ` or `.sh `, and Python code neither of them.",
    (Policy.PAPER, Reason.TIMEOUT): "It still ran at the time limit, and the published rule counts that as a pass.",
}
"""Meaning by policy and reason, if it is not the one in `REASONS`."""


def explained(policy: Policy, reason: str) -> str:
    """Explain a verdict's reason in one sentence; empty if the reason is unknown."""
    if (policy, reason) in _UNDER_POLICY:
        return _UNDER_POLICY[policy, reason]
    return REASONS.get(reason) or REASONS.get(reason.partition(":")[0], "")


def not_compared(attempt: AttemptRecord) -> str:
    """Why the outcome was not compared with the reference's, as a clause after "because".

    Empty if it was.
    """
    outcome, process, verdict = attempt.outcome, attempt.process, attempt.verdict(Policy.STRICT)
    if outcome is not None and outcome.fault:
        return f"the reference itself failed: {outcome.fault}"
    if outcome is not None:
        nothing = not outcome.items and outcome.proof is None
        return "the reference left nothing to compare with" if nothing else ""
    if not attempt.scored:
        return "the attempt was not scored"
    if verdict is None:
        return "the rows of this suite are not executed"
    if process is None:
        return f"the answer never ran: it failed before ({verdict.stage.value}: {verdict.reason})"
    if process.ending == ExitKind.MEMORY:
        return "the answer did not end well: it was stopped at the memory limit"
    if process.ending == ExitKind.EXITED and process.exit_code:
        return f"the answer did not end well: it exited with code {process.exit_code}"
    if "no witness in this sandbox" in verdict.evidence:
        return "this sandbox has no witness that records what runs and what it leaves"
    return "no outcome is declared for this row, or the log is older than this comparison"


_REPLAY = (
    "This row prints little more than shapes, so the reference is run again on the input of the answer's calls,"
    " and must return what they returned."
)


def comparison_notes(attempt: AttemptRecord) -> list[str]:
    """Notes that a reader needs to read the comparison of an attempt, one or two sentences each."""
    notes = []
    outcome = attempt.outcome
    if outcome is not None and outcome.proof is not None:
        notes.append(
            f"✗ Not proven: {outcome.proof}. {_REPLAY}"
            if outcome.proof
            else f"✓ Proven: the reference gives the same result on the answer's own input. {_REPLAY}"
        )
    if attempt.process is not None and attempt.process.ending == ExitKind.TIMEOUT:
        notes.append("The answer was stopped at the time limit: these lines show how far it had come.")
    return notes
