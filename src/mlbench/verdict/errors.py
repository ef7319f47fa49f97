"""E1-E4: which kinds of error a wrong answer has (ML-Bench, section 5.2). Pure: evidence in, findings out.

`REASONS` is the table from a stable reason to a kind of error. What stands beside it refines a reason where the
table alone would say too little, and drops what is only the consequence of something else. `docs/errors.md` has the
conventions.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mlbench.types import Candidate, Check, Ending, Execution, Invocation, Sample, Status
from mlbench.verdict.arguments import token_hits
from mlbench.verdict.interface import Act, Comparison, State
from mlbench.verdict.mismatches import FLAG, Mismatch, before_choices, from_matches, from_words, number
from mlbench.verdict.values import Carried, carries


class ErrorClass(StrEnum):
    HALLUCINATION = "E1"
    KNOWLEDGE = "E2"
    MANIPULATION = "E3"
    SYNTAX = "E4"


class SubKind(StrEnum):
    """The kinds of missing knowledge (E2); the paper's "code inner information" are the first two."""

    NAMES = "parameter-names"
    CHOICES = "choices"
    DOMAIN = "domain"
    SHELL = "shell-grammar"
    PATHS = "local-paths"


@dataclass(frozen=True)
class Error:
    """A kind of error: its class and, for E2, its sub-kind. Written `E2/choices`."""

    error_class: ErrorClass
    sub_kind: SubKind | None = None

    def __str__(self) -> str:
        return f"{self.error_class}/{self.sub_kind}" if self.sub_kind else str(self.error_class)


@dataclass(frozen=True)
class Finding:
    """One error of an answer, the reason that led to it, and the evidence in words."""

    error: Error
    reason: str
    evidence: str = ""


INVENTED = Error(ErrorClass.HALLUCINATION)
NAMES, CHOICES, DOMAIN, SHELL, PATHS = (Error(ErrorClass.KNOWLEDGE, kind) for kind in SubKind)
MISPUT = Error(ErrorClass.MANIPULATION)
SYNTAX = Error(ErrorClass.SYNTAX)

REASONS: Mapping[str, Error] = {
    # the language and the program
    "wrong-kind": INVENTED,
    "nothing": INVENTED,
    "wrong-program": INVENTED,
    "harmful-argument": INVENTED,
    "stray": INVENTED,
    "not-a-call-of-the-repository": INVENTED,
    "no-such-module": INVENTED,
    "import-fails": INVENTED,
    "no-such-name": INVENTED,
    "no-such-program": INVENTED,
    "help": INVENTED,
    "touches-code": INVENTED,
    "too-long": INVENTED,
    # what a program or a function takes
    "unknown-argument": NAMES,
    "ambiguous-argument": NAMES,
    "missing-argument": NAMES,
    "absent-argument": NAMES,
    "call-does-not-bind": NAMES,
    "invalid-choice": CHOICES,
    "invalid-type": CHOICES,
    "wrong-number-of-values": CHOICES,
    "conflicting-arguments": DOMAIN,
    "usage": DOMAIN,
    "wrong-unit": DOMAIN,
    "wrong-meaning": DOMAIN,
    # the shell and the folders
    "pasted-characters": SHELL,
    "stray-word": SHELL,
    "broken-continuation": SHELL,
    "literal-dollar": SHELL,
    "cut-by-comment": SHELL,
    "variable-not-passed": SHELL,
    "failed-assignment": SHELL,
    "no-such-file": PATHS,
    "no-such-folder": PATHS,
    "placeholder-path": PATHS,
    # putting together what is known
    "wrong-value": MISPUT,
    "swapped-values": MISPUT,
    "placeholder": MISPUT,
    "wrong-concatenation": MISPUT,
    "raised": MISPUT,
    # the text
    "shell-syntax": SYNTAX,
    "python-syntax": SYNTAX,
    "undefined-name": SYNTAX,
    "unresolved-variable": SYNTAX,
    "nul-byte": SYNTAX,
}
"""A reason that does not stand here (a time limit, a program broken at its commit) is no error of the answer."""

