"""The builder's grammar (`grammar.yaml`), and rules of English for any sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict

Words = Annotated[frozenset[str], BeforeValidator(str.split)]
_VOWEL = re.compile(r"[aeiou]", re.I)
_LIKE_YOU = re.compile(r"(uni([^nm]|modal)|use|us[aeiu]|eu|one\b|once\b|url|ubiq)", re.I)
_SPELLED = re.compile(r"[AEFHILMNORSX][A-Z0-9]*(s|\b)")


class Verb(BaseModel):
    """A verb of the grammar.

    Attributes:
        meant: its object if the text names none.
        group: verbs of one group are not told apart.
    """

    model_config = ConfigDict(frozen=True)
    gerund: str
    meant: str
    group: str


class Wording(BaseModel):
    """How an argument may be said in each place of a sentence.

    Attributes:
        match: a pattern for the argument's whole name; `counted` stands for words that can be counted.
        one: whether the words are a plural, which the value 1 does not fit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    match: str = ""
    of: tuple[str, ...] = ()
    prep: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    sentence: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    one: str = ""


class Grammar(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    verbs: dict[str, Verb]
    same_as: dict[str, str]
    dull: Words
    plain: Words
    housing: Words
    spelled: dict[str, str]
    counted: Words
    arguments: tuple[Wording, ...]
    kinds: dict[str, Wording]
    label: tuple[str, ...]
    frames: tuple[tuple[str, ...], ...]
    long_frames: tuple[tuple[str, ...], ...]
    rest: tuple[str, ...]
    about: tuple[str, ...]


@cache
def grammar() -> Grammar:
    data = yaml.safe_load(files(__package__).joinpath("grammar.yaml").read_text(encoding="utf-8"))
    data["verbs"] = {
        verb: dict(zip(("gerund", "meant", "group"), each, strict=True)) for verb, each in data["verbs"].items()
    }
    for verb in data["plain"].split():
        data["verbs"].setdefault(verb, {"gerund": gerund(verb), "meant": "", "group": "apply"})
    for each in [*data["arguments"], *data["kinds"].values()]:
        each["with_"] = each.pop("with", ())
    return Grammar.model_validate(data)


def gerund(verb: str) -> str:
    """The `-ing` form of a regular verb: `removing`, `cutting`, `applying`."""
    if re.search(r"[^e]e$", verb):
        return f"{verb[:-1]}ing"
    doubled = len(verb) < 5 and re.search(r"[^aeiou][aeiou][^aeiouwxy]$", verb)
    return f"{verb}{verb[-1] if doubled else ''}ing"


def verb_of(word: str) -> str:
    """The base form of a verb in any of its forms (`Training`, `eval`); empty if it is none."""
    table, small = grammar(), word.lower()
    if small in table.verbs:
        return small
    if small in table.same_as:
        return table.same_as[small]
    return next((verb for verb, each in table.verbs.items() if each.gerund == small), "")


def article(words: str) -> str:
    """`a` or `an`, by sound: a unit, an hour, an MLP."""
    first = words.partition(" ")[0]
    if _SPELLED.fullmatch(first) or first.lower() in ("hour", "honest"):
        return "an"
    return "an" if _VOWEL.match(first) and not _LIKE_YOU.match(first) else "a"


def joined(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def capital(text: str) -> str:
    """The text with a capital first, unless it starts with a value or a mixed-case name."""
    first = text.partition(" ")[0]
    return text if not first[:1].islower() or not first[1:].islower() else text[:1].upper() + text[1:]
