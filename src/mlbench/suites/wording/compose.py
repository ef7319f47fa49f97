"""Composes an instruction from a recipe's wording: register, order and form of every setting, context."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlbench.records import Kind
from mlbench.suites.wording.forms import Form, FormShape, RecipeWording, is_adverbial
from mlbench.suites.wording.frames import FrameDecks, frame_lines
from mlbench.suites.wording.moves import choose_moves
from mlbench.suites.wording.numbers import is_number, shares, spellings

_SLOT = re.compile(r"\{(\w*%?)\}")
_LINKED = 0.25
"""Share of the sentences made from a frame that begin with `also` or another link, if another one precedes."""
_LONG = 110
"""A goal of more characters takes no settings into its sentence."""
_WEIGHTS = {"request": 4, "order": 3, "wish": 4, "question": 2, "own": 2, "note": 3}
_TWO_PLACES = re.compile(r" (?:and|that|which|with|without|whose|using|according to|in which) |^(?:reproduce|repeat) ")
"""Words after which a phrase at the end would belong to something else than the verb."""
_HEADED = re.compile(r"(?:write|show|find out|give)\b")
"""Goals that say themselves what kind of answer is wanted: `the code to write Python that` says it twice."""
_CLAUSES = re.compile("[:;]")
"""Goals of two clauses are no question, follow no other colon and take no `, please`."""
_SEVERAL = re.compile(r" and | or |, ")
"""A phrase with these words is no part of a list."""
_NOT_OF = re.compile(r"^(?:number|maximum|minimum|largest|smallest)\b| (?:of|in|per|for|between|at) ")
"""Names that do not read well in `a learning rate of 0.1`."""
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[ai]|s))", re.I)


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
        self.frames = FrameDecks(rng)
        self.rest = [name for name in wording.forms if name not in covered and said.get(name, "fact")]
        rng.shuffle(self.rest)

    def text(self) -> str:
        register = self._register()
        goal = self._filled(self.goal, self.said)
        body = self._note(goal) if register == "note" else self._prose(goal, register)
        before, after = choose_moves(len(" ".join(body)), self.wording.context, register, self.kind, self.frames)
        return " ".join([*map(_sentence, before), *body, *map(_sentence, after)])

    def _register(self) -> str:
        """How the goal is put: only as an order if it has two clauses, and not as `the code to write Python that`."""
        weights = dict(_WEIGHTS)
        if _HEADED.match(self.goal):
            del weights["own"], weights["wish"]
            weights["question"] = 1 if self.goal.startswith("write") else 0
        if _CLAUSES.search(self.goal):
            return "order"
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def _note(self, goal: str) -> list[str]:
        """Telegram style: the goal and a list of labels; clauses and sentences stay on their own."""
        labels, rest = [], []
        style = self.rng.choice(frame_lines("labels"))
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
        between = "; " if any(_SEVERAL.search(label) for label in labels) else self.rng.choice(("; ", ", "))
        note = _fill(self.frames.next("notes"), goal=goal, labels=between.join(labels))
        return [_sentence(note), *rest]

    def _prose(self, goal: str, register: str) -> list[str]:
        fitting = frame_lines("openings", self.kind if register == "own" else register)
        two = _CLAUSES.search(self.goal)
        opening = self.rng.choice([each for each in fitting if not (two and re.search("[:,]", each))])
        with_it, alone = self._attached()
        main = _sentence(_fill(opening, goal=goal + with_it))
        return [main, *self._sentences(alone)]

    def _attached(self) -> tuple[str, list[tuple[str, Form]]]:
        """What follows the goal in its sentence, one adverbial or list of nouns, and all other settings with a form."""
        unfit = len(self.goal) > _LONG or _CLAUSES.search(self.goal) or _TWO_PLACES.search(self.goal)
        room = 0 if unfit else self.rng.choice((0, 1, 1, 2, 2, 3))
        settings = [(name, self._form(name)) for name in self.rest]
        adverbs = [each for each in settings if each[1].shape is FormShape.ADVERB]
        attached = ""
        if room and adverbs and ", " not in self.goal and self.rng.random() < 0.5:
            (name, form), *_ = adverbs
            settings.remove((name, form))
            attached = f" {self._value(name, form)}"
        elif room:
            nouns = [each for each in settings if each[1].shape in (FormShape.NAME, FormShape.NOUN)]
            taken = self._lists([(self._noun(*each), each) for each in nouns], (room,))
            if taken:
                text, parts = taken[0]
                settings = [each for each in settings if each not in parts]
                attached = f", {self.rng.choice(('with', 'using'))} {text}"
        others = {*FormShape} - {FormShape.ADVERB}
        return attached, [
            (name, self._form(name, others) if form.shape is FormShape.ADVERB else form) for name, form in settings
        ]

    def _lists(
        self, phrases: Sequence[tuple[str, tuple[str, Form]]], sizes: Sequence[int]
    ) -> list[tuple[str, list[tuple[str, Form]]]]:
        """Noun phrases in lists of these sizes, each with its settings.

        `0.5 as the ratio` comes first in a list, because after `a size of 8 and` it reads as two values of one setting.
        """
        alone = [phrase for phrase in phrases if _SEVERAL.search(phrase[0])]
        short = [phrase for phrase in phrases if phrase not in alone]
        lists = [(text, [setting]) for text, setting in alone]
        while short:
            members, short = short[: (n := self.rng.choice(sizes))], short[n:]
            members.sort(key=lambda phrase: " as the " not in phrase[0])
            lists.append((_listed([text for text, _ in members]), [setting for _, setting in members]))
        self.rng.shuffle(lists)
        return lists

    def _sentences(self, settings: Sequence[tuple[str, Form]]) -> list[str]:
        """Settings as sentences of their own, in any order; several names or noun phrases are joined."""
        by_shape: dict[FormShape, list[tuple[str, Form]]] = {shape: [] for shape in FormShape}
        for name, form in settings:
            by_shape[form.shape].append((name, form))
        framed = self._named(by_shape[FormShape.NAME])
        nouns = [(self._noun(*each), each) for each in by_shape[FormShape.NOUN]]
        framed += [_fill(self.frames.next("nouns"), list=text) for text, _ in self._lists(nouns, (1, 2, 2, 3))]
        clauses = [self._value(name, form) for name, form in by_shape[FormShape.CLAUSE]]
        while clauses:
            several = len({each.split()[0] for each in clauses[:2]}) == 1 or any(map(_SEVERAL.search, clauses[:2]))
            taken, clauses = clauses[: (n := 1 if several else self.rng.choice((1, 1, 2)))], clauses[n:]
            framed.append(_fill(self.frames.next("clauses"), do=" and ".join(taken)))
        whole = [self._value(name, form) for name, form in by_shape[FormShape.SENTENCE]]
        for name, form in by_shape[FormShape.ADVERB]:
            whole.append(_fill(self.frames.next("adverbs"), adv=self._value(name, form)))
        order = self.rng.sample([*framed, *whole], len(framed) + len(whole))
        linked = (at > 0 and text in framed and self.rng.random() < _LINKED for at, text in enumerate(order))
        return [
            _sentence(self.frames.next("links") + text if link else text)
            for text, link in zip(order, linked, strict=True)
        ]

    def _named(self, names: list[tuple[str, Form]]) -> list[str]:
        found = []
        while names:
            name, form = names.pop()
            if names and self.rng.random() < 0.6 and not _SEVERAL.search(self.said[name] + self.said[names[-1][0]]):
                other, second = names.pop()
                frame = self.frames.next("two")
                values = {
                    "n": form.text,
                    "v": self._value(name, form),
                    "m": second.text,
                    "w": self._value(other, second),
                }
            else:
                frame, values = self.frames.next("one"), {"n": form.text, "v": self._value(name, form)}
            found.append(_fill(frame, **values))
        return found

    def _form(self, name: str, shapes: set[FormShape] | None = None) -> Form:
        forms = self.wording.forms[name]
        value = self.said.get(name, "")
        if is_adverbial(value):
            forms = tuple(replace(form, shape=FormShape.ADVERB) if form.text == "{}" else form for form in forms)
        if value == "1":  # no plural after it
            forms = tuple(form for form in forms if not form.counted) or forms
        fitting = [form for form in forms if shapes and form.shape in shapes]
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
        return spelled if form.shape is FormShape.NAME else _put(form.text, spelled)

    def _spelled(self, value: str, counted: bool) -> str:
        """Half of the time as the recipe spells it, because that is also how most people write it."""
        other_spellings = spellings(value, counted)[1:]
        return self.rng.choice(other_spellings) if other_spellings and self.rng.random() < 0.5 else value

    def _filled(self, goal: str, said: Mapping[str, str]) -> str:
        counted = {slot[1] for slot in re.finditer(r"\{(\w+)\} (?!and |or |as |for |to |in |on )[a-z-]+s\b", goal)}
        for name in self.wording.slots[self.wording.goals.index(goal)]:
            goal = _put(goal, self._spelled(said[name], name in counted), name)
        return goal


def _fill(frame: str, **values: str) -> str:
    return _SLOT.sub(lambda slot: values[slot[1]], frame)


def quoted(value: str) -> str:
    """A value as an instruction says it: a plain word of lower case would be read as a part of the sentence."""
    return f'"{value}"' if re.fullmatch("[a-z]{2,}", value) else value


def _put(text: str, value: str, name: str = "") -> str:
    """The text with a value in its slot, without quotes of its own in a path or where the text has them."""
    slot = f"{{{name}}}"
    if value == quoted(value.strip('"')) and value.startswith('"'):
        text = re.sub(rf"(?<=[\"'\w/.-]){re.escape(slot)}|{re.escape(slot)}(?=[\"'\w/-])", lambda _: value[1:-1], text)
    return text.replace(slot, value)


def _listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _sentence(text: str) -> str:
    """With a capital and a full stop; what begins with a path or an identifier is left alone."""
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    first = text.split()[0]
    return text if re.search(r"[./_\d]|[a-z][A-Z]", first.rstrip(".,:;?")) else text[0].upper() + text[1:]
