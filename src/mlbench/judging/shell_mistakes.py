"""What messages and the text itself say beyond a reason: slips of the shell, paths, scripts that refuse their words."""

from __future__ import annotations

import re
import shlex

from mlbench.judging.error_taxonomy import ErrorFinding, found_by
from mlbench.judging.value_diffs import FLAG, before_choices
from mlbench.records import Candidate, Sample
from mlbench.shell import assignments

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


def refined(reason: str, message: str, candidate: Candidate) -> str:
    """The reason that a message and the candidate's text make more exact."""
    match reason:
        case "raised" | "exits-early" | "import-fails":
            inner = next((name for name, pattern in (*_RAISED, *_REFUSED) if pattern.search(message)), reason)
            return inner if inner in (reason, "raised") else refined(inner, message, candidate)
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
    if reason in ("invalid-choice", "invalid-type") and PLACEHOLDER.search(before_choices(message)):
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


def slips(sample: Sample, candidate: Candidate) -> list[ErrorFinding]:
    """Signs of the shell that the text mishandles although it parses."""
    findings = []
    if line := _COMMENT.search(candidate.code):
        findings.append(found_by("cut-by-comment", line[0]))
    passed = _passed(sample.output)
    exported = set(re.findall(r"\bexport\s+([A-Za-z_]\w*)", candidate.code))
    for name in assignments.ALONE.findall(candidate.code):
        if name in passed - exported:
            findings.append(found_by("variable-not-passed", f"{name} is set for the shell alone"))
    assigned = {*_ASSIGNED.findall(candidate.code), *_BOUND.findall(candidate.code), *_ALWAYS_SET}
    read = _READ.finditer(_SINGLE_QUOTED.sub("", candidate.code))
    for name in dict.fromkeys(match[1] or match[2] for match in read):
        if name not in assigned and f"{name}=" not in sample.prefix_code:
            findings.append(found_by(refined("unresolved-variable", name, candidate), f"{name} is never set"))
    return findings


def _passed(code: str) -> set[str]:
    """The variables that are set for one command alone, as in `SEED=1 bash train.sh`."""
    return set(assignments.FOR_COMMAND.findall(code))


def script_findings(sample: Sample, candidate: Candidate) -> list[ErrorFinding]:
    """Why a script of the repository refuses its words, and the variables that it is not given."""
    if (reason := _script_refusal(sample, candidate)) is None:
        return []
    unset = sorted(_passed(sample.output) - set(_ASSIGNED.findall(candidate.code)))
    findings = [found_by(reason, f"bash {' '.join(_script(candidate.code))}")]
    return findings + [found_by("absent-argument", f"{name} is not set") for name in unset]


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