_RAISED = (
    ("undefined-name", re.compile(r"\b(?:NameError|UnboundLocalError)\b")),
    ("python-syntax", re.compile(r"\b(?:SyntaxError|IndentationError|TabError)\b")),
    ("no-such-module", re.compile(r"\b(?:ModuleNotFoundError|No module named)\b")),
    ("no-such-name", re.compile(r"\bcannot import name\b|\bAttributeError\b")),
    ("call-does-not-bind", re.compile(r"\bTypeError\b.*(?:argument|positional|keyword)", re.DOTALL)),
    ("no-such-file", re.compile(r"\b(?:FileNotFoundError|NotADirectoryError)\b|No such file|can't open file")),
    ("no-such-program", re.compile(r"command not found")),
    ("unknown-argument", re.compile(r"unrecognized arguments|Unknown command line flag")),
    ("invalid-choice", re.compile(r"\b(?:ValueError|KeyError)\b.*(?:unknown|one of|no \w+ '|known)|invalid choice")),
)
"""What an exception, or the end of an error stream, says; the first that fits. A fall-back: a check says more."""

_REFUSED = (
    ("no-such-file", re.compile(r"no such (?:\w+: )?(?:file|folder|directory|checkpoint)|cannot read", re.I)),
    ("unknown-argument", re.compile(r"unknown (?:option|key|flag|argument)", re.I)),
    ("invalid-choice", re.compile(r"unknown \w+ '|must be one of|registered:", re.I)),
)
"""What a program's own words of refusal say; the first that fits."""

_CAUSES = {
    "unresolved-variable",
    "failed-assignment",
    "wrong-concatenation",
    "stray-word",
    "broken-continuation",
    "literal-dollar",
    "cut-by-comment",
    "variable-not-passed",
}
_CONSEQUENCES = {"wrong-number-of-values", "no-such-file", "missing-argument", "absent-argument"}
"""What a text that the shell reads otherwise leads to, and what is therefore not counted beside it."""

_ASSIGNED = re.compile(r"(?:^|[\s;&(])(?:export\s+)?([A-Za-z_]\w*)=", re.M)
_SPACED = re.compile(r"(?:^|[;&]\s*)([A-Za-z_]\w*)(?:\s+=\s*|=\s+)\S", re.M)
_USAGE_WORD = re.compile(r"\[?<?[A-Z][A-Z_]+>?\]?")
_BLANK_AT_END = re.compile(r"\\[ \t]+$", re.M)
_COMMENT = re.compile(r"^[^#\n]*\S\s#\s*-.*$", re.M)
_PERCENT = re.compile(r"%|percent|per cent|share|half|halves|third|quarter|fifth|tenth", re.I)
_PLACEHOLDER_PATH = re.compile(r"(?:/?path/to|your[_-]?path|<[^<>\n]{0,60}(?:path|dir|file)[^<>\n]{0,60}>)", re.I)
_PLACEHOLDER = re.compile(r"<[A-Za-z_ -]+>|\b(?:YOUR|MY)_[A-Z_]+\b|\{[A-Za-z_]+\}")


