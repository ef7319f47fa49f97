"""Composes an instruction from a recipe's wording: register, order and form of every setting, context."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import yaml

from mlbench.records import Kind
from mlbench.suites.wording.forms import Form, FormShape, RecipeWording, is_adverbial
from mlbench.suites.wording.numbers import is_number, shares, spellings

_FRAMES = Path(__file__).with_name("frames.yaml")
_SLOT = re.compile(r"\{(\w*%?)\}")
_LENGTHS = (230, 560)
"""Shortest and longest length in characters up to which context is added."""
_CONTEXTS = 3
_LONG = 110
"""A goal of more characters takes no settings into its sentence."""
_WEIGHTS = {"request": 4, "order": 3, "wish": 4, "question": 2, "own": 2, "note": 3}
_TWO_PLACES = re.compile(r" and | that | which | with | whose ")
"""Words after which an adverbial at the end would belong to something else than the verb."""
_NOT_OF = re.compile(r"^(?:number|maximum|minimum|largest|smallest)\b| (?:of|in|per|for|between|at) ")
"""Names that do not read well in `a learning rate of 0.1`."""
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[ai]|s))", re.I)


@cache
def _frames() -> dict[str, list[str] | dict[str, list[str]]]:
    loaded: dict[str, list[str] | dict[str, list[str]]] = yaml.safe_load(_FRAMES.read_text(encoding="utf-8"))
    return loaded


def _lines(name: str) -> list[str]:
    found = _frames()[name]
    return found if isinstance(found, list) else []


def frames_text() -> str:
    """All text that instructions of any recipe may be made of."""
    return _FRAMES.read_text(encoding="utf-8")


def compose(wording: RecipeWording, said: Mapping[str, str], kind: Kind, rng: random.Random) -> str:
    """An instruction that says every value once.

    Args:
        wording: the recipe's wording.
        said: by argument, how its value is said; a setting that is said by nothing is left out.
        kind: the language of the answer.
        rng: the source of all choices.
    """
    return _Composition(wording, said, kind, rng).text()


class _Composition:
    def __init__(self, wording: RecipeWording, said: Mapping[str, str], kind: Kind, rng: random.Random) -> None:
        self.wording, self.said, self.kind, self.rng = wording, said, kind, rng
        at = rng.randrange(len(wording.goals))
        self.goal, covered = wording.goals[at], wording.slots[at]
        self.decks: dict[str, list[str]] = {}
        self.rest = [name for name in wording.forms if name not in covered and said.get(name, "fact")]
        rng.shuffle(self.rest)

    def text(self) -> str:
        register = self.rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        goal = self._filled(self.goal, self.said)
        body = self._note(goal) if register == "note" else self._prose(goal, register)
        return self._with_context(body)

    def _note(self, goal: str) -> list[str]:
        """Telegram style: the goal and a list of labels; clauses and sentences stay on their own."""
        labels, rest = [], []
        style = self.rng.choice(_lines("labels"))
        for name in self.rest:
            form = self._form(name, {FormShape.NAME, FormShape.NOUN, FormShape.ADVERB})
            value = self._value(name, form)
            if form.shape is FormShape.NAME:
                labels.append(_fill(style, n=form.text, v=value))
            elif form.shape in (FormShape.NOUN, FormShape.ADVERB):
                labels.append(value)
            else:
                rest.append(_sentence(value))
        if not labels:
            return [_sentence(goal + "."), *rest]
        note = _fill(self._frame("notes"), goal=goal, labels=self.rng.choice(("; ", ", ")).join(labels))
        return [_sentence(note), *rest]

    def _prose(self, goal: str, register: str) -> list[str]:
        openings = _frames()["openings"]
        assert isinstance(openings, dict)
        opening = self.rng.choice(openings[self.kind if register == "own" else register])
        with_it, alone = self._attached()
        in_front = self.rng.random() < 0.25 and not any(each.startswith(("with", "without")) for each in with_it)
        nouns = [each for each in with_it if not is_adverbial(each)]
        adverbs = [each for each in with_it if is_adverbial(each)]
        if nouns and in_front:
            front = f"{self.rng.choice(('with', 'using'))} {_listed(nouns)}, "
            goal = " ".join([goal, *adverbs])
        else:
            front = ""
            goal = " ".join([goal, *adverbs]) + (
                f", {self.rng.choice(('with', 'using'))} {_listed(nouns)}" if nouns else ""
            )
        main = _sentence(front + _fill(opening, goal=goal))
        sentences = self._sentences(alone)
        self.rng.shuffle(sentences)
        return [main, *sentences]

    def _attached(self) -> tuple[list[str], list[tuple[str, Form]]]:
        """Up to three short settings that go into the sentence of the goal, and all others with a form each."""
        long = len(self.goal) > _LONG or re.search("[:;]", self.goal)
        room = 0 if long else self.rng.choice((0, 1, 1, 2, 2, 3))
        attached: list[str] = []
        alone: list[tuple[str, Form]] = []
        for name in self.rest:
            form = self._form(name)
            if form.shape is FormShape.ADVERB and _TWO_PLACES.search(self.goal):  # it would belong to the second
                alone.append((name, self._form(name, {*FormShape} - {FormShape.ADVERB})))
            elif len(attached) < room and form.shape not in (FormShape.CLAUSE, FormShape.SENTENCE):
                attached.append(self._noun(name, form))
            else:
                alone.append(
                    (
                        name,
                        self._form(name, {*FormShape} - {FormShape.ADVERB}) if form.shape is FormShape.ADVERB else form,
                    )
                )
        return attached, alone

    def _sentences(self, settings: Sequence[tuple[str, Form]]) -> list[str]:
        """Settings as sentences of their own; names and noun phrases are joined where there are several."""
        by_shape: dict[FormShape, list[tuple[str, Form]]] = {shape: [] for shape in FormShape}
        for name, form in settings:
            by_shape[form.shape].append((name, form))
        found = [_sentence(self._value(name, form)) for name, form in by_shape[FormShape.SENTENCE]]
        found += self._named(by_shape[FormShape.NAME])
        nouns = [self._noun(name, form) for name, form in by_shape[FormShape.NOUN]]
        while nouns:
            taken, nouns = nouns[: (n := self.rng.choice((1, 2, 2, 3)))], nouns[n:]
            found.append(_sentence(_fill(self._frame("nouns"), list=_listed(taken))))
        clauses = [self._value(name, form) for name, form in by_shape[FormShape.CLAUSE]]
        while clauses:
            taken, clauses = clauses[: (n := self.rng.choice((1, 1, 2)))], clauses[n:]
            found.append(_sentence(_fill(self._frame("clauses"), do=" and ".join(taken))))
        for name, form in by_shape[FormShape.ADVERB]:
            found.append(_sentence(_fill(self._frame("adverbs"), adv=self._value(name, form))))
        return found

    def _named(self, names: list[tuple[str, Form]]) -> list[str]:
        found = []
        while names:
            name, form = names.pop()
            if names and self.rng.random() < 0.6:
                other, second = names.pop()
                frame = self._frame("two")
                values = {
                    "n": form.text,
                    "v": self._value(name, form),
                    "m": second.text,
                    "w": self._value(other, second),
                }
            else:
                frame, values = self._frame("one"), {"n": form.text, "v": self._value(name, form)}
            found.append(_sentence(_fill(frame, **values)))
        return found

    def _frame(self, name: str) -> str:
        """One of the frames of this name; none comes twice before all came once."""
        deck = self.decks.setdefault(name, [])
        if not deck:
            deck += self.rng.sample(_lines(name), len(_lines(name)))
        return deck.pop()

    def _form(self, name: str, wanted: set[FormShape] | None = None) -> Form:
        forms = self.wording.forms[name]
        said = self.said.get(name, "")
        if is_adverbial(said):
            forms = tuple(replace(form, shape=FormShape.ADVERB) if form.text == "{}" else form for form in forms)
        if said == "1":  # no plural after it
            forms = tuple(form for form in forms if not form.counted) or forms
        fitting = [form for form in forms if wanted and form.shape in wanted]
        return self.rng.choice(fitting or forms)

    def _noun(self, name: str, form: Form) -> str:
        """A setting as a noun phrase; a named number is `a learning rate of 0.1` or `0.1 as the learning rate`."""
        value = self._value(name, form)
        if form.shape is not FormShape.NAME:
            return value
        if is_number(self.said[name]) and not _NOT_OF.search(form.text):
            article = "an" if _VOWEL.match(form.text) else "a"
            return self.rng.choice((f"{article} {form.text} of {value}", f"{value} as the {form.text}"))
        return f"{value} as the {form.text}"

    def _value(self, name: str, form: Form) -> str:
        """The form with the value in it, in one of its spellings; of a name, the value alone."""
        value = self.said.get(name, "")
        if "{%}" in form.text:
            return form.text.replace("{%}", self.rng.choice(shares(value)))
        spelled = self._spelled(value, form.counted)
        return spelled if form.shape is FormShape.NAME else form.text.replace("{}", spelled)

    def _spelled(self, value: str, counted: bool) -> str:
        """Half of the time as the recipe spells it, because that is also how most people write it."""
        others = spellings(value, counted)[1:]
        return self.rng.choice(others) if others and self.rng.random() < 0.5 else value

    def _filled(self, goal: str, said: Mapping[str, str]) -> str:
        counted = {slot[1] for slot in re.finditer(r"\{(\w+)\} (?!and |or |as |for |to |in |on )[a-z-]+s\b", goal)}
        return _SLOT.sub(lambda slot: self._spelled(said[slot[1]], slot[1] in counted), goal)

    def _with_context(self, body: list[str]) -> str:
        target = self.rng.randint(*_LENGTHS)
        own = list(self.wording.context)
        self.rng.shuffle(own)
        pool = [*own[:1], *self.rng.sample(_lines("context"), _CONTEXTS)]
        if len(own) > 1 and self.rng.random() < 0.4:
            pool.insert(1, own[1])
        for number, line in enumerate(pool[:_CONTEXTS]):
            if number and sum(map(len, body)) + len(line) > target:
                break
            said = re.sub(r"\{(\w+?)(0?)\}", self._someone, line)
            body.insert(0 if number == 0 and self.rng.random() < 0.55 else len(body), _sentence(said))
        return " ".join(body)

    def _someone(self, slot: re.Match[str]) -> str:
        name = slot[1] + slot[2]
        return self.rng.choice(_lines(name if name in _frames() else slot[1]))


def _fill(frame: str, **values: str) -> str:
    return _SLOT.sub(lambda slot: values[slot[1]], frame)


def _listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _sentence(text: str) -> str:
    """With a capital and a full stop; what begins with a path or an identifier is left alone."""
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    first = text.split()[0]
    return text if re.search(r"[./_\d]|[a-z][A-Z]", first.rstrip(".,:;?")) else text[0].upper() + text[1:]
