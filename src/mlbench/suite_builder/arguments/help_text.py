"""Reads help texts of options: how an option is called, what a switch does, and which numbers are allowed.

A help text is the repository's: only plain words are taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.shell.shell_static import words
from mlbench.suite_builder.arguments.argument_kinds import acronyms, table
from mlbench.suite_builder.lexicon import is_word, unknown

_CLAUSE_END = re.compile(
    r"[,;:([{<|`\"*=]|\.(?:\s|$)|\s[-–—]+\s|\s(?:that|which|where|when|if|while|because|since|e\.g|i\.e|default|used"
    r"|needed|required|given|specified|to use(?! as)|to (?:be|run|load|train|consider|apply|test|evaluate|do|generate"
    r"|perform|process|fit|compute|keep|return|start|save|write|read|train on|add|set)"
    r"|will|is|are|can|should|must|may|has|have|we|you)\b",
    re.I,
)
_LEADING = re.compile(r"^(?:the|an?|your|our|this|optional|optionally)\s+", re.I)
_NAME_OF = re.compile(r"^(?:name|type|kind|choice) of (?:the |an? )?(?=\w)", re.I)
_SWITCHING = re.compile(
    r"^(?:(?:if (?:set|true|given|specified|enabled|flag is set|this flag is set)|when (?:set|true|given|enabled)),? *"
    r"|(?:this )?(?:flag|option|switch|boolean)s?(?: flag)? (?:to|for|that)? *"
    r"|(?:whether|specify whether|indicates? whether|set this flag to|set to true to|set to|enable to|use to)"
    r"(?: or not)?(?: to)? +)",
    re.I,
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-'][A-Za-z0-9]+)*")
_RANGE = re.compile(
    r"(?:\[|\(|between |from |in |range:? ?\[?|within )\s*(-?\d+(?:\.\d+)?)"
    r"\s*(?:,|-|–|to|and|\.\.\.?)\s*(-?\d+(?:\.\d+)?)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:only (?:used|valid|applies|relevant|for|works?|if|when|with|in)|ignored|deprecated|not used|unused|no effect"
    r"|internal|obsolete|do not (?:use|change)|legacy|no longer|has to be|must be|should be (?:the same|equal)"
    r"|debug\w*)\b",
    re.I,
)
_ENDS_OPEN = re.compile(r"\s+(?:to|for|of|in|on|with|at|by|from|as|per|and|or|the|an?|into|than|s)$", re.I)
_DISAGREES = re.compile(r"\b(?:every|each|an?) (?:\w+ )?\w+[^sui']s(?!\w)|\b(?:many|several|these|those) \w+[^s]$")
_PREPOSITIONS = words("from to with on in at into for by using")
_LONGEST = 8


def noun_phrase(help_text: str) -> str:
    """What a help text calls its option, without article: `maximum number of detections`; empty if it does not."""
    text = _SWITCHING.sub("", " ".join(help_text.split()).strip(" \"'"))
    text = _NAME_OF.sub("", _LEADING.sub("", _CLAUSE_END.split(text, maxsplit=1)[0].strip()))
    text = re.sub(r"^(?:path|location) (?:to|of) (?:the |an? |your )?(?=\w+$)", "path of the ", text, flags=re.I)
    previous = ""
    while previous != text:
        previous, text = text, _ENDS_OPEN.sub("", text)
    parts = text.split()
    if "'" in text:
        return ""  # `Model's version`
    if not 1 <= len(parts) <= _LONGEST or not all(_PLAIN.fullmatch(part) for part in parts):
        return ""
    if len(parts) > 1 and parts[0].lower() in table().orders and parts[1].lower() in _PREPOSITIONS:
        return ""  # `finetune from checkpoint`
    if len(parts) > 1 and parts[1].lower() in ("the", "a", "an", "whether", "how", "to", "which"):
        return ""  # `controls the fraction of epochs`
    first = parts[0].lower()
    parts = [first if parts[0].istitle() else parts[0], *parts[1:]]
    if first in table().no_nouns or first in table().doing or (first.endswith("ing") and first not in _GERUND_NOUNS):
        return ""
    said = in_words(parts)
    if (
        unknown(said)
        or _DISAGREES.search(said)
        or not any(len(part) > 2 for part in parts)
        or said.lower() in table().types
        or (len(parts) > 1 and parts[-1].lower().endswith("ed"))  # `model name listed`
        or _BARE_NOUN.search(said)
        or " to " in said  # `audio file to open`, `minimum duration to log`
    ):
        return ""
    return said


_BARE_NOUN = re.compile(r"\bof (?!(?:the|an?|each|all|data)\b)(?:\w*[^s\W] )*\w*[^s\W]$")  # `path of weight file`
_GERUND_NOUNS = words("learning training smoothing embedding encoding sampling padding string timing")


def in_words(parts: Sequence[str]) -> str:
    """Words as in a sentence: without capitals and abbreviations, acronyms as usual."""
    found = []
    for part in parts:
        small = part.lower()
        if small in acronyms() and not is_word(small):  # `gradient clip` is not CLIP
            found.append(acronyms()[small])
        elif small in table().words and table().words[small]:
            found.append(table().words[small])
        else:
            found.append(small if part.istitle() and is_word(small) else part)
    return " ".join(found)


def allowed_range(help_text: str) -> tuple[float, float] | None:
    """The numbers that a help text allows: `threshold (0-255)`; None if it states no range."""
    for found in _RANGE.finditer(help_text):
        low, high = float(found[1]), float(found[2])
        if low < high:
            return low, high
    return None


def is_conditional(help_text: str) -> bool:
    """Whether an option counts only beside other ones, or should not be used."""
    return _CONDITION.search(help_text) is not None