def classify(
    sample: Sample,
    candidate: Candidate,
    check: Check | None = None,
    reference: Sequence[Act] = (),
    comparison: Comparison | None = None,
    execution: Execution | None = None,
) -> tuple[Finding, ...]:
    """The errors of a wrong answer, each kind once; none where nothing says what is wrong.

    Args:
        check: of the candidate; None where it never came to one.
        reference: the acts of the sample's reference (`Standard.acts`), whose options are the standard.
        comparison: of the candidate's configuration with the reference's.
        execution: how the candidate ended, used only where the check and the comparison say nothing.
    """
    if candidate.kind is not None and candidate.kind != sample.kind:
        return _once([_finding("wrong-kind", f"{candidate.kind} where {sample.kind} is wanted")])
    if candidate.kind is None:
        reason = f"{sample.kind}-syntax" if candidate.code.strip() else "nothing"
        if sample.kind == "shell" and _BLANK_AT_END.search(candidate.code):
            reason = "broken-continuation"
        return _once([_finding(reason, candidate.fault)])
    findings = [] if check is None else list(_refusals(sample, candidate, check))
    findings += _slips(sample, candidate) if sample.kind == "shell" else []
    if comparison is not None and check is not None:
        findings = _compared(sample, candidate, check, reference, comparison, findings)
    if not findings and execution is not None:
        findings = list(_ended(sample, candidate, execution))
    if any(finding.reason in _CAUSES for finding in findings):
        findings = [finding for finding in findings if finding.reason not in _CONSEQUENCES]
    return _once(findings)


def _finding(reason: str, evidence: str) -> Finding:
    return Finding(REASONS[reason], reason, evidence.strip())


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    kept: dict[Error, Finding] = {}
    for finding in findings:
        kept.setdefault(finding.error, finding)
    return tuple(kept.values())


def _refusals(sample: Sample, candidate: Candidate, check: Check) -> Iterator[Finding]:
    """What the check rejects, invocation by invocation; the whole where no invocation says it."""
    refused = [item for item in check.invocations if item.status is Status.REJECTED]
    said: list[Check | Invocation] = [*refused]
    if check.status is Status.REJECTED and all(item.reason != check.reason for item in refused):
        said.append(check)
    for item in said:
        reason = _refined(item.reason, item.message, candidate)
        if reason in REASONS:
            yield _finding(reason, item.message or item.reason)


def _refined(reason: str, message: str, candidate: Candidate) -> str:
    """The reason that a message and the candidate's text make more exact."""
    match reason:
        case "raised" | "exits-early" | "import-fails":
            inner = next((name for name, pattern in _RAISED if pattern.search(message)), reason)
            return inner if inner in (reason, "raised") else _refined(inner, message, candidate)
        case "unknown-argument" if "arguments:" in message and not FLAG.search(message.partition("arguments:")[2]):
            return "wrong-number-of-values"  # words that no option takes
        case "usage" | "invalid-type":
            return next((name for name, pattern in _REFUSED if pattern.search(message)), reason)
        case "unresolved-variable":
            names = re.findall(r"\w+", message)
            if any(name in names for name in _SPACED.findall(candidate.code)):
                return "failed-assignment"
            assigned = set(_ASSIGNED.findall(candidate.code))
            if any(name != other and name.startswith(other) for name in names for other in assigned):
                return "wrong-concatenation"
        case "no-such-program" if _strayed(message, candidate.code):
            return "stray-word"
        case "placeholder" if _PLACEHOLDER_PATH.search(candidate.code):
            return "placeholder-path"
        case "no-such-file" | "no-such-folder":
            return _of_path(reason, message, candidate)
    if reason in ("invalid-choice", "invalid-type") and _PLACEHOLDER.search(before_choices(message)):
        return "placeholder"
    return reason


def _strayed(message: str, code: str) -> bool:
    """Is what the shell could not start an option, a setting, or the name in `NAME = value`?"""
    words = message.replace("'", " ").replace("`", " ").replace(":", " ").split()
    return any(FLAG.match(word) or re.match(r"[\w.]+=", word) for word in words) or any(
        name in words for name in _SPACED.findall(code)
    )


def _of_path(reason: str, message: str, candidate: Candidate) -> str:
    """A path that is not there: made up, made of pieces that do not fit, or simply unknown."""
    if candidate.kind == "shell" and "$" in message:
        return "literal-dollar"
    if _PLACEHOLDER_PATH.search(message):
        return "placeholder-path"
    for path in re.findall(r"[\w./-]+", message):
        if len(path) > 1 and re.search(r"[./]", path) and path not in candidate.code and "$" in candidate.code:
            return "wrong-concatenation"
    return reason


