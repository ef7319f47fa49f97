"""Decisions of a model that cannot call tools: how they are asked for in text, and how they are read from a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from inspect_ai.tool import ToolCall

from mlbench.agents.ml_agent.prompts import render_prompt
from mlbench.agents.ml_agent.tool_schemas import Offer

_TAGGED = re.compile(r"<decision>(.*?)(?:</decision>|\Z)", re.DOTALL)
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)\n?^```[ \t]*$", re.DOTALL | re.MULTILINE)
_WRAPPERS = ("arguments", "parameters")
_CODE = "code"
_MOST_OBJECTS = 500
_DECODER = json.JSONDecoder(strict=False)  # models write the lines of code as they are


def described(offers: Sequence[Offer]) -> str:
    """Return how to take one of these decisions in text."""
    tools = [offer.tool() for offer in offers]
    has_code = any(_CODE in tool.parameters.properties for tool in tools)
    return render_prompt("decision", tools=tools, code=has_code)


def call_in(text: str, offers: Sequence[Offer]) -> ToolCall | None:
    """Return the last decision in a reply as a call of a tool; None if there is none."""
    names = {offer.kind.tool for offer in offers}
    tagged = _TAGGED.findall(text)
    for piece in [*reversed(tagged), *([] if tagged else [text])]:
        for found in reversed(_objects(piece)):
            if call := _call(found, names, offers):
                return _with_code(call, text, offers)
    return None


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in a text."""
    found: list[dict[str, Any]] = []
    start = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            found.append(value)
        start = text.find("{", end)
    return found


def _call(found: dict[str, Any], names: set[str], offers: Sequence[Offer]) -> ToolCall | None:
    """Return the call that an object is; without a name, that of the only tool if the object has one of its fields."""
    rest = dict(found)
    name = rest.pop("tool", None) or rest.pop("name", None)
    for wrapper in _WRAPPERS:
        if isinstance(inner := rest.get(wrapper), dict):
            rest = inner
    if name is None and len(offers) == 1 and rest.keys() & offers[0].kind.model_fields.keys():
        (name,) = names
    return ToolCall(id="text", function=name, arguments=rest) if isinstance(name, str) else None


def _with_code(call: ToolCall, text: str, offers: Sequence[Offer]) -> ToolCall:
    """Return a call with the code of the last Markdown fence, if its decision has code and the object has none."""
    kind = next((offer.kind for offer in offers if offer.kind.tool == call.function), None)
    if kind is None or _CODE not in kind.model_fields or call.arguments.get(_CODE):
        return call
    fences = [code for code in _FENCE.findall(_TAGGED.sub("", text)) if not code.lstrip().startswith("{")]
    arguments = {**call.arguments, **({_CODE: fences[-1]} if fences else {})}
    return ToolCall(id=call.id, function=call.function, arguments=arguments)
