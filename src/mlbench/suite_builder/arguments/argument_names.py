"""Says in words what an argument is called, or what a switch does.

An option is called by its own words if all of them are known, else by a short help text, else by its quoted name:
`the "qx" setting`. So there is always a name, and it is always true.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from mlbench.records import OptionSchema
from mlbench.shell.shell_static import words
from mlbench.suite_builder.arguments.argument_kinds import Kind, said_of, table, words_of
from mlbench.suite_builder.arguments.help_text import in_words, noun_phrase
from mlbench.suite_builder.lexicon import unknown
from mlbench.suites.recipes import Words

_UNIT = re.compile(r"[_-](?:ms|us|ns|sec|secs|kb|mb|gb|khz|hz|mm|cm|km|px)$", re.I)
_BINARY = re.compile(
    r"\b[01]\s*(?:/|or|,|\|)\s*[01]\b|[01]\s*[=:]\s*(?:true|false|yes|no|on|off)|^(?:if|whether)\b", re.I
)
_RESERVED = frozenset(
    ["and", "or", "not", "in", "is", "if", "else", "elif", "true", "false", "none", "loop", "range", "dict", "self"]
)
ANY_NAME = ".*"
"""The pattern of a kind that was found by the value, not by the name."""
_DENIES = re.compile(r"(no|not|without|disable|skip)[-_]|no(?=gpu|cuda|test|log|eval)")
_NO = re.compile(r"no[-_](?=\w)")
_VERBS = words(
    "resume finetune load save eval evaluate test train predict overwrite force run download upload convert apply"
)
_VAGUE = words(
    "options choices value values name type mode flag option number list file path arg args x y scale size split"
    " every key keys source target base out dir folder root level version"
)
_DIRECTION = re.compile(r"^(in|out) (?=[a-z])")  # `in folder`, `in channels`
_NO_COUNT = re.compile(
    r"^number of (?:.* )?(?!data$)[a-z]*(?:[^s\W]|ss)$"
    r"|^number of (?:\w* )?(?!data )(?:[a-z]*[^s\W]|[a-z]*ss) (?:per|of|in|for) "
)
_OF_A_PART = re.compile(
    r"(learning rate|weight decay|dropout)"
    r" (backbone|head|classifier|encoder|decoder|generator|discriminator|weights|biases)"
)
_LONGEST = 4
"""Words of a help text that may name an option."""


_RUN_LENGTH = re.compile(
    r"(?:the |a )?(?:(?:total|max(?:imum|imal)?\.?) )?(?:(?:number|num\.?|amount|no\.?|#) of )?"
    r"(?:(?:total|training|train|optimi[sz]ation|gradient|max(?:imum|imal)?|update) )*"
    r"(?:epochs?|steps?|iterations?|iters?|updates?)"
    r"(?: to (?:run|train|perform)\b.*| (?:for|of|in|during) (?:the )?(?:training|inference|sampling)\b.*"
    r"|\s*(?:[.,;:(\[].*)?)$",
    re.I | re.S,
)
"""Help texts that say how long a run is, and nothing else."""


def described(option: OptionSchema, kind: Kind | None, name: str, more: Collection[str] = ()) -> str:
    """The argument's name in an instruction: by its own words, by its help text, or quoted.

    Args:
        option: the option's schema.
        kind: the table's entry, if any.
        name: the option's name.
        more: words that the repository's prose uses.
    """
    if kind and kind.said and kind.name == ANY_NAME:
        return kind.said
    if _UNIT.search(name) or (kind is None and is_binary(option)):
        return quoted(name)  # words would lose the unit; a number of two values is a switch
    if kind and kind.kind in ("epochs", "steps") and option.help and not _RUN_LENGTH.match(option.help):
        said = noun_phrase(option.help)  # `--num-steps` is the number of forward steps between two updates
        return said if 2 < len(said.split()) <= _LONGEST and _is_noun(said) else quoted(name)
    if said := _own(name, more):
        return kind.said if kind and kind.said == f"number of {said}s" else said  # `an epoch of 1000`
    said = noun_phrase(option.help)
    if kind and kind.said and said.startswith(f"{kind.said} "):
        return kind.said  # `temperature` of `temperature for loss function`
    if 1 < len(said.split()) <= _LONGEST and _is_noun(said):
        return said
    return kind.said if kind and kind.said and not option.help else quoted(name)


def _is_noun(said: str) -> bool:
    """Whether a help text's words end as names of settings do: not `number of process`, `folder level of data`."""
    before, of, after = said.partition(" of ")
    if _NO_COUNT.search(said):
        return False
    if of:
        return before == "number" or (before in table().heads and re.match(r"(?:the|an?) ", after) is not None)
    return said.rsplit(maxsplit=1)[-1] in table().heads


