"""Refine a reason by the message and the answer's text."""

from __future__ import annotations

import re
import shlex

from mlbench.judging.error_taxonomy import ErrorFinding, found_by
from mlbench.judging.value_diffs import FLAG, before_choices
from mlbench.reasons import Reason
from mlbench.records import Candidate, Sample
from mlbench.shell import assignments

_RAISED = (
    (Reason.UNDEFINED_NAME, re.compile(r"\b(?:NameError|UnboundLocalError)\b")),
    (Reason.PYTHON_SYNTAX, re.compile(r"\b(?:SyntaxError|IndentationError|TabError)\b")),
    (Reason.NO_SUCH_MODULE, re.compile(r"\b(?:ModuleNotFoundError|No module named)\b")),
    (Reason.NO_SUCH_NAME, re.compile(r"\bcannot import name\b|\bAttributeError\b")),
    (Reason.CALL_DOES_NOT_BIND, re.compile(r"\bTypeError\b.*(?:argument|positional|keyword)", re.DOTALL)),
    (Reason.NO_SUCH_FILE, re.compile(r"\b(?:FileNotFoundError|NotADirectoryError)\b|No such file|can't open file")),
    (Reason.NO_SUCH_PROGRAM, re.compile(r"command not found")),
    (Reason.UNKNOWN_ARGUMENT, re.compile(r"unrecognized arguments|Unknown command line flag")),
    (
        Reason.INVALID_CHOICE,
        re.compile(r"\b(?:ValueError|KeyError)\b.*(?:unknown|one of|no \w+ '|known)|invalid choice"),
    ),
)
"""Reason by pattern for an exception or an error stream's end; the first match counts. A check says more."""

_REFUSED = (
    (Reason.NO_SUCH_FILE, re.compile(r"no such (?:\w+: )?(?:file|folder|directory|checkpoint)|cannot read", re.I)),
    (Reason.UNKNOWN_ARGUMENT, re.compile(r"unknown (?:option|key|flag|argument)", re.I)),
    (Reason.INVALID_CHOICE, re.compile(r"unknown \w+ '|must be one of|registered:", re.I)),
)
"""Reason by pattern for a program's own refusal; the first match counts."""

_ASSIGNED = assignments.IN_TEXT
_SPACED = re.compile(r"(?:^|[;&]\s*)([A-Za-z_]\w*)(?:\s+=\s*|=\s+)\S", re.M)
_BOUND = re.compile(r"\b(?:for|read(?:\s+-\w+)*|declare|local)\s+([A-Za-z_]\w*)")
_READ = re.compile(r"(?<!\\)\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_SINGLE_QUOTED = re.compile(r"'[^'\n]*'")
_ALWAYS_SET = {"HOME", "PATH", "PWD", "OLDPWD", "USER", "HOSTNAME", "RANDOM", "SECONDS", "PYTHONPATH", "LINENO", "UID"}
_USAGE_WORD = re.compile(r"\[?<?[A-Z][A-Z_]+>?\]?")
_COMMENT = re.compile(r"^[^#\n]*\S\s#\s*-.*$", re.M)
_PLACEHOLDER_PATH = re.compile(r"(?:/?path/to|your[_-]?path|<[^<>\n]{0,60}(?:path|dir|file)[^<>\n]{0,60}>)", re.I)
PLACEHOLDER = re.compile(r"<[A-Za-z_ -]+>|\b(?:YOUR|MY)_[A-Z_]+\b|\{[A-Za-z_]+\}")


def refined(reason: Reason, message: str, candidate: Candidate) -> Reason:
    """The more exact reason, if the message or the candidate's text shows one.

    Args:
        reason: the reason so far.
        message: the message of the check or of the exception.
        candidate: the answer.
    """
    match reason:
        case Reason.RAISED | Reason.EXITS_EARLY | Reason.IMPORT_FAILS:
            inner = next((name for name, pattern in (*_RAISED, *_REFUSED) if pattern.search(message)), reason)
            return inner if inner in (reason, Reason.RAISED) else refined(inner, message, candidate)
        case Reason.UNKNOWN_ARGUMENT if "arguments:" in message and not FLAG.search(message.partition("arguments:")[2]):
            return Reason.WRONG_NUMBER_OF_VALUES  # words that no option takes
        case Reason.USAGE | Reason.INVALID_TYPE:
            return next((name for name, pattern in _REFUSED if pattern.search(message)), reason)
        case Reason.UNRESOLVED_VARIABLE:
            names = re.findall(r"\w+", message)
            if any(name in names for name in _SPACED.findall(candidate.code)):
                return Reason.FAILED_ASSIGNMENT
            assigned = set(_ASSIGNED.findall(candidate.code))
            if any(name != other and name.startswith(other) for name in names for other in assigned):
                return Reason.WRONG_CONCATENATION
        case Reason.NO_SUCH_PROGRAM if _strayed(message, candidate.code):
            return Reason.STRAY_WORD
        case Reason.PLACEHOLDER if _PLACEHOLDER_PATH.search(candidate.code):
            return Reason.PLACEHOLDER_PATH
        case Reason.NO_SUCH_FILE | Reason.NO_SUCH_FOLDER:
            return _of_path(reason, message, candidate)
    if reason in (Reason.INVALID_CHOICE, Reason.INVALID_TYPE) and PLACEHOLDER.search(before_choices(message)):
        return Reason.PLACEHOLDER
    return reason


