"""Proposes values of an argument: of a free setting near its own, of any other only those that the pages show instead.

A setting is *free* if a user can vary it without breaking anything: seeds, epochs, rates, places of files. Every other
setting may depend on the rest of its example, so it takes only values that another example shows beside the same rest.
Each proposal goes through the interface check before it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from mlbench.records import OptionSchema
from mlbench.suite_builder.arguments.argument_kinds import Kind, is_never, kind_of, table
from mlbench.suite_builder.arguments.argument_names import affirmed, denies, pair_phrases, switch_phrases, truth_phrases
from mlbench.suite_builder.arguments.number_values import MOST, number_of, numbers
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.usages import Passed
from mlbench.suites.recipes import Words

_KINDRED = 0.5
"""The share of words that names of one family have in common."""
_SIZES = {"nano", "tiny", "mini", "small", "base", "medium", "large", "big", "xl"}
_PICTURE = re.compile(r"(?:an?|the|one|two|three) \w|photo|picture|painting|portrait|.*\b(?:photo|painting) of\b", re.I)
_EMPTY = re.compile(r"none|null|other|.*custom.*|debug|dummy|test|-+", re.I)
_CLUMSY = re.compile(r"a[mnst]|b[ey]|i[ns]|o[nr]|so|to")  # `Choose as as the language`
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
_FOREIGN = re.compile(r"[$`*?~<>{}\\]|\.\.\.|path/to|^-")
_ENDING = re.compile(r"\.[A-Za-z]\w{1,6}$")
_CONFIGURATION = re.compile(r"/[\w.-]+\.(?:ya?ml|json|toml|cfg|ini|gin|conf|config|py)$")
_OF_A_USER = re.compile(
    r"\.(?:wav|mp3|flac|ogg|m4a|mp4|avi|mov|mkv|gif|jpe?g|png|bmp|tiff?|webp|pdf|docx?|csv|tsv|txt|fasta|fa|pdb|npy|npz|ply|obj)$",
    re.I,
)
"""The ending of a file that a user brings: sound, pictures, text, tables."""
_NUMBERS = re.compile(r"[\[(][\d\s.,eE+-]*[\])]")
"""A list of numbers in Python."""
_PHRASE = re.compile(r"[A-Za-z][\w'/,-]*(?: [\w'()/,-]+)+")
_ITEM = re.compile(r"[\w./:@+~-]+")
_FEW = 4
_OPEN = re.compile(r"-?\d+\.")
_KEY = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)+")
_URL = re.compile(r"^[a-z]+://|^hf-hub:|^gs:|^s3:")


@dataclass(frozen=True)
class Wish:
    """An argument that should vary, before its values are known.

    Attributes:
        original: the words in the code; empty if the code does not give it.
        kind: the entry of the table; None if none fits.
        passed: in Python, the call that passes it.
        settings: in the shell, the words of the command by destination.
        spellings: in the shell, the destination of each option.
        page: in the shell, the page of a command with a launcher.
        suggested: a model's proposals, in place of those of the rules.
        unfit: the words in the code are no value of it.
    """

    name: str
    kind: Kind | None
    original: Words
    option: OptionSchema
    options: tuple[str, ...] = ()
    switch: bool = False
    suggested: tuple[str, ...] = ()
    unfit: bool = False
    passed: Passed | None = None
    settings: Mapping[str, Words] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    page: str = ""

    @property
    def is_free(self) -> bool:
        """Whether a user can vary it without regard to the example's other settings."""
        return self.kind is not None and not self.kind.path and self.kind.kind in table().free

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two options that turn a switch on and off, `--x` and `--no-x`; None without two such options."""
        spelled = {affirmed(each).replace("_", "-"): each for each in self.options if denies(each)}
        both = [(each, spelled.get(each.lstrip("-").replace("_", "-"), "")) for each in self.options]
        return next(((on, off) for on, off in both if off), None) if self.switch else None

    @property
    def token(self) -> str:
        """A switch as the code gives it, in its longest spelling; its usual spelling if the code does not give it."""
        given = self.original[0] if self.original else ""
        long = [each for each in self.options if each.startswith("--")]
        return given if given.startswith("--") or not long else long[0]


def meaning(words: Words) -> object:
    """A key that is equal for equal values: 1e-3 and 0.001, ./data and data/, True and true."""
    return tuple(_meaning(word) for word in words)


def _meaning(word: str) -> object:
    number = number_of(word)
    if number is not None:
        return number
    if word.lower() in (*_TRUE, *_FALSE):
        return word.lower() in _TRUE
    if word.startswith(("[", "(")):
        return re.sub(r"[\s'\"]", "", word)  # one list in two spellings
    return str(PurePosixPath(word)).lower() if "/" in word and "://" not in word else word.lower()


def proposals(wish: Wish, vocabulary: Vocabulary, program: str, folder: str) -> dict[str, Words]:
    """Values by the way they are said, the code's own first; some may be refused.

    Args:
        wish: the argument.
        vocabulary: what the repository's pages show.
        program: pages' values for this program's options are used.
        folder: where the code runs, from the repository's root.
    """
    if wish.suggested:
        return _suggested(wish)
    own = [wish.original]
    shown = [words for words in _shown(wish, vocabulary, program) if all(map(_is_value, words))]
    is_there = bool(wish.original) and all(vocabulary.holds(each, folder) for each in wish.original)
    if "/" in "".join(wish.original) or is_there:  # a path of another page may start in another folder, or be a slip
        shown = [words for words in shown if all(vocabulary.holds(each, folder) for each in (*wish.original, *words))]
    first = wish.original[0] if len(wish.original) == 1 else ""
    if wish.switch:
        return _switch(wish, shown)
    if _is_truth(wish, first):
        return _truth(wish, first, shown)
    if wish.passed is not None and not wish.is_free and (number_of(first) is not None or _NUMBERS.fullmatch(first)):
        return _said(own)  # a size of another example of Python need not fit this one's data
    if not wish.is_free and first in wish.option.choices and _is_beside_files(wish):
        choices = [word for word in wish.option.choices if not _EMPTY.fullmatch(word)]
        return _said([*own, *shown, *((word,) for word in choices)])  # nothing else could contradict it
    if is_there and _is_alone(wish):
        return _said([*own, *shown, *((path,) for path in vocabulary.beside(first, folder, program))])
    if not wish.is_free or len(wish.original) > 1:
        return _said([*own, *shown])
    return _said([*own, *((word,) for word in _free(wish, first, vocabulary, program))])


def _suggested(wish: Wish) -> dict[str, Words]:
    """The code's own value, and a model's proposals; of a switch or a truth value, both states in its words."""
    first = wish.original[0] if len(wish.original) == 1 else ""
    if wish.switch or _is_truth(wish, first):
        yes, no = _truths(first or str(wish.option.default))
        states = _switch(wish, [()]) if wish.switch else _truth(wish, first, [(yes,), (no,)])
        phrases = [each for each in dict.fromkeys(wish.suggested) if _PHRASE.fullmatch(each)]
        return dict(zip(phrases, states.values(), strict=True)) if len(phrases) == len(states) else states
    own = [wish.original] if wish.original else []
    found = _said([*own, *(tuple(each.split()) if len(wish.original) > 1 else (each,) for each in wish.suggested)])
    return dict(list(found.items())[:MOST])  # no other one takes the place of a value that a reader refuses


def _is_beside_files(wish: Wish) -> bool:
    """Whether a command has, besides this setting, nothing but a user's own inputs and outputs."""
    for name, words in wish.settings.items():
        kind = kind_of(name)
        is_place = kind is not None and kind.path in ("input", "output") and not any(map(_CONFIGURATION.search, words))
        is_own = all(word in wish.original or _OF_A_USER.search(word) for word in words)
        if words and not (is_own or is_place or is_never(name)):
            return False
    return True