def _slips(sample: Sample, candidate: Candidate) -> list[Finding]:
    """Signs of the shell that the text mishandles although it parses."""
    findings = []
    if line := _COMMENT.search(candidate.code):
        findings.append(_finding("cut-by-comment", line[0]))
    passed = _passed(sample.output)
    exported = set(re.findall(r"\bexport\s+([A-Za-z_]\w*)", candidate.code))
    for name in re.findall(r"(?:^|[;\s])([A-Za-z_]\w*)=[^\s;]*\s*(?:;|$)", candidate.code, re.M):
        if name in passed - exported:
            findings.append(_finding("variable-not-passed", f"{name} is set for the shell alone"))
    return findings


def _passed(code: str) -> set[str]:
    """The variables that are set for one command alone, as in `SEED=1 bash train.sh`."""
    return set(re.findall(r"(?:^|\s)([A-Za-z_]\w*)=\S*(?=[^\n;]*\s(?:bash|python3?|sh)\s)", code, re.M))


def _unreached(
    sample: Sample, candidate: Candidate, comparison: Comparison, findings: Sequence[Finding]
) -> Iterator[Finding]:
    """What a refusal does not explain: a program that the answer does not even name, values that it never says."""
    reasons = {finding.reason for finding in findings}
    for missing in comparison.missing:
        file = re.search(r"\w+\.py$", missing)
        name = file[0] if file else next(part for part in reversed(missing.split(".")) if not part.startswith("__"))
        named = re.compile(rf"\b{re.escape(name)}\b")
        if (
            named.search(sample.output)
            and not named.search(candidate.code)
            and not reasons & {"no-such-file", "undefined-name"}
        ):
            yield _finding("wrong-program", f"never named: {missing}")
    if comparison.missing and sample.kind == "shell" and reasons <= {"no-such-file", "no-such-folder"}:
        for name, hit in token_hits(candidate, sample.required()).by_name.items():
            if not hit and "/" not in sample.required()[name]:
                yield _finding("absent-argument", f"{name} is never said")


def _compared(
    sample: Sample,
    candidate: Candidate,
    check: Check,
    reference: Sequence[Act],
    comparison: Comparison,
    findings: list[Finding],
) -> list[Finding]:
    """The findings, with what the comparison adds; what follows from a refusal is not counted again."""
    refused = [item for item in check.invocations if item.status is Status.REJECTED]
    programs = {act.name for act in reference}
    elsewhere = [item.program for item in refused if item.parser and item.program not in programs]
    if elsewhere and comparison.missing:
        return [_finding("wrong-program", f"{', '.join(elsewhere)} for {', '.join(comparison.missing)}")]
    if refused or findings:
        mismatches, unknown = from_words(sample, refused, reference, comparison)
        if unknown and all(finding.error != NAMES for finding in findings):
            findings.append(_finding("unknown-argument", f"unknown here: {' '.join(unknown)}"))
        findings += _unreached(sample, candidate, comparison, findings)
        wrong = [match for match in comparison.matches if match.state is State.WRONG]
        mismatches += [m for m in from_matches(sample, candidate, check, wrong) if m.found is not None]
    else:
        if comparison.missing:
            evidence = f"never reached: {', '.join(comparison.missing)}"
            if (reason := _script_refusal(sample, candidate)) is None:
                return [_finding("wrong-program", evidence)]
            unset = _passed(sample.output) - set(_ASSIGNED.findall(candidate.code))
            return [_finding(reason, evidence), *(_finding("absent-argument", name) for name in sorted(unset))]
        bad = [match for match in comparison.matches if match.state in (State.WRONG, State.ABSENT)]
        mismatches = from_matches(sample, candidate, check, bad)
        findings += [_finding("harmful-argument", item) for item in comparison.harmful]
        findings += [_finding("no-such-file", item) for item in comparison.lost]
        if not bad:
            findings += [_finding("stray", item) for item in comparison.stray]
    said = " ".join(finding.evidence for finding in findings)
    misplaced = {mismatch.argument for mismatch in mismatches if mismatch.found == sample.required()[mismatch.argument]}
    for mismatch in mismatches:
        if mismatch.found and not mismatch.refused and _is_mentioned(mismatch, said):
            continue  # it is this value that was refused, or whose file is not there
        reason = _of_value(sample, mismatch, mismatches)
        if mismatch.found is None and mismatch.argument in misplaced:
            continue
        if mismatch.refused and reason not in ("swapped-values", "wrong-unit"):
            continue
        if mismatch.refused:
            findings = [finding for finding in findings if finding.error not in (CHOICES, DOMAIN)]
        if mismatch.found is None and any(finding.error in (NAMES, SHELL, SYNTAX) for finding in findings):
            continue
        found = "nothing" if mismatch.found is None else mismatch.found
        findings.append(_finding(reason, f"{mismatch.argument}: {found} for {mismatch.wanted}"))
    return findings


