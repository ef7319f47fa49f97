"""Proposes values of an argument: near its own, from choices, from the repository.

Each proposal goes through the interface check before it is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from mlbench.records import OptionSchema
from mlbench.suite_builder.arguments.argument_kinds import Kind, said_of, table
from mlbench.suite_builder.arguments.repo_enums import FEW, Vocabulary
from mlbench.suite_builder.arguments.usages import Passed
from mlbench.suites.recipes import Words

MOST = 4
"""Values per argument."""
_KINDRED = 0.25
"""Model names that share this part of their words, or more, are of one family and may replace each other."""
_SIZES = {"", "nano", "tiny", "mini", "small", "base", "medium", "large", "big", "xl", "v1", "v2", "v3"}
_PICTURE = re.compile(r"(?:an?|the|one|two|three) \w|photo|picture|painting|portrait|.*\b(?:photo|painting) of\b", re.I)
_STRIDE = 32
"""The factor by which most networks shrink images."""
_ENUMERATED = re.compile(
    r"(?:options?|choices|choose from|one of|supported|either|possible values?|in|from|available)\b"
    r"[^\[({:]{0,20}[:=]?\s*[\[({]([^\])}]+)[\])}]"
    r"|^[^\[({]{0,60}[\[({]((?:[\w.-]+\s*[|,/]\s*)+[\w.-]+)[\])}]",
    re.IGNORECASE,
)
_DENIES = re.compile(r"(no|not|without|disable|skip)[-_]|no(?=gpu|cuda|test|log|eval)")
_NAME = re.compile(r"[A-Za-z][\w.+-]{0,40}")
_PLAIN = re.compile(r"[\w./][\w./:@,+=-]*")
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
_TYPES = frozenset(
    ["str", "string", "int", "float", "bool", "none", "true", "false", "path", "name", "etc", "default", "dataset"]
)
_FOREIGN = re.compile(r"[$`*?~<>{}\\]|\.\.\.|path/to|^-")
_URL = re.compile(r"^[a-z]+://|^hf-hub:|^gs:|^s3:")


@dataclass(frozen=True)
class Wish:
    """An argument that should vary, before its values are known.

    Attributes:
        original: the words in the code; empty if the code does not give it.
        kind: the entry of the table; None if none fits.
        annotated: the choices of a Python annotation.
        passed: in Python, the call that passes it.
        modes: other words of the command that choose what the program does; names depend on them.
        suggested: a model's proposals; they come before those of the rules.
    """

    name: str
    kind: Kind | None
    original: Words
    option: OptionSchema
    options: tuple[str, ...] = ()
    switch: bool = False
    annotated: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    passed: Passed | None = None
    modes: tuple[str, ...] = ()


def meaning(words: Words) -> object:
    """A key that is equal for equal values: 1e-3 and 0.001, ./data and data/, True and true."""
    return tuple(_meaning(word) for word in words)


def _meaning(word: str) -> object:
    number = number_of(word)
    if number is not None:
        return number
    if word.lower() in (*_TRUE, *_FALSE):
        return word.lower() in _TRUE
    return str(PurePosixPath(word)).lower() if "/" in word and "://" not in word else word.lower()


def number_of(word: str) -> float | None:
    try:
        found = float(word)
    except ValueError:
        return None
    return found if math.isfinite(found) and "_" not in word else None


def proposals(wish: Wish, vocabulary: Vocabulary, program: str, folder: str) -> dict[str, Words]:
    """Values by the way they are said, the code's own first; some may be refused.

    Args:
        wish: the argument.
        vocabulary: what the repository enumerates.
        program: pages' values for this program's options are used.
        folder: where the code runs, from the repository's root.
    """
    first = wish.original[0] if len(wish.original) == 1 else ""
    if wish.switch:
        return _switch(wish)
    if _is_truth(wish, first):
        yes, no = _truths(first or str(wish.option.default))
        with_it, without = _with(wish)
        return {with_it: (no,), without: (yes,)} if _DENIES.match(wish.name) else {with_it: (yes,), without: (no,)}
    if wish.suggested:
        usual = proposals(replace(wish, suggested=()), vocabulary, program, folder)
        ours = [words for words in usual.values() if words == wish.original]
        suggested = [tuple(each.split()) if len(wish.original) > 1 else (each,) for each in wish.suggested]
        return _said([*ours, *suggested, *usual.values()])
    if len(wish.original) > 1:
        return _said([wish.original, *_scaled(wish.original)])
    given = vocabulary.passed(wish.passed) if wish.passed else vocabulary.given(program, wish.options, wish.modes)
    default = wish.option.default
    text = first or (str(default) if isinstance(default, int | float | str) and not isinstance(default, bool) else "")
    if wish.option.choices or wish.annotated:
        choices = wish.option.choices or wish.annotated
        like = text or next((word for word in given if word in choices), "")
        allowed = sorted(choices, key=lambda word: _look(word) != _look(like))  # stable
        allowed.sort(key=lambda word: word not in given)  # stable
        return _said((word,) for word in _first(first, allowed))
    if _is_number(wish, text):
        numbers = [word for word in given if number_of(word) is not None]
        return _said((word,) for word in _numbers(wish, text, numbers))
    return _said((word,) for word in _first(first, _names(wish, text, given, vocabulary, folder)))


def _look(word: str) -> tuple[bool, bool]:
    return word[:1].isupper(), len(word) < 4


def _said(values: Iterable[Words]) -> dict[str, Words]:
    found: dict[str, Words] = {}
    seen: list[object] = []
    for words in values:
        if meaning(words) not in seen and all(word and len(word) < 120 for word in words):
            seen.append(meaning(words))
            found[" ".join(words)] = words
    return found


def _first(original: str, others: Sequence[str]) -> list[str]:
    return [*([original] if original else []), *(word for word in others if word != original)]


def _switch(wish: Wish) -> dict[str, Words]:
    """A switch said as present and absent: `--no-shuffle` is without shuffling."""
    token = (
        wish.original[0] if wish.original else next((o for o in wish.options if o.startswith("--")), wish.options[0])
    )
    with_it, without = _with(wish)
    denies = _DENIES.match(token.lstrip("-")) is not None
    return {without: (token,), with_it: ()} if denies else {with_it: (token,), without: ()}


def _with(wish: Wish) -> tuple[str, str]:
    if wish.kind and wish.kind.switch:
        return wish.kind.switch
    about = re.sub(r"^(do|use|enable|with|no|not|without|disable|is|add|apply|has|if|skip)[-_ ](?=\w)", "", wish.name)
    said = said_of(about)
    return f"with {said}", f"without {said}"


def _is_truth(wish: Wish, first: str) -> bool:
    if first:
        is_bool = wish.option.type in ("bool", "boolean")
        return first.lower() in ("true", "false") or (is_bool and first.lower() in (*_TRUE, *_FALSE, "0", "1"))
    return isinstance(wish.option.default, bool) or wish.option.type in (
        "bool",
        "str2bool",
        "boolean",
        "string_to_bool",
    )


def _truths(example: str) -> tuple[str, str]:
    """True and false, spelled like the example."""
    if example in ("0", "1"):
        return "1", "0"
    for yes, no in zip(_TRUE, _FALSE, strict=True):
        for style in (str.lower, str.capitalize, str.upper):
            if example in (style(yes), style(no)):
                return style(yes), style(no)
    return "True", "False"


def _scaled(words: Words) -> list[Words]:
    """Lists of integers, halved and doubled."""
    numbers = [int(word) if re.fullmatch(r"\d+", word) else 0 for word in words]
    if not all(number > 1 and number % 2 == 0 for number in numbers):
        return []
    return [tuple(str(int(number * by)) for number in numbers) for by in (0.5, 2, 4)]


def _is_number(wish: Wish, text: str) -> bool:
    if text:
        return number_of(text) is not None
    return is_numeric(wish.option) and bool(wish.kind and wish.kind.values)


def is_numeric(option: OptionSchema) -> bool:
    return option.type.startswith(("int", "float"))


def _numbers(wish: Wish, text: str, given: Sequence[str]) -> list[str]:
    is_int = isinstance(wish.option.default, int) or re.fullmatch(r"-?\d+", text) is not None
    whole = wish.option.type.startswith("int") or (is_int and not wish.option.type.startswith("float"))
    value = number_of(text) if text else None
    near = list(wish.kind.values) if wish.kind and wish.kind.values else []
    near = [word for word in near if number_of(word) is not None and (not whole or re.fullmatch(r"\d+", word))]
    if wish.kind and wish.kind.kind == "image-size" and value and value % _STRIDE == 0:
        near = [word for word in near if int(word) % _STRIDE == 0]
    if value is not None and (not near or not _within(value, near)):
        near = _round_about(value, bool(whole), text)
    anchor = value if value else number_of(near[len(near) // 2]) if near else None
    close = sorted(near, key=lambda word: _distance(number_of(word) or 0.0, anchor or 1.0))
    if value and whole and value > 0 and math.log2(value).is_integer() and value >= 4:
        close.sort(key=lambda word: not math.log2(number_of(word) or 3).is_integer())  # stable: powers of two first
    usual = [word for word in given if _distance(number_of(word) or 0.0, anchor or 1.0) < 2.5]
    best = _spelled_as(text, [*usual[:2], *close])
    chosen = sorted(dict.fromkeys(best[: 3 * MOST]), key=lambda word: _distance(number_of(word) or 0.0, anchor or 1.0))
    return _first(text, chosen)


def _within(value: float, near: Sequence[str]) -> bool:
    numbers = [number_of(word) or 0.0 for word in near]
    return min(numbers) <= value <= max(numbers) * 4


def _distance(number: float, anchor: float) -> float:
    """The distance in factors of ten; zero is far from everything."""
    return abs(math.log10(max(abs(number), 1e-9)) - math.log10(max(abs(anchor), 1e-9)))


def _round_about(value: float, whole: bool, text: str) -> list[str]:
    """Round numbers near a value; shares stay shares."""
    if 0 < value < 1 and not whole and "e" not in text.lower():
        grid = [0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9]
        if value >= 0.05:
            return [f"{each:g}" for each in grid]
    if value == 0:
        return ["1", "2", "5"] if whole else ["0.1", "0.2", "0.5"]
    if whole and value > 3 and math.log2(abs(value)).is_integer():
        return [str(int(abs(value) * by)) for by in (0.5, 2, 0.25, 4)]
    scale = 10.0 ** math.floor(math.log10(abs(value)))
    sign = -1 if value < 0 else 1
    found = [sign * part * scale for part in (0.5, 1, 2, 3, 4, 5, 8, 10, 20)]
    if whole:
        return [str(int(each)) for each in found if each == int(each) and each != 0]
    return [f"{each:g}" for each in found]


def _spelled_as(text: str, words: Sequence[str]) -> list[str]:
    """The text with a decimal point if the code has one: 3.0 beside 2.0."""
    if re.fullmatch(r"-?\d+\.0+", text):
        return [f"{word}.0" if re.fullmatch(r"-?\d+", word) else word for word in words]
    return list(words)


def _names(wish: Wish, text: str, given: Sequence[str], vocabulary: Vocabulary, folder: str) -> list[str]:
    """Names and paths from help text, pages, tables, folders, and the table of kinds."""
    listed = _enumerated(wish.option.help)
    own: list[str] = []
    if wish.kind is None or wish.kind.path in ("", "checkpoint"):  # data and outputs fit only their own commands
        own = [word for word in given if _PLAIN.fullmatch(word) and _is_named(word) and _alike(word, text)]
        if wish.passed is not None and wish.kind is not None and wish.kind.kind == "model":
            own = [word for word in own if _shared(word, text) >= _KINDRED]
    own.sort(key=lambda word: -_shared(word, text))  # stable
    bound = (wish.modes or (wish.passed is not None and wish.passed.beside)) and not (
        wish.kind and (wish.kind.path or wish.kind.values)
    )
    if bound or len({text, *own} - {""}) >= FEW:
        return [*listed, *own]  # values never seen with this program or these other texts may not fit
    files = vocabulary.beside(text, folder) if text else []
    found = [*listed, *files, *own]
    if text and _NAME.fullmatch(text):
        siblings = sorted(vocabulary.siblings(text), key=lambda word: _marks(word) != _marks(text))  # stable
        found += [word for word in siblings if _NAME.fullmatch(word)] if len(found) < MOST else []
    if wish.kind and wish.kind.values and (wish.kind.kind != "text" or _PICTURE.match(text)):
        found += [word for word in wish.kind.values if number_of(word) is None]
    if wish.kind and wish.kind.path and not files and not (text and (_URL.search(text))):
        found += _paths(wish.kind.path, text)
    return found


def _marks(word: str) -> set[str]:
    """The characters that are neither letters nor digits: `base.en` differs from `base`."""
    return {*re.sub(r"\w", "", word)}


def _shared(word: str, text: str) -> float:
    """The share of parts, without the owner's, that two names have in common."""
    parts, others = ({*re.split(r"[\W_]+", PurePosixPath(each).name.lower())} - _SIZES for each in (word, text))
    return len(parts & others) / max(1, len(parts | others))