def _is_alone(wish: Wish) -> bool:
    """Whether a configuration of the repository stands beside nothing that could belong to it: no data, no weights."""
    if len(wish.original) != 1 or not _CONFIGURATION.search(wish.original[0]) or wish.passed:
        return False
    for name, words in wish.settings.items():
        other = Wish(name, kind_of(name), words, OptionSchema(name, default=None))
        if wish.original[0] in words:
            if len(words) > 1:
                return False  # `--config FILE KEY VALUE`
        elif words and not (other.is_free or is_never(name)):
            return False
    return True


def _shown(wish: Wish, vocabulary: Vocabulary, program: str) -> list[Words]:
    """The values that other examples show in place of this one, beside the same other settings."""
    if wish.passed is not None:
        own = wish.original[0]
        return [(word,) for word in vocabulary.passed(wish.passed) if _kindred(word, own)]
    return vocabulary.instead(program, wish.page, wish.option.place, wish.settings, wish.spellings)


def _kindred(word: str, own: str) -> bool:
    """Whether two names are of one family: `bert-base` and `bert-large`, not `bert-base` and `clip-base`."""
    if number_of(own) is not None:
        return True
    parts, others = ({*re.findall(r"[a-z]{2,}", each.lower())} - _SIZES for each in (word, own))
    return len(parts & others) >= _KINDRED * len(parts | others)  # also if both are sizes alone


