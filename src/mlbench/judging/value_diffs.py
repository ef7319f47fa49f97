"""Required values that an answer lacks, by its configuration or by its refused words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mlbench.judging.arguments import token_hits
from mlbench.judging.call_sites import CallSite
from mlbench.judging.comparison import Comparison, Match, MatchState
from mlbench.judging.values import MatchStrength, carries
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, Invocation, Sample

FLAG = re.compile(r"--?[A-Za-z]")
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_CHOICES = re.compile(r"\(?choose from|should be one of|expected one of|registered:|types:|known are|there are", re.I)


@dataclass(frozen=True)
class Mismatch:
    """A required value that the answer does not have.

    Attributes:
        argument, wanted: name and value in the sample.
        found: the value in its place; None if there is none.
        options: the option strings of its destination.
        refused: the program refused this value.
    """

    argument: str
    wanted: str
    found: str | None
    options: tuple[str, ...] = ()
    refused: bool = False


def from_matches(
    sample: Sample, candidate: Candidate, check: Check, reference: Sequence[CallSite], matches: Iterable[Match]
) -> list[Mismatch]:
    """Mismatches of a configuration.

    A value that the answer does not contain is a default, so `found` is None.

    Args:
        sample: the sample.
        candidate: the answer.
        check: its interface check.
        reference: the reference's calls.
        matches: the required arguments that do not hit.
    """
    required = sample.required()
    explicit = {name for item in check.invocations for name in item.given}
    explicit |= {name for item in check.invocations for call in item.calls for name in call.given}
    mismatches = []
    for match in matches:
        value = match.found.strip("'\"" if "," in match.found else "[]'\"")
        destination = match.destination.partition(", ")[0]
        is_given = {destination, destination.partition(".")[0]} & explicit and _is_said(candidate, value)
        given_value = value if is_given and match.state is MatchState.WRONG else None
        options = next((call.options[destination] for call in reference if destination in call.options), (destination,))
        mismatches.append(Mismatch(match.argument, required.get(match.argument, match.expected), given_value, options))
    return mismatches


def from_words(
    sample: Sample, refused: Iterable[Invocation], reference: Sequence[CallSite], comparison: Comparison
) -> tuple[list[Mismatch], list[str]]:
    """Mismatches after a refusal, and the flags that the reference's program does not know.

    Args:
        sample: the sample.
        refused: the refused invocations.
        reference: the reference's calls.
        comparison: the comparison with the reference.
    """
    mismatches: list[Mismatch] = []
    unknown: list[str] = []
    destinations = {match.argument: match.destination.partition(", ")[0] for match in comparison.matches}
    for item in refused:
        same = [call for call in reference if call.name == item.program and call.options]
        if not same or item.reason == Reason.HELP:
            continue
        known = {text for options in same[0].options.values() for text in options}
        flags = {word.partition("=")[0] for word in item.argv if FLAG.match(word)}
        unknown += sorted(flag for flag in flags if not _is_known(flag, known))
        for argument, wanted in sample.required().items():
            destination = destinations.get(argument, "")
            options = same[0].options.get(destination, ())
            values = _values(item.argv, options, known)
            expected = (wanted, str(same[0].values.get(destination, wanted)))
            if not options or values == [] or (values is not None and any(_carry(each, values) for each in expected)):
                continue
            if wanted.startswith("-") and values is not None:
                continue
            refusal = any(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", item.message) for option in options)
            refusal |= values is not None and any(f"'{value}'" in item.message for value in values)
            found = None if values is None else " ".join(values)
            mismatches.append(Mismatch(argument, wanted, found, options, refusal or item.reason == Reason.USAGE))
        mismatches += _misplaced(sample, item)
    return mismatches, unknown


def _is_said(candidate: Candidate, value: str | None) -> bool:
    if not value:
        return False
    words = [word.strip("'\" ") for word in value.strip("[]()").split(",")]
    spellings = [[value], [",".join(words)], [" ".join(words)], words]
    return any(all(token_hits(candidate, {"": word}).by_name[""] for word in spelling) for spelling in spellings)


def _misplaced(sample: Sample, item: Invocation) -> Iterator[Mismatch]:
    """A refused value that belongs to another argument."""
    refused = {a or b for a, b in _QUOTED.findall(before_choices(item.message))}
    for argument, wanted in sample.required().items():
        other_values = [value for name, value in sample.required().items() if name != argument]
        if wanted in refused and wanted not in other_values and any(value in item.argv for value in other_values):
            yield Mismatch(argument, f"the value of {argument}", wanted, (), True)


def _is_known(flag: str, known: Iterable[str]) -> bool:
    """Whether a parser knows a flag: in full, abbreviated, negated, or joined."""
    long = "--" + flag.lstrip("-")
    return any(
        flag == text
        or text.startswith(flag)
        or long in (text, f"--no{text.lstrip('-')}", f"--no-{text.lstrip('-')}")
        or (len(text) == 2 and not flag.startswith("--") and flag.startswith(text))
        for text in known
    )


def _values(argv: Iterable[str], options: tuple[str, ...], known: set[str]) -> list[str] | None:
    """The words of an option's last occurrence; None if it does not occur."""
    words: list[str] | None = None
    open_ = False
    for word in argv:
        name, equals, value = word.partition("=")
        if FLAG.match(word):
            short = name.startswith("--") and name not in known
            open_ = any(name == option or (short and option.startswith(name)) for option in options)
            if open_:
                words = [value] if equals else []
        elif open_ and words is not None:
            words.append(word)
    return words


def _carry(wanted: str, values: list[str]) -> bool:
    return any(carries(wanted, value) is not MatchStrength.NO for value in (values, " ".join(values), *values))


def number(text: str) -> float | None:
    """The number that a word stands for; None if it is no number."""
    try:
        return float(text)
    except ValueError:
        return None


def before_choices(message: str) -> str:
    """A parser's message without the list of valid values."""
    return _CHOICES.split(message, maxsplit=1)[0]
