"""The `wording` of a recipe: goals, ways to say each setting, and context; docs/reference/recipes.md."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_SLOT = re.compile(r"\{(\w*)\}|\{%\}")
_PREPOSITION = re.compile(
    r"(?:with|without|in|on|at|for|by|from|into|to|using|under|through|during|after|over|as|across|against|within"
    r"|only|every|once|twice|starting|up|of|ignoring|conditioned|entirely|together)\b(?!-| most| least)",
    re.I,
)


class FormShape(StrEnum):
    """How a form fits into a sentence."""

    NAME = "name"  # batch size
    NOUN = "noun"  # {} epochs
    CLAUSE = "clause"  # to stop after {} epochs
    ADVERB = "adverb"  # in batches of {}
    SENTENCE = "sentence"  # Training lasts {} epochs.


@dataclass(frozen=True)
class Form:
    """One way to say a setting; `text` has no `to` in front if it is a clause."""

    shape: FormShape
    text: str

    @property
    def counted(self) -> bool:
        """Whether a plural noun follows the value."""
        return re.search(r"\{\} (?!and |or |as |for |to |in |on |is |are )[a-z-]+s\b", self.text) is not None

    def bare(self) -> str:
        """The text without the value."""
        return _SLOT.sub(" ", self.text)


def parse_form(text: str, is_fact: bool) -> Form:
    """A form from its notation; its shape follows from its beginning and its end.

    Args:
        text: the notation, with `{}` (or `{%}`) for the value.
        is_fact: whether it says something fixed, without a value.
    """
    text = " ".join(text.split())
    if text.endswith("."):
        return Form(FormShape.SENTENCE, text)
    if text.startswith("to "):
        return Form(FormShape.CLAUSE, text.removeprefix("to "))
    if _PREPOSITION.match(text):
        return Form(FormShape.ADVERB, text)
    return Form(FormShape.NOUN if "{" in text or is_fact else FormShape.NAME, text)


def is_adverbial(text: str) -> bool:
    """Whether a phrase begins with a preposition."""
    return _PREPOSITION.match(text) is not None


def _lines(value: Any) -> Any:
    return {key: text.split(" | ") if isinstance(text, str) else text for key, text in value.items()}


class RecipeWording(BaseModel):
    """What instructions of a recipe are composed from.

    Attributes:
        goals: what is to be done, as imperatives without a full stop; `{name}` is the value of an argument.
        settings: for each argument that a goal may leave out, the ways to say it, separated by ` | `. A key that
            begins with `_` is a fact that every instruction states.
        context: sentences that are true for every row and set nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    goals: tuple[str, ...] = Field(min_length=1)
    settings: Annotated[dict[str, tuple[str, ...]], BeforeValidator(_lines)] = {}
    context: tuple[str, ...] = ()

    @cached_property
    def slots(self) -> tuple[frozenset[str], ...]:
        """For each goal, the arguments or facts that it says."""
        return tuple(frozenset(re.findall(r"\{(\w+)\}", goal)) for goal in self.goals)

    def faults(self, arguments: Collection[str]) -> Iterator[str]:
        """What does not fit the recipe's arguments."""
        for name in sorted(frozenset().union(*self.slots) - {*arguments}):
            yield f"no argument is called {name!r}"
        for name in sorted(name for name in arguments if any(name not in goal for goal in self.slots)):
            if name not in self.settings:
                yield f"a goal leaves out {name!r}, and no setting says it"
        for name, forms in self.forms.items():
            if name not in arguments and name not in self.facts:
                yield f"no argument is called {name!r}; the name of a fact begins with _"
            for form in forms:
                slots = len(_SLOT.findall(form.text))
                if slots != (name not in self.facts and form.shape is not FormShape.NAME):
                    yield f"{name}: {form.text!r} has {slots} values"

    @cached_property
    def forms(self) -> dict[str, tuple[Form, ...]]:
        """The forms of each setting."""
        return {
            name: tuple(parse_form(text, name in self.facts) for text in texts) for name, texts in self.settings.items()
        }

    @cached_property
    def facts(self) -> frozenset[str]:
        """Settings without a value: every instruction states them."""
        return frozenset(name for name in self.settings if name.startswith("_"))

    def fixed(self) -> list[str]:
        """The texts of goals, forms and context, without values."""
        forms = [form.bare() for forms in self.forms.values() for form in forms]
        return [*(_SLOT.sub(" ", goal) for goal in self.goals), *forms, *self.context]