def _is_named(word: str) -> bool:
    """Whether a word is a name: not a number, a placeholder or a type."""
    return (
        number_of(word) is None
        and not _FOREIGN.search(word)
        and word.lower() not in _TYPES
        and not re.fullmatch(r"[A-Z_]{6,}|[A-Z]+_[A-Z_]+", word)
    )


def _alike(word: str, text: str) -> bool:
    """Whether both are paths with one ending, or neither is a path."""
    if not text:
        return True
    if ("/" in word) != ("/" in text) or ("://" in word) != ("://" in text):
        return False
    return "/" not in text or PurePosixPath(word).suffix == PurePosixPath(text).suffix


def _enumerated(help_text: str) -> list[str]:
    """The names that a help text lists: `options: [M, S, MS]`."""
    match = _ENUMERATED.search(help_text)
    if match is None:
        return []
    parts = [part.strip(" \"'`") for part in re.split(r"[,|/]|\bor\b", match[1] or match[2])]
    named = [part for part in parts if _NAME.fullmatch(part) and part.lower() not in _TYPES]
    return named if len(named) > 1 and len(named) == len(parts) else []


def _paths(kind: str, text: str) -> list[str]:
    """Plausible paths of a kind, written like the code's own: same start, same ending."""
    name = PurePosixPath(text).name
    ending = PurePosixPath(name).suffix if re.search(r"\.[A-Za-z]\w{1,6}$", name) else ""
    places = table().paths[kind]
    found = [place.format(ending=ending) for place in places.file] if ending else list(places.folder)
    head = (
        "./"
        if text.startswith("./")
        else f"/{text.split('/')[1]}/"
        if text.startswith("/") and text.count("/") > 1
        else ""
    )
    here = head.rstrip("/").rpartition("/")[2]
    found = [place.removeprefix(f"{here}/") if here else place for place in found]
    tail = "/" if text.endswith("/") and not ending else ""
    return [head + place + tail for place in found]


def described(option: OptionSchema, kind: Kind | None, name: str) -> str:
    """The argument's name in an instruction: by the table, the help text, or its own name.

    Args:
        option: the option's schema.
        kind: the table's entry, if any.
        name: the option's name.
    """
    if kind and kind.said:
        return kind.said
    first: Any = re.split(r"[,;.(:\[]", option.help.strip())[0].strip()
    words = first.split()
    plain = 1 < len(words) <= 5 and all(re.fullmatch(r"[A-Za-z-]{2,}|a", word) for word in words)
    starts = words[0].lower() if words else ""
    is_noun = (
        plain
        and starts not in table().no_nouns
        and not starts.endswith(("ing",))
        and words[-1].lower() not in table().dangling
    )
    if not is_noun or (words[0].lower() in ("the", "a", "an") and len(words) < 3):
        return said_of(name)
    if starts in ("the", "a", "an"):
        words = words[1:]
    return " ".join(word if word.isupper() or not word.istitle() else word.lower() for word in words)
