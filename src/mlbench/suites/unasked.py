"""Removes arguments from a shell reference, to see what its program does by default."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from mlbench.suites.recipes import Recipe, Words

_WORD = re.compile(r"\\\n|(?:\{\{.*?\}\}|(?!\\\n)[^\s;|&])+|[;|&\n]+")
_SLOT = re.compile(r"\{\{\s*(\w+).*?\}\}")
_BREAKS = ";|&\n"


def without(recipe: Recipe, combination: Mapping[str, Words], dropped: Collection[str]) -> str:
    """The reference for a combination, without the words of the dropped arguments.

    An option is removed with its last value: `--lr {{ lr }} --dim {{ d }}` without `lr` is `--dim {{ d }}`.

    Args:
        recipe: the recipe of the reference.
        combination: the wanted values.
        dropped: names of the arguments to remove.
    """
    kept = recipe.reference
    for start, end in sorted(_spans(recipe, set(dropped)), reverse=True):
        kept = kept[:start] + kept[end:]
    return recipe.model_copy(update={"reference": kept}).render_reference(combination)


def _spans(recipe: Recipe, dropped: set[str]) -> Iterator[tuple[int, int]]:
    """The spans of the words to remove."""
    option: re.Match[str] | None = None
    values: list[bool] = []  # for each value of the option, whether it is removed
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
    """Whether the argument's values are options themselves."""
    return any(words and words[0].startswith("--") for words in recipe.said.get(name, {}))
