"""What a purpose must not say: values of arguments, and switches that the command does not always set."""

from __future__ import annotations

import re
from collections.abc import Set

from mlbench.suite_builder.arguments.argument_kinds import kind_of
from mlbench.suite_builder.types import RecipeDraft

_SWITCH = re.compile(r"(?:do not )?(?:use|apply|enable|disable|perform|output|return)\s+|with(?:out)? ", re.I)
PREPOSITION = re.compile(r"(?:on|in|with|for|from|at|of|to|into|over|under|without|and)$", re.I)
_OF_MODEL = ("model", "config")


def contradicts(text: str, draft: RecipeDraft) -> bool:
    """Whether words speak of a switch that the command does not set in each row: `apply alpha matting`."""
    said = f" {text.lower()} "
    varied = {name.lower() for each in draft.arguments for way in each.values if (name := _switched(way))}
    absent = set()
    for each in draft.task.check.invocations:
        for name in {*each.configuration} - {*each.given}:
            if (kind := kind_of(name)) and kind.switch:
                absent.add(_switched(kind.switch[0]))  # `with mixed precision`, but no such option is given
    return any(f" {name} " in said for name in varied | absent if " " in name)


def _switched(way: str) -> str:
    """What a switch is about: `alpha matting` of `do not use alpha matting`; empty if it is no switch's phrase."""
    found = _SWITCH.match(way)
    return way[found.end() :] if found and " " in way else ""


def values_of(draft: RecipeDraft) -> frozenset[str]:
    """All values that contain letters, in lower case and without punctuation."""
    texts = {
        text
        for argument in draft.arguments
        for said, words in argument.values.items()
        for text in (said, *words)
        if not text.startswith("-")
    }
    plain = {_plain(text) for text in texts}
    return frozenset(text for text in plain if len(text) > 2 and not text.isdigit())


def conflicts(text: str, taken: Set[str]) -> bool:
    """Whether a text contains a value, or a name that begins like one."""
    if _plain(text) in taken:
        return True
    for word in text.split():
        plain = _plain(word)
        if plain in taken or (
            len(plain) > 3
            and not word.islower()
            and not word.istitle()
            and any(value.startswith(plain) or (len(value) > 3 and plain.startswith(value)) for value in taken)
        ):
            return True
    return False


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


def free_of(rest: str, taken: Set[str]) -> str | None:
    """The text without its part with a value: `a model` of `a model on Cora`."""
    words = rest.split()
    for at, word in enumerate(words):
        if conflicts(word, taken):
            cuts = [position for position in range(1, at) if PREPOSITION.match(words[position])]
            return " ".join(words[: cuts[-1]]) if cuts else None
    return rest


def general(rest: str, meant: str, draft: RecipeDraft) -> str:
    """The object without a model's name if the model varies: `the model on ImageNet` of `a Swin-B on ImageNet`."""
    if not any((kind := kind_of(each.place)) and kind.kind in _OF_MODEL for each in draft.arguments):
        return rest
    words = rest.split()
    end = next((at for at, word in enumerate(words) if PREPOSITION.match(word)), len(words))
    head = " ".join(words[:end])
    return " ".join([meant, *words[end:]]) if meant.endswith("model") and re.search("[A-Z]", head) else rest
