"""Reads the values of a recipe back from an instruction: the check of every composed or paraphrased text."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from functools import cached_property

from mlbench.suites.wording.forms import RecipeWording
from mlbench.suites.wording.frames import frames_text
from mlbench.suites.wording.numbers import NumberMention, is_number, numbers_in

Values = Mapping[str, Mapping[tuple[str, ...], Sequence[str]]]
"""By argument and wanted value, the ways to say it."""

_WORD = re.compile(r"[a-z]+\d?")
_UNNAMING = frozenset(
    re.findall(
        r"\w+",
        "a an and as at be by for from has have in into is it make of on per set should that the this to use used with"
        " number size training",
    )
)
"""Words that name no argument."""
_NEAR, _FAR = 60, 1000
"""Characters between a number and what names it: at most, and if nothing does."""
_ACROSS = 15
"""Characters that a comma, a full stop or an `and` between them counts."""
_CLOSE, _CLEARLY = 20, 3
"""Two numbers are taken for exchanged if they stand this close to each other's names, and this many times closer."""


class Readback:
    """Finds what a text says about the arguments of one recipe.

    Attributes:
        said: for each argument, the ways in which an instruction says each wanted value.
        wording: the recipe's wording; numbers and choices in its fixed text are no values.
    """

    def __init__(self, said: Values, wording: RecipeWording) -> None:
        self.said, self.wording = said, wording

    def faults(self, combination: Mapping[str, tuple[str, ...]], text: str) -> Iterator[str]:
        """Where a text does not say exactly the values of a combination; nothing if it does.

        A fault is a value that is missing, a number or a choice that nobody asked for, or a number that stands where
        nothing names its argument.

        Args:
            combination: the wanted value of every argument.
            text: the instruction.
        """
        wanted = {name: [way for way in self.said[name][words] if way] for name, words in combination.items()}
        spans = list(self._choices(text, wanted))
        numbers = [mention for mention in numbers_in(text) if not _inside(mention.start, mention.end, spans)]
        mentioned = Counter(value for mention in numbers for value in mention.values)
        required: Counter[Decimal] = Counter()
        for name, ways in wanted.items():
            if not ways or any(text[start:end].casefold() == way.casefold() for start, end in spans for way in ways):
                continue
            values = {Decimal(way) for way in ways if is_number(way)}
            if not values & {*mentioned}:
                yield f"{name}: does not say {ways[0]!r}"
            required.update(values & {*mentioned})
        yield from (f"says {value} for several arguments once" for value, n in required.items() if n > mentioned[value])
        yield from (
            f"says {text[mention.start : mention.end]!r}, which nobody asked for"
            for mention in numbers
            if not mention.values & ({*required} | self._fixed_numbers)
        )
        every = {way.casefold() for ways in wanted.values() for way in ways}
        for start, end in spans:
            way = text[start:end].casefold()
            if way not in every and way not in self._fixed_text:
                yield f"says {text[start:end]!r}, which nobody asked for"
        yield from self._misplaced(text, wanted, numbers)

    def _choices(self, text: str, wanted: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, int]]:
        """Where the text says a value that is no number: the wanted ones first, longer ones before shorter ones."""
        spans: list[tuple[int, int]] = []
        mine = {way for ways in wanted.values() for way in ways}
        every = {way for values in self.said.values() for ways in values.values() for way in ways if way}
        for way in sorted((way for way in every if not is_number(way)), key=lambda way: (way not in mine, -len(way))):
            case = 0 if re.fullmatch(r"\w*[A-Z]\w*", way) else re.I  # a data set called AM is not the word `am`
            for match in re.finditer(rf"(?<!\w){re.escape(way)}(?!\w)", text, case):
                if not _inside(*match.span(), spans):
                    spans.append(match.span())
                    yield match.span()

    def _misplaced(
        self, text: str, wanted: Mapping[str, Sequence[str]], numbers: Sequence[NumberMention]
    ) -> Iterator[str]:
        """Numbers that nothing near them names, and pairs that would fit each other's names better."""
        words = [(_stem(match[0]), *match.span()) for match in _WORD.finditer(text.casefold())]
        numeric = {name: Decimal(ways[0]) for name, ways in wanted.items() if ways and is_number(ways[0])}

        def distance(name: str, value: Decimal, cues: Set[str]) -> int:
            """Characters between a number and the nearest word that names the argument; more across a comma."""
            distances = [
                max(start - mention.end, mention.start - end)
                + _ACROSS * _breaks(text, (start, end), (mention.start, mention.end))
                for word, start, end in words
                if word in cues
                for mention in numbers
                if value in mention.values
            ]
            return min(distances, default=_FAR)

        for name, value in numeric.items():
            if distance(name, value, self._cues[name]) > _NEAR:
                yield f"{name}: nothing near {value} says what it is"
        for (name, value), (other, second) in itertools.combinations(numeric.items(), 2):
            mine, theirs = self._cues[name] - self._cues[other], self._cues[other] - self._cues[name]
            if value == second or not mine or not theirs:
                continue
            straight = distance(name, value, mine) + distance(other, second, theirs)
            crossed = distance(name, second, mine) + distance(other, value, theirs)
            if crossed <= _CLOSE and _CLEARLY * crossed < straight:
                yield f"{name} and {other}: {value} and {second} stand at each other's names"

    @cached_property
    def _fixed_text(self) -> str:
        return "\n".join([*self.wording.fixed(), frames_text()]).casefold()

    @cached_property
    def _fixed_numbers(self) -> frozenset[Decimal]:
        return frozenset(
            value for text in self.wording.fixed() for mention in numbers_in(text) for value in mention.values
        )

    @cached_property
    def _cues(self) -> dict[str, frozenset[str]]:
        """For each argument, the words that its forms and the goals around its value are made of."""
        cues: dict[str, frozenset[str]] = {}
        for name in self.said:
            forms = [form.bare() for form in self.wording.forms.get(name, ())]
            goals = [goal for goal in self.wording.goals if f"{{{name}}}" in goal]
            cues[name] = frozenset().union(_words(name.replace("_", " ")), *map(_words, [*forms, *goals]))
        return cues


def _words(text: str) -> frozenset[str]:
    """The words of a text by their stems, without those that name nothing."""
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _UNNAMING)


def _stem(word: str) -> str:
    return re.sub(r"(?:es|s|ing|ed)$", "", word)


def _breaks(text: str, first: tuple[int, int], second: tuple[int, int]) -> int:
    """Commas, full stops and `and`s between two spans."""
    between = text[min(first[1], second[1]) : max(first[0], second[0])]
    return sum(between.count(mark) for mark in (", ", "; ", ". ", " and "))


def _inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a part of this span is in one of the others."""
    return any(start < other_end and other_start < end for other_start, other_end in spans)
