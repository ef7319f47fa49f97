"""A shell reference without some of its arguments: what its program does when nobody asks for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from mlbench.suites.recipes import Recipe, Words

_WORD = re.compile(r"\\\n|(?:\{\{.*?\}\}|(?!\\\n)[^\s;|&])+|[;|&\n]+")
_SLOT = re.compile(r"\{\{\s*(\w+).*?\}\}")
_BREAKS = ";|&\n"


def without(recipe: Recipe, combination: Mapping[str, Words], dropped: Collection[str]) -> str:
    """The reference for a combination, less the words that carry the dropped arguments.

    An option goes with its last value: of `--lr {{ lr }} --dim {{ d }}`, less `lr`, `--dim {{ d }}` is left.
    """
    kept = recipe.reference
    for start, end in sorted(_spans(recipe, set(dropped)), reverse=True):
        kept = kept[:start] + kept[end:]
    return recipe.model_copy(update={"reference": kept}).render_reference(combination)


def _spans(recipe: Recipe, dropped: set[str]) -> Iterator[tuple[int, int]]:
    """The places of the words that go."""
    option: re.Match[str] | None = None
    values: list[bool] = []  # of the option: whether each of its values goes
    for word in [*_WORD.finditer(recipe.reference), None]:
        text = word[0] if word else "\n"
        if text == "\\\n":
            continue
        names = set(_SLOT.findall(text))
        switch = any(_is_switch(recipe, name) for name in names)
        if option and (text[0] in _BREAKS or text.startswith("-") or switch):
            if values and all(values):
                yield option.span()
            option, values = None, []
        if word is None:
            return
        if option:
            values.append(bool(names & dropped))
        if names & dropped:
            yield word.span()
        elif text.startswith("-") and "=" not in text and not names:
            option = word


def _is_switch(recipe: Recipe, name: str) -> bool:
    """Whether an argument's values are options by themselves."""
    return any(words and words[0].startswith("--") for words in recipe.said.get(name, {}))