def _is_value(word: str) -> bool:
    return not _FOREIGN.search(word) or number_of(word) is not None


def _free(wish: Wish, first: str, vocabulary: Vocabulary, program: str) -> list[str]:
    """Values of a free setting: numbers near its own, other texts, the parser's choices."""
    assert wish.kind is not None
    if wish.option.choices:
        like = first.isupper(), first.istitle()
        found = [word for word in wish.option.choices if not (_EMPTY.fullmatch(word) or _CLUMSY.fullmatch(word))]
        return sorted(found, key=lambda word: (word.isupper(), word.istitle()) != like)  # stable
    if number_of(first) is not None:
        given = [] if wish.passed else vocabulary.given(program, wish.options)
        attested = [word for word in given if number_of(word) is not None]
        return numbers(wish.option, wish.kind, first, attested, most=2 * MOST)
    return list(wish.kind.values) if wish.kind.kind == "text" and _PICTURE.match(first) else []


def _said(values: Iterable[Words]) -> dict[str, Words]:
    found: dict[str, Words] = {}
    seen: list[object] = []
    for words in values:
        if words and meaning(words) not in seen and all(word and len(word) < 120 for word in words):
            seen.append(meaning(words))
            found[listed(words)] = words
    return found


def listed(words: Words) -> str:
    """A value of several words as an instruction says it: `a.yml and b.yml`; texts and settings stay as they are.

    `--opts KEY VALUE` has pairs: `with MODEL.DEPTH set to 50`. `--prompt a red car` is a text without quotes.
    """
    keys = words[::2]
    is_keyed = any(map(_KEY.fullmatch, keys)) and all(re.fullmatch(r"[A-Z][A-Z0-9_.]*", key) for key in keys)
    is_keyed = is_keyed and (len(words) <= _FEW or all(map(_KEY.fullmatch, keys)))  # a long clause is in every wording
    if len(words) > 1 and len(words) % 2 == 0 and is_keyed:
        pairs = [f"{key} set to {value}" for key, value in zip(keys, words[1::2], strict=True)]
        return f"with {', '.join(pairs[:-1])} and {pairs[-1]}" if len(pairs) > 1 else f"with {pairs[0]}"
    is_text = sum(word.isalpha() and word.islower() for word in words) > 2
    items = [word.replace(" ", "_") for word in words]  # a name of several words, quoted below
    if len(words) == 1 and _OPEN.fullmatch(words[0]):
        return f"{words[0]}0"  # `a temperature of 100.` reads as the end of a sentence
    if len(words) < 2 or is_text or _KEY.fullmatch(words[0]) or not all(map(_ITEM.fullmatch, items)):
        return " ".join(words)
    said = [f'"{word}"' if " " in word else word for word in words]
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _switch(wish: Wish, shown: Sequence[Words]) -> dict[str, Words]:
    """A switch said as present, and as absent if the pages show the example without it.

    Of two options, each is said by what it does; absent, the setting is what it is by default.
    """
    given = wish.original[0] if wish.original else wish.token or wish.options[0]
    if wish.pair and not wish.original:
        on, off = wish.pair
        default = wish.option.default
        words: list[Words] = [() if default is True else (on,), () if default is False else (off,)]
        return dict(zip(_pair_phrases(wish), words, strict=True))
    on, off = own_switch_phrases(wish)
    absent = not wish.original or (() in shown and not wish.pair)
    return {on: (given,)} | ({off: ()} if absent else {})


def own_switch_phrases(wish: Wish) -> tuple[str, str]:
    """How it is said that a switch is as in the code, and that it is not."""
    if wish.pair:
        on, off = _pair_phrases(wish)
        return (off, on) if denies(wish.token) else (on, off)
    return switch_phrases(wish.token or wish.name, wish.kind)


def _pair_phrases(wish: Wish) -> tuple[str, str]:
    kind = wish.kind
    return kind.switch if kind and kind.switch else pair_phrases(wish.pair[0] if wish.pair else wish.token)


def _truth(wish: Wish, first: str, shown: Sequence[Words]) -> dict[str, Words]:
    """A setting said as on and off; of the code's own, the other only if the pages show it."""
    yes, no = _truths(first or str(wish.option.default))
    on, off = truth_phrases(wish.name, wish.kind)
    both = {on: (yes,), off: (no,)}
    known = {meaning(words) for words in (wish.original, *shown)}
    return {said: words for said, words in both.items() if not wish.original or meaning(words) in known}


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
