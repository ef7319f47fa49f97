"""The words of a reference that its reader has to be shown: program, options, API names and values."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from mlbench.records import Check
from mlbench.suites.recipes import Recipe, Words

_FIRST, _LAST = "\ue000", "\ue001"
"""Private characters around an argument's name; they stand in the reference where its value will be."""
_MARK = re.compile(f"{_FIRST}(\\w+){_LAST}")
OPTION = re.compile(r"--?[A-Za-z]")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ASSIGNED = re.compile(r"(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=[\"']?([\w./-]{2,})[\"']?[ \t;]*(?:#.*)?$")
_SELF_EVIDENT = frozenset({"true", "false", "none", "null", "yes", "no", "cpu", "cuda", "gpu", "rgb", "on", "off"})
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_IN_WORDS = _NUMBERS.split()


class NeedKind(StrEnum):
    """What a needed word is."""

    PROGRAM = "program"
    OPTION = "option"
    MODULE = "module"
    NAME = "name"
    KEYWORD = "keyword"
    POSITIONS = "positions"
    VALUE = "value"


@dataclass(frozen=True)
class Need:
    """A word of the reference that the shown text has to hold.

    Attributes:
        word: as it stands in the reference.
        spellings: the texts of which one has to be shown; an option has its aliases.
        function: for API names and keywords, the dotted name of the definition; may be empty. For a positional
            argument of a program, the program's file name.
        count: for positions, the number of arguments that a call passes without their names.
        is_parameter: for options, whether a function's parameter is the option, as `fire` has it.
    """

    kind: NeedKind
    word: str
    spellings: tuple[str, ...]
    function: str = ""
    count: int = 0
    is_parameter: bool = False


def marked(recipe: Recipe) -> str:
    """The reference with a mark in place of each value that is not the same in all references."""
    return recipe.render_reference({name: (f"{_FIRST}{name}{_LAST}",) for name in (*recipe.said, *recipe.followers)})


def argument_of(word: str) -> str:
    """The argument, or what follows one, whose value is the whole word; empty if there is none."""
    found = _MARK.fullmatch(word)
    return found[1] if found else ""


def values_of(recipe: Recipe, word: str) -> Iterator[Need]:
    """The needs of one word that is neither a program, nor an option, nor an API name.

    A word that every instruction states needs no documentation; nor does a number that varies, because an
    instruction always states it.
    """
    name = argument_of(word)
    if name in recipe.followers:
        for wanted in () if recipe.always_says(name) else recipe.followers[name]:
            for each in wanted:
                yield from values_of(recipe, each)
    elif name:
        for wanted, said in recipe.said[name].items():
            yield from _varied(wanted, said, recipe.instructions)
    elif _MARK.search(word):
        yield from _composed(recipe, word)
    elif not (is_self_evident(word) or _stated(word, recipe.instructions)):
        yield from _value_need(word, recipe.instructions)


def _varied(wanted: Words, said: Sequence[str], instructions: Sequence[str]) -> Iterator[Need]:
    for word in wanted:
        if OPTION.match(word) and not NUMBER.fullmatch(word):
            yield Need(NeedKind.OPTION, word.partition("=")[0], (word.partition("=")[0],))
            word = word.partition("=")[2]
        key, sign, value = word.partition("=")
        if sign and re.fullmatch(r"[+~]*[A-Za-z_][\w.]*", key):
            yield Need(NeedKind.OPTION, key, (key,))
            word = value
        for leaf in _texts_in(word):
            if not (is_self_evident(leaf) or NUMBER.fullmatch(leaf) or _stated(leaf, said)):
                yield from _value_need(leaf, said, instructions)


def _texts_in(word: str) -> list[str]:
    """The texts in a Python literal (`['a', 'b']`); a word that is none is its own text."""
    try:
        value = ast.literal_eval(word)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [word] if word else []
    items = value if isinstance(value, list | tuple | set) else [value]
    return [item for item in items if isinstance(item, str) and item]