def _is_mentioned(mismatch: Mismatch, said: str) -> bool:
    words = [word for word in (mismatch.found, mismatch.wanted) if word and number(word) is None]
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in words)


def _of_value(sample: Sample, mismatch: Mismatch, all_: list[Mismatch]) -> str:
    """Why a required value is not there."""
    found = mismatch.found
    if found is None:
        return "absent-argument"
    others = [value for value in sample.required().values() if value != mismatch.wanted]
    if any(carries(other, found) is Carried.EXACTLY for other in others):
        return "swapped-values"
    if _PLACEHOLDER.search(found):
        return "placeholder"
    ours, theirs = number(mismatch.wanted), number(found)
    if ours is not None and theirs is not None:
        percent = any(abs(theirs - ours * factor) <= 1e-9 * abs(ours) for factor in (100, 0.01))
        return "wrong-unit" if ours and percent and _PERCENT.search(sample.instruction) else "wrong-value"
    if not mismatch.refused and mismatch.wanted.isalnum() and found.isalnum() and not _names(sample, mismatch.wanted):
        return "wrong-meaning"
    return "wrong-value"


def _names(sample: Sample, wanted: str) -> bool:
    """Does the instruction say a value in its own letters, so that knowing its meaning is not needed?"""
    words = re.findall(r"\w+", sample.instruction.casefold())
    value = wanted.casefold()
    return any(word == value or (len(value) > 3 and word.startswith(value)) for word in words)


def _ended(sample: Sample, candidate: Candidate, execution: Execution) -> Iterator[Finding]:
    """What the end of an execution says, where nothing else does."""
    if execution.ending is not Ending.EXITED or execution.exit_code == 0:
        return
    last = execution.stderr.strip().splitlines()[-1:]
    message = last[0] if last else ""
    if (script := _script_refusal(sample, candidate)) is not None:
        yield _finding(script, message)
        return
    reason = _refined("raised", message, candidate)
    yield _finding(reason, message or f"exit code {execution.exit_code}")


def _script_refusal(sample: Sample, candidate: Candidate) -> str | None:
    """Why a script of the repository refuses its words: swapped, too few or too many, or unknown to it."""
    ours, theirs = _script(sample.output), _script(candidate.code)
    if not ours or not theirs or ours[0] != theirs[0] or ours == theirs:
        return None
    if any(_USAGE_WORD.fullmatch(word) and word not in sample.required().values() for word in theirs):
        return "placeholder"
    if sorted(ours) == sorted(theirs):
        return "swapped-values"
    return "invalid-choice" if len(ours) == len(theirs) else "missing-argument"


def _script(code: str) -> list[str]:
    """The words of the last `bash SCRIPT ...`, the script first."""
    for line in reversed(code.splitlines()):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if "bash" in words[:-1]:
            return words[words.index("bash") + 1 :]
    return []
