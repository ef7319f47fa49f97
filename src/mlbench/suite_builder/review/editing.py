"""Edits of a recipe's text that leave every other character unchanged.

The YAML parser gives the span of each value, and only that span is replaced. The edited text is parsed again, and the
edit is refused unless exactly the wanted change results. Writing the file with a YAML library would wrap lines anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import yaml
from yaml.emitter import Emitter
from yaml.representer import SafeRepresenter
from yaml.resolver import BaseResolver
from yaml.serializer import Serializer

from mlbench.results.format import printable
from mlbench.suites.recipes import RecipeError, Words

_RecipeData: TypeAlias = dict[str, Any]
_BY_HAND = "cannot be edited here without touching the rest of the file; edit it by hand"


def accepted(text: str) -> str:
    """The text of the recipe, marked as accepted."""
    return _with_key(_with_key(text, "rejected", None), "reviewed", "accepted")


def rejected(text: str, why: str) -> str:
    """The text of the recipe, marked as rejected for this reason."""
    return _with_key(_with_key(text, "reviewed", None), "rejected", printable(why))


def with_exclusion(text: str, combination: Mapping[str, Words], why: str) -> str:
    """The recipe with this combination added to `exclude`, and the reason as a comment.

    Args:
        text: the recipe.
        combination: the wanted values to exclude.
        why: the reason.

    Raises:
        RecipeError: the way the recipe is written does not allow this edit.
    """
    rule = {name: words[0] if len(words) == 1 else list(words) for name, words in combination.items()}
    entry = _flow(rule)
    comment = f"  # {printable(why)}" if why.strip() else ""
    rules = _value(text, "exclude")
    if rules is None:
        _, before = _entry(text, "arguments")
        at = _end_of_line(text, _end(before))
        line = f"exclude:\n  - {entry}{comment}\n"
        found = text[:at] + ("" if text[:at].endswith("\n") else "\n") + line + text[at:]
    elif not isinstance(rules, yaml.SequenceNode):
        raise RecipeError(f"exclude: {_BY_HAND}")
    elif rules.flow_style:  # a comment would swallow the rest of its line
        at = _end(rules.value[-1]) if rules.value else rules.start_mark.index + 1
        found = text[:at] + (", " if rules.value else "") + entry + text[at:]
    else:
        at = _end_of_line(text, _end(rules.value[-1]))
        line = f"{' ' * rules.start_mark.column}- {entry}{comment}\n"
        found = text[:at] + ("" if text[:at].endswith("\n") else "\n") + line + text[at:]
    return _verified(text, found, lambda data: data.setdefault("exclude", []).append(rule))


def without_exclusion(text: str, position: int) -> str:
    """The recipe without the rule at this position of `exclude`.

    Raises:
        RecipeError: the way the recipe is written does not allow this edit.
    """
    rules = _value(text, "exclude")
    if not isinstance(rules, yaml.SequenceNode) or position >= len(rules.value):
        raise RecipeError(f"exclude: has no rule number {position + 1}")
    if len(rules.value) == 1:
        return _with_key(text, "exclude", None)
    node = rules.value[position]
    if not rules.flow_style:
        start, end = text.rfind("\n", 0, node.start_mark.index) + 1, _end_of_line(text, _end(node))
    elif position:
        start, end = _end(rules.value[position - 1]), _end(node)
    else:
        start, end = node.start_mark.index, rules.value[1].start_mark.index
    return _verified(text, text[:start] + text[end:], lambda data: data["exclude"].pop(position))


def reasons(text: str) -> dict[int, str]:
    """By the position of a rule in `exclude`, the comment at the end of its line."""
    rules = _value(text, "exclude")
    found = {}
    for position, node in enumerate(rules.value if isinstance(rules, yaml.SequenceNode) else ()):
        rest = re.match(r"[ \t]+#[ \t]*(.*)", text[_end(node) :])
        if rest:
            found[position] = rest[1].rstrip()
    return found


def with_line_ends_of(old: str, text: str) -> str:
    """The new text with the line ends of the old one; browsers send only line feeds."""
    text = text.replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in old else text


def _with_key(text: str, key: str, value: str | None) -> str:
    """The text with a key set to a scalar (a new key comes first), or without the key."""
    found = _value(text, key)
    if value is None and found is None:
        return text
    if found is None:
        start = _root(text).start_mark.index
        return _verified(
            text, f"{text[:start]}{key}: {_scalar(value or '')}\n{text[start:]}", lambda d: d.update({key: value})
        )
    name, node = _entry(text, key)
    if value is None:
        edited = text[: name.start_mark.index] + text[_end_of_line(text, _end(node)) :]
        return _verified(text, edited, lambda data: data.pop(key))
    start, end = node.start_mark.index, _end(node)
    line_end = "\n" if text[start:end].endswith("\n") else ""  # of a folded or literal text
    space = "" if text[start - 1 : start].isspace() else " "
    edited = f"{text[:start]}{space}{_scalar(value)}{line_end}{text[end:]}"
    return _verified(text, edited, lambda data: data.update({key: value}))


def _verified(old: str, new: str, change: Callable[[_RecipeData], object]) -> str:
    """The new text, if it means the old one with this change."""
    wanted = _data(old)
    change(wanted)
    wanted = {key: value for key, value in wanted.items() if value is not None}
    try:
        same = _data(new) == wanted
    except RecipeError:
        same = False
    if not same:
        raise RecipeError(_BY_HAND)
    return new


def _data(text: str) -> _RecipeData:
    try:
        data = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise RecipeError(f"not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise RecipeError("not a mapping of a recipe's fields")
    return data


def _root(text: str) -> yaml.MappingNode:
    _data(text)
    node = yaml.compose(text, Loader=yaml.BaseLoader)
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        raise RecipeError(_BY_HAND)
    return node


def _value(text: str, key: str) -> yaml.Node | None:
    return next((value for name, value in _root(text).value if name.value == key), None)


def _entry(text: str, key: str) -> tuple[yaml.Node, yaml.Node]:
    for name, value in _root(text).value:
        if name.value == key:
            return name, value
    raise RecipeError(f"{key}: Field required")


def _end(node: yaml.Node) -> int:
    """The end of a node's own text; the parser extends a block over comments to the next token."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def _end_of_line(text: str, at: int) -> int:
    """The start of the next line; a block text ends there already."""
    if text[at - 1 : at] == "\n":
        return at
    following = text.find("\n", at)
    return len(text) if following < 0 else following + 1


class _AsText(Emitter, Serializer, SafeRepresenter, BaseResolver):
    """Writes all scalars as text, because recipes are read so: `0.1` needs no quotes."""

    def __init__(self, stream: Any, **_: Any) -> None:
        Emitter.__init__(self, stream, width=1_000_000, allow_unicode=True)
        Serializer.__init__(self)
        SafeRepresenter.__init__(self, default_flow_style=True, sort_keys=False)
        BaseResolver.__init__(self)


def _flow(value: Any) -> str:
    return str(yaml.dump(value, Dumper=_AsText)).strip()


def _scalar(text: str) -> str:
    return _flow([text])[1:-1]  # what holds in a list on one line holds anywhere
