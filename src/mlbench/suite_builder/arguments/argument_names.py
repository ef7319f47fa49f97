"""Says in words what an argument is called, or what a switch does; empty if no plain words are known for it."""

from __future__ import annotations

import re
from collections.abc import Collection

from mlbench.records import OptionSchema
from mlbench.shell.shell_static import words
from mlbench.suite_builder.arguments.argument_kinds import Kind, said_of, table, words_of
from mlbench.suite_builder.arguments.help_text import in_words, noun_phrase, order
from mlbench.suite_builder.lexicon import unknown

_DENIES = re.compile(r"(no|not|without|disable|skip)[-_]|no(?=gpu|cuda|test|log|eval)")
_SWITCH_PREFIX = re.compile(r"^(do|use|enable|with|no|not|without|disable|is|add|apply|has|if)[-_ ](?=\w)")
_COMMON = words(
    "num number of n max the train training per device default base init initial total use name or model dataset random"
    " rng size in a inference global"
)
_VERBS = words(
    "resume finetune load save eval evaluate train predict overwrite force run download upload convert apply"
)
_VAGUE = words(
    "options choices value values name type mode flag option number list file path input output arg args x y"
)


def described(option: OptionSchema, kind: Kind | None, name: str, more: Collection[str] = ()) -> str:
    """The argument's name in an instruction: by the table, by the help text, or by its own name.

    Args:
        option: the option's schema.
        kind: the table's entry, if any.
        name: the option's name.
        more: words that the repository's prose uses.
    """
    if kind and kind.said and _says_all(kind, name):
        return kind.said
    if said := noun_phrase(option.help):
        return said if len(said.split()) > 1 or said.lower() not in _VAGUE else _own(name, more) or said
    return _own(name, more)


def _says_all(kind: Kind, name: str) -> bool:
    """Whether the table's words leave nothing of the name unsaid: not in `text_encoder_lr`."""
    rest = re.sub(kind.name, " ", words_of(name)).split()
    return all(word in _COMMON or word.isdigit() for word in rest)


def _own(name: str, more: Collection[str]) -> str:
    """A name as words, if all are known."""
    said = in_words(said_of(name).split())
    is_said = bool(said) and not unknown(said, more) and any(len(word) > 2 for word in said.split())
    if said in _VERBS:
        return ""  # `the resume`
    return said if is_said and not re.search(r"\d", said) and said.split()[-1] not in table().dangling else ""


def switch_phrases(name: str, kind: Kind | None, option: OptionSchema) -> tuple[str, str]:
    """How it is said that a switch is given, and that it is not; two empty texts if there are no words for it.

    Args:
        name: the switch's name; one that denies, such as `no_shuffle`, is said the other way round.
        kind: the table's entry, if any.
        option: its schema.
    """
    denies = _DENIES.match(name) is not None
    if kind and kind.switch:
        return (kind.switch[1], kind.switch[0]) if denies else kind.switch
    if said := order(option.help):
        return said, f"do not {said}"
    if denies:
        own = _own(_SWITCH_PREFIX.sub("", name), ())
        return (f"without {own}", f"with {own}") if own else ("", "")
    said = noun_phrase(option.help)
    if not 1 < len(said.split()) < 6:
        own = _SWITCH_PREFIX.sub("", name)
        said = _own(own, ()) if len(words_of(own).split()) > 1 and not option.help else ""
    return (f"with {said}", f"without {said}") if said else ("", "")