def is_binary(option: OptionSchema) -> bool:
    """Whether an integer's help text or choices say that it is 0 or 1."""
    if option.choices:
        return {*option.choices} == {"0", "1"}
    return option.type in ("int", "integer") and _BINARY.search(option.help) is not None


def quoted(name: str) -> str:
    """A name as the program spells it: `"qx"`."""
    return f'"{name.lstrip("-+~").rstrip("=")}"'


def _own(name: str, more: Collection[str]) -> str:
    """A name as words, if all are known and say something; of a dotted name, the last part.

    Of three words or more, the last must be one that names of settings end with: `embedding file both` is no noun.
    """
    name = re.sub(r"(?<=\w)_or_(?:path|name|file|folder|dir|url)$", "", name)  # `model_name_or_path`
    said = _DIRECTION.sub(lambda match: f"{match[1]}put ", in_words(said_of(name).split()))
    parts = said.split()
    if not parts or unknown(said, more) or not any(len(part) > 2 for part in parts) or re.search(r"\d", said):
        return ""
    if (
        re.fullmatch(r"(?!seed|speed|feed)\w+ed", said)
        or said in _VERBS | _VAGUE | table().no_nouns
        or _NO_COUNT.search(said)
        or parts[0] in table().imperatives
        or len(parts[0]) == 1
        or parts[-1] in table().dangling
        or (len(parts) > 2 and parts[-1] not in table().heads)
    ):
        return ""  # `the resume`, `a number of test`, `the k features`
    return _OF_A_PART.sub(r"\1 of the \2", said)


def switch_phrases(name: str, kind: Kind | None) -> tuple[str, str]:
    """How it is said that a switch is given, and that it is not.

    A switch that denies (`no-shuffle`) is said the other way round, so that no instruction denies twice.

    Args:
        name: the switch as the command spells it.
        kind: the table's entry, if any.
    """
    if kind and kind.switch:
        return (kind.switch[1], kind.switch[0]) if _DENIES.match(name.lstrip("-")) else kind.switch
    if denies(name):
        on, off = pair_phrases(name)
        return off, on
    said = quoted(name)
    return f"with the {said} option", f"without the {said} option"


def pair_phrases(name: str) -> tuple[str, str]:
    """How it is said that the setting of two options, `--x` and `--no-x`, is on, and that it is off."""
    said = quoted(affirmed(name))
    return f"with {said} turned on", f"with {said} turned off"


def denies(option: str) -> bool:
    """Whether an option turns off what the rest of its name says: `--no-x`."""
    return _NO.match(option.lstrip("-")) is not None


def affirmed(option: str) -> str:
    """What an option turns on or off: `x` of `--no-x` and of `--x`."""
    return _NO.sub("", option.lstrip("-"))


def truth_phrases(name: str, kind: Kind | None) -> tuple[str, str]:
    """How it is said that a setting is true, and that it is false."""
    if kind and kind.switch:
        return switch_phrases(name, kind)
    said = quoted(name)
    return f"with the {said} setting on", f"with the {said} setting off"


def plain_name(name: str) -> str:
    """A name of letters that templates accept."""
    plain = "_".join(words_of(name).split()) or "value"
    return f"the_{plain}" if plain in _RESERVED or plain[0].isdigit() else plain


def is_plain_word(words: Words) -> bool:
    """Whether a value is one word like those of prose: no path, file or number."""
    return len(words) == 1 and words[0].replace("-", "").replace("_", "").isalpha()
