"""Grammar and sense of an instruction, by rules: what a careful reader would stumble over.

The rules hold for templates of the grammar, of a model and of a person. Values are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from mlbench.suite_builder.instructions.grammar import article, verb_of
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.quality.instructions import InstructionFault

_VALUE = re.compile(r"\{\{ \w+ \}\}")
_QUOTED = re.compile(r'"[^"]*"')
_NAME = re.compile(r"\S*[\w)][./\\_]\w\S*")
_DOUBLED = re.compile(r"\b([A-Za-z]+) \1\b", re.I)
_CLASH = re.compile(r"\b(?:a|an|the|my|your) (?:a|an|the|my|your|of|to|in|on|is|are|and|or|by|for|with|at)\b", re.I)
_DANGLING = re.compile(r"\b(?:a|an|the|of|to|with|and|or|into|as|my|than|each|every)(?=[.,;:?!]|$)", re.I)
_MARKUP = re.compile(r"[*`#|<>~^]|\]\(|\\\\|_{2,}|\$\w")
_NOT_BASE = re.compile(
    r"\b(?:want|like|plan|need|have|going|goal is|could you|please|do I|do i) (?:to )?(\w+ing)\b", re.I
)
_GAP = re.compile(r" [.,;:?!](?!\w)|[.,;:?!]{2,}|\(\s*\)|  ")
_ARTICLE = re.compile(r"\b(an?) ([A-Za-z][\w-]*)", re.I)
_EXCEPT = frozenset(["that", "had"])


def slips(template: str, names: Collection[str] = ()) -> Iterator[InstructionFault]:
    """What is wrong with the English of a template.

    Args:
        template: with `{{ name }}` in the place of each value.
        names: texts that need not be English, such as the project's name and fixed values.
    """
    text = _VALUE.sub("X", template)
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "X", text)
    text = _NAME.sub("X", _QUOTED.sub("X", text))
    for pattern, reason in (
        (_CLASH, "articles"),
        (_DANGLING, "dangling-word"),
        (_MARKUP, "markup"),
        (_GAP, "punctuation"),
    ):
        if found := pattern.search(text):
            yield InstructionFault(reason, found[0].strip())
    if (found := _DOUBLED.search(text)) and found[1].lower() not in _EXCEPT and found[1] != "X":
        yield InstructionFault("doubled-word", found[0])
    for found in _ARTICLE.finditer(text):
        if found[2] != "X" and found[1].lower() != article(found[2]):
            yield InstructionFault("articles", found[0])
    if (found := _NOT_BASE.search(text)) and verb_of(found[1]) not in ("", found[1].lower()):
        yield InstructionFault("verb-form", found[0])
    if strange := unknown(text):
        yield InstructionFault("unknown-words", ", ".join(strange[:3]))