def _value_need(word: str, said: Sequence[str], instructions: Sequence[str] = ()) -> Iterator[Need]:
    """The need of a value; of a path, what the instructions do not state: its folder, its name, or all of it."""
    folder, name = posixpath.split(posixpath.normpath(word).removeprefix("./"))
    if not (folder.strip("/") and posixpath.splitext(name)[1]):
        quoted = '"{}"'.format('","'.join(word.split(",")))  # `"q_proj","k_proj"` is one word for bash
        parted = (quoted,) if "," in word else ()
        yield Need(NeedKind.VALUE, word, (word, *parted))
        return

    def stated(part: str) -> bool:
        return _stated(part, said) or _stated(part, instructions or said)

    stem = posixpath.splitext(name)[0]
    if stated(folder) and not stated(name):
        yield Need(NeedKind.VALUE, name, (name,))
    elif not stated(folder) and (stated(name) or stated(stem)):
        yield Need(NeedKind.VALUE, folder, (folder,))
    elif not stated(folder):
        yield Need(NeedKind.VALUE, word, (word, posixpath.join(folder, name), f"{posixpath.join(folder, stem)}."))


def _composed(recipe: Recipe, word: str) -> Iterator[Need]:
    """The needs of a word with a value inside: its other parts, such as `vocab.txt` of `MODEL/vocab.txt`."""
    if len("".join(re.findall(r"[A-Za-z]+", _MARK.sub("", word)))) <= 4:  # an ending; a separator
        return
    first = _MARK.findall(word)[0]
    values = recipe.said.get(first) or recipe.followers[first]
    for part in re.split(f"{_FIRST}\\w+{_LAST}", word):
        bare = part.strip("./,:='\"_-")
        if re.search(r"[A-Za-z]{3}", bare) and not _stated(bare, recipe.instructions):
            yield Need(NeedKind.VALUE, bare, (bare, *(f"{part}{' '.join(value)}".lstrip("./") for value in values)))


def _stated(word: str, texts: Sequence[str]) -> bool:
    """Whether every text states a word: as it is, or a small number in letters."""
    forms = [word, posixpath.normpath(word).removeprefix("./")]
    if word.isdecimal() and int(word) < len(_IN_WORDS):
        forms.append(_IN_WORDS[int(word)])
    forms += [f"{word}s"]
    return all(any(stands(form, text) or stands(form, text.lower()) for form in forms) for text in texts)


def is_self_evident(word: str) -> bool:
    """Whether a value needs no documentation: a truth value, a device, a single sign."""
    return (
        (len(word) < 2 and not word.isdecimal())
        or word.lower() in _SELF_EVIDENT
        or bool(re.fullmatch(r"cuda:\d+|[.,:;/\W]+|\d", word.lower()))
    )


def stands(word: str, text: str) -> bool:
    """Whether a text holds a word as a whole: `--lr` is not in `--lr_decay`, `gan.py` not in `acgan.py`."""
    before = r"(?<![\w-])" if word[:1] == "-" else r"(?<!\w)" if word[:1].isalnum() or word[:1] == "_" else ""
    after = r"(?![\w-])" if word[:1] == "-" else r"(?!\w)" if word[-1:].isalnum() or word[-1:] == "_" else ""
    return word in text and re.search(f"{before}{re.escape(word)}{after}", text) is not None


def by_variable(need: Need, page: str) -> Need:
    """A need of a value, which a page may show by a variable: `LENGTH=64` for `--length $LENGTH`, `data/$LANG`.

    Args:
        need: the need; only those of values change.
        page: the documentation's text.
    """
    if need.kind is not NeedKind.VALUE:
        return need
    option, _, number = need.word.partition(" ")
    shown = list[str]()
    if OPTION.match(option) and number:
        names = dict.fromkeys(re.findall(rf"(?<![\w-]){re.escape(option)}[ =][\"']?\$\{{?(\w+)", page))
        shown += [f"{name}={quote}{number}" for name in names for quote in ("", '"', "'")]
    elif "/" in need.word:
        for name, value in dict.fromkeys(_ASSIGNED.findall(page)):
            parts = [spelling for spelling in need.spellings if value in spelling]
            shown += [part.replace(value, said) for part in parts for said in (f"${name}", f"${{{name}}}")]
    return replace(need, spellings=(*need.spellings, *shown))


def aliases(check: Check) -> dict[str, tuple[str, ...]]:
    """By option string, all strings of the same option, for the programs of a check."""
    return {
        option: strings
        for invocation in check.invocations
        for strings in invocation.options.values()
        for option in strings
    }


def unique(needs: Iterable[Need]) -> tuple[Need, ...]:
    """The needs in order, one for each kind and word."""
    found: dict[tuple[NeedKind, str], Need] = {}
    for need in needs:
        found.setdefault((need.kind, need.word), need)
    return tuple(found.values())
