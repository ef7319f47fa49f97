"""Error findings of a wrong answer, E1 to E4 (ML-Bench, section 5.2).

Pure: evidence in, findings out.

`error_taxonomy.py` has the table from a reason to a kind. `shell_mistakes.py` refines a reason if the table alone says
too little. A finding that only follows from another one is dropped. `docs/reference/errors.md` has the conventions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mlbench.judging.arguments import token_hits
from mlbench.judging.call_sites import CallSite
from mlbench.judging.comparison import Comparison, MatchState
from mlbench.judging.error_taxonomy import (
    CHOICES,
    DOMAIN,
    INVENTED,
    NAMES,
    REASONS,
    SHELL,
    SYNTAX,
    Error,
    ErrorFinding,
    found_by,
)
from mlbench.judging.repository_use import uses_repository
from mlbench.judging.shell_mistakes import PLACEHOLDER, refined, script_findings, slips
from mlbench.judging.unparsed_errors import unparsed_error
from mlbench.judging.value_diffs import Mismatch, from_matches, from_words, number
from mlbench.judging.values import MatchStrength, carries
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, Execution, ExitKind, Invocation, Sample

_PERCENT = re.compile(r"%|percent|per cent|share|half|halves|third|quarter|fifth|tenth", re.I)

_CAUSES = {
    Reason.UNRESOLVED_VARIABLE,
    Reason.FAILED_ASSIGNMENT,
    Reason.WRONG_CONCATENATION,
    Reason.STRAY_WORD,
    Reason.BROKEN_CONTINUATION,
    Reason.LITERAL_DOLLAR,
    Reason.CUT_BY_COMMENT,
    Reason.VARIABLE_NOT_PASSED,
}
_CONSEQUENCES = {Reason.WRONG_NUMBER_OF_VALUES, Reason.NO_SUCH_FILE, Reason.MISSING_ARGUMENT, Reason.ABSENT_ARGUMENT}
"""Reasons that only follow from one of the causes, and are then not counted."""


def classify(
    sample: Sample,
    candidate: Candidate,
    check: Check | None = None,
    reference: Sequence[CallSite] = (),
    comparison: Comparison | None = None,
    execution: Execution | None = None,
) -> tuple[ErrorFinding, ...]:
    """Find the errors of a wrong answer, each kind once; none if nothing says what is wrong.

    Args:
        sample: the sample.
        candidate: the answer.
        check: the candidate's interface check; None if there was none.
        reference: the calls of the sample's reference; their options are the known ones.
        comparison: the candidate's configuration, compared with the reference's.
        execution: used only if the check and the comparison say nothing.
    """
    if candidate.kind is not None and candidate.kind != sample.kind:
        return _once([found_by(Reason.WRONG_KIND, f"{candidate.kind} where {sample.kind} is wanted")])
    if candidate.source == Reason.NO_ANSWER:
        return ()
    if candidate.kind is None:
        return _once([unparsed_error(sample, candidate, reference)])
    findings = [] if check is None else list(_refusals(candidate, check))
    findings += slips(sample, candidate) if sample.kind == "shell" else []
    ended = [] if execution is None else list(_ended(sample, candidate, execution))
    if comparison is not None and check is not None:
        findings = _compared(sample, candidate, check, reference, comparison, findings, ended)
    findings = findings or ended
    telling = [
        finding for finding in findings if finding.reason != Reason.RAISED
    ]  # it says only that something is wrong
    findings = telling or findings
    if any(finding.reason in _CAUSES for finding in findings):
        findings = [finding for finding in findings if finding.reason not in _CONSEQUENCES]
    if findings and not uses_repository(sample, candidate, check, reference):
        invented = [finding for finding in findings if finding.error == INVENTED]
        return _once(invented or [found_by(Reason.NOT_A_CALL_OF_THE_REPOSITORY, findings[0].evidence)])
    return _once(findings)


def _once(findings: Iterable[ErrorFinding]) -> tuple[ErrorFinding, ...]:
    kept: dict[Error, ErrorFinding] = {}
    for finding in findings:
        kept.setdefault(finding.error, finding)
    return tuple(kept.values())


def _refusals(candidate: Candidate, check: Check) -> Iterator[ErrorFinding]:
    """One finding per rejected invocation, or one for the whole check if none explains it."""
    refused = [item for item in check.invocations if item.status is CheckStatus.REJECTED]
    refusals: list[Check | Invocation] = [*refused]
    if check.status is CheckStatus.REJECTED and all(item.reason != check.reason for item in refused):
        refusals.append(check)
    for item in refusals:
        reason = refined(Reason(item.reason), item.message, candidate)
        if reason in REASONS:
            yield found_by(reason, item.message or item.reason)


def _unreached(
    sample: Sample, candidate: Candidate, comparison: Comparison, findings: Sequence[ErrorFinding]
) -> Iterator[ErrorFinding]:
    """Findings beyond a refusal: programs that are never named, values that are never given."""
    reasons = {finding.reason for finding in findings}
    for missing in comparison.missing:
        file = re.search(r"\w+\.py$", missing)
        name = file[0] if file else next(part for part in reversed(missing.split(".")) if not part.startswith("__"))
        named = re.compile(rf"\b{re.escape(name)}\b")
        if (
            named.search(sample.output)
            and not named.search(candidate.code)
            and not reasons & {Reason.NO_SUCH_FILE, Reason.UNDEFINED_NAME}
        ):
            yield found_by(Reason.WRONG_PROGRAM, f"never named: {missing}")
    if comparison.missing and sample.kind == "shell" and reasons <= {Reason.NO_SUCH_FILE, Reason.NO_SUCH_FOLDER}:
        for name, hit in token_hits(candidate, sample.required()).by_name.items():
            if not hit and "/" not in sample.required()[name]:
                yield found_by(Reason.ABSENT_ARGUMENT, f"{name} is never said")


def _compared(
    sample: Sample,
    candidate: Candidate,
    check: Check,
    reference: Sequence[CallSite],
    comparison: Comparison,
    findings: list[ErrorFinding],
    ended: Sequence[ErrorFinding],
) -> list[ErrorFinding]:
    """Add what the comparison says; what follows from a refusal is not counted again.

    Args:
        ended: findings from the end of the execution; they count if they concern a value that the comparison rejects.
    """
    refused = [item for item in check.invocations if item.status is CheckStatus.REJECTED]
    programs = {call.name for call in reference}
    elsewhere = [item.program for item in refused if item.parser and item.program not in programs]
    if elsewhere and comparison.missing:
        return [found_by(Reason.WRONG_PROGRAM, f"{', '.join(elsewhere)} for {', '.join(comparison.missing)}")]
    if any(item.program.endswith(".sh") for item in refused) and (script := script_findings(sample, candidate)):
        return script
    if refused or findings:
        mismatches, unknown = from_words(sample, refused, reference, comparison)
        if unknown and all(finding.error != NAMES for finding in findings):
            findings.append(found_by(Reason.UNKNOWN_ARGUMENT, f"unknown here: {' '.join(unknown)}"))
        findings += _unreached(sample, candidate, comparison, findings)
        wrong = [match for match in comparison.matches if match.state is MatchState.WRONG]
        mismatches += [m for m in from_matches(sample, candidate, check, reference, wrong) if m.found is not None]
    else:
        if comparison.missing:
            evidence = f"never reached: {', '.join(comparison.missing)}"
            return script_findings(sample, candidate) or [found_by(Reason.WRONG_PROGRAM, evidence)]
        bad = [match for match in comparison.matches if match.state in (MatchState.WRONG, MatchState.ABSENT)]
        mismatches = from_matches(sample, candidate, check, reference, bad)
        findings += [f for f in ended if any(m.found and _is_mentioned(m, f.evidence) for m in mismatches)]
        findings += [found_by(Reason.HARMFUL_ARGUMENT, item) for item in comparison.harmful]
        findings += [found_by(Reason.NO_SUCH_FILE, item) for item in comparison.missing_paths]
        if not bad:
            findings += [found_by(Reason.STRAY, item) for item in comparison.extra_calls]
    mentioned = " ".join(finding.evidence for finding in findings)
    required = sample.required()
    misplaced = {m.argument for m in mismatches if m.found is not None and m.found == required.get(m.argument)}
    for mismatch in mismatches:
        if mismatch.found and not mismatch.refused and _is_mentioned(mismatch, mentioned):
            continue  # the finding on its refusal or its missing file counts
        reason = _of_value(sample, mismatch)
        if mismatch.found is None and mismatch.argument in misplaced:
            continue
        if mismatch.refused and reason not in (Reason.SWAPPED_VALUES, Reason.WRONG_UNIT):
            continue
        if mismatch.refused:
            findings = [finding for finding in findings if finding.error not in (CHOICES, DOMAIN)]
        if mismatch.found is None and any(finding.error in (NAMES, SHELL, SYNTAX) for finding in findings):
            continue
        if mismatch.found is None:
            evidence = f"{mismatch.argument}: nothing for {mismatch.wanted}"
        else:
            evidence = f"{mismatch.argument}: {mismatch.found} for {mismatch.wanted}"
        findings.append(found_by(reason, evidence))
    return findings


def _is_mentioned(mismatch: Mismatch, text: str) -> bool:
    words = [word for word in (mismatch.found, mismatch.wanted) if word and number(word) is None]
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)


def _of_value(sample: Sample, mismatch: Mismatch) -> Reason:
    """The reason why a required value is missing."""
    found = mismatch.found
    if found is None:
        return Reason.ABSENT_ARGUMENT
    others = [value for value in sample.required().values() if value != mismatch.wanted]
    if any(carries(other, found) is MatchStrength.EXACTLY for other in others):
        return Reason.SWAPPED_VALUES
    if PLACEHOLDER.search(found):
        return Reason.PLACEHOLDER
    ours, theirs = number(mismatch.wanted), number(found)
    if ours is not None and theirs is not None:
        percent = any(abs(theirs - ours * factor) <= 1e-9 * abs(ours) for factor in (100, 0.01))
        return Reason.WRONG_UNIT if ours and percent and _PERCENT.search(sample.instruction) else Reason.WRONG_VALUE
    if any(re.search(rf"{re.escape(o)}[ =]['\"]?{re.escape(found)}\b", sample.oracle) for o in mismatch.options):
        return Reason.WRONG_VALUE  # copied from the documentation
    if not mismatch.refused and mismatch.wanted.isalnum() and found.isalnum() and not _names(sample, mismatch.wanted):
        return Reason.WRONG_MEANING
    return Reason.WRONG_VALUE


def _names(sample: Sample, wanted: str) -> bool:
    """Whether the instruction gives a value literally, so that its meaning need not be known."""
    words = re.findall(r"\w+", sample.instruction.casefold())
    value = wanted.casefold()
    return any(word == value or (len(value) > 3 and word.startswith(value)) for word in words)


def _ended(sample: Sample, candidate: Candidate, execution: Execution) -> Iterator[ErrorFinding]:
    """Findings from the end of an execution, if nothing else explains it."""
    if execution.ending is not ExitKind.EXITED or execution.exit_code == 0:
        return
    last = execution.stderr.strip().splitlines()[-1:]
    message = last[0] if last else ""
    if script := script_findings(sample, candidate):
        yield from script
        return
    reason = refined(Reason.RAISED, message, candidate)
    yield found_by(reason, message or f"exit code {execution.exit_code}")