def _strayed(message: str, code: str) -> bool:
    """Whether the unknown command is an option, a setting, or the name in `NAME = value`."""
    words = message.replace("'", " ").replace("`", " ").replace(":", " ").split()
    return any(FLAG.match(word) or re.match(r"[\w.]+=", word) for word in words) or any(
        name in words for name in _SPACED.findall(code)
    )


def _of_path(reason: Reason, message: str, candidate: Candidate) -> Reason:
    """Refine a missing path: a placeholder, wrongly joined, or simply unknown."""
    if candidate.kind == "shell" and "$" in message:
        return Reason.LITERAL_DOLLAR
    if _PLACEHOLDER_PATH.search(message):
        return Reason.PLACEHOLDER_PATH
    for path in re.findall(r"[\w./-]+", message):
        if len(path) > 1 and re.search(r"[./]", path) and path not in candidate.code and "$" in candidate.code:
            return Reason.WRONG_CONCATENATION
    return reason


def slips(sample: Sample, candidate: Candidate) -> list[ErrorFinding]:
    """Shell mistakes in a text that parses."""
    findings = []
    if line := _COMMENT.search(candidate.code):
        findings.append(found_by(Reason.CUT_BY_COMMENT, line[0]))
    passed = _passed(sample.output)
    exported = set(re.findall(r"\bexport\s+([A-Za-z_]\w*)", candidate.code))
    for name in assignments.ALONE.findall(candidate.code):
        if name in passed - exported:
            findings.append(found_by(Reason.VARIABLE_NOT_PASSED, f"{name} is set for the shell alone"))
    assigned = {*_ASSIGNED.findall(candidate.code), *_BOUND.findall(candidate.code), *_ALWAYS_SET}
    read = _READ.finditer(_SINGLE_QUOTED.sub("", candidate.code))
    for name in dict.fromkeys(match[1] or match[2] for match in read):
        if name not in assigned and f"{name}=" not in sample.prefix_code:
            findings.append(found_by(refined(Reason.UNRESOLVED_VARIABLE, name, candidate), f"{name} is never set"))
    return findings


def _passed(code: str) -> set[str]:
    """The variables that are set for one command alone, as in `SEED=1 bash train.sh`."""
    return set(assignments.FOR_COMMAND.findall(code))


def script_findings(sample: Sample, candidate: Candidate) -> list[ErrorFinding]:
    """Why a script of the repository refuses its arguments, and which variables it lacks."""
    if (reason := _script_refusal(sample, candidate)) is None:
        return []
    unset = sorted(_passed(sample.output) - set(_ASSIGNED.findall(candidate.code)))
    findings = [found_by(reason, f"bash {' '.join(_script(candidate.code))}")]
    return findings + [found_by(Reason.ABSENT_ARGUMENT, f"{name} is not set") for name in unset]


def _script_refusal(sample: Sample, candidate: Candidate) -> Reason | None:
    """Why a script refuses its arguments: swapped, too few, too many, or unknown."""
    ours, theirs = _script(sample.output), _script(candidate.code)
    if not ours or not theirs or ours[0] != theirs[0] or ours == theirs:
        return None
    if any(_USAGE_WORD.fullmatch(word) and word not in sample.required().values() for word in theirs):
        return Reason.PLACEHOLDER
    if sorted(ours) == sorted(theirs):
        return Reason.SWAPPED_VALUES
    return Reason.INVALID_CHOICE if len(ours) == len(theirs) else Reason.MISSING_ARGUMENT


def _script(code: str) -> list[str]:
    """The words of the last `bash SCRIPT ...`, the script first; empty if there is none."""
    for line in reversed(code.splitlines()):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if "bash" in words[:-1]:
            return words[words.index("bash") + 1 :]
    return []
