"""The engineer as a model that cannot call tools: its endpoint refuses them, and it writes its decisions as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.protocol import BadRequestError, Call, Conversation, Message, Reply, Tool

_ASKED = "Take the decision in text."
_TOOL = re.compile(r"^(\w+): .*\n((?:  \w+ \(.*\n?)*)", re.M)
_ARGUMENT = re.compile(r"^  (\w+) \((\w+)(, required)?\)", re.M)
_DECISION = re.compile(r"<decision>\n(.*?)\n</decision>(?:\n```\n(.*)\n```)?", re.DOTALL)


def written(said: Conversation) -> Reply:
    """What the engineer says next.

    Raises:
        BadRequestError: the request has tools.
    """
    if said.tools:
        raise BadRequestError("this model does not support tools")
    reply = reply_of("competent", _with_calls(said))
    if not reply.calls:
        return reply
    call = reply.calls[0]
    values = call.values()
    code = values.pop("code", None)
    decision = f"<decision>\n{json.dumps({'tool': call.name, **values})}\n</decision>"
    return Reply(decision if code is None else f"{decision}\n```\n{code}\n```")


def _with_calls(said: Conversation) -> Conversation:
    """The conversation as it would be with tools: decisions are calls, what follows each is its result."""
    messages: list[Message] = []
    for number, message in enumerate(said.messages):
        text = message.text.split(f"\n\n{_ASKED}")[0]
        if message.role == "assistant" and (found := _DECISION.search(text)):
            values = json.loads(found[1]) | ({"code": found[2]} if found[2] else {})
            messages.append(Message("assistant", "", (Call(values.pop("tool"), json.dumps(values), str(number)),)))
        elif message.role == "user" and messages and messages[-1].calls:
            messages.append(Message("tool", text, answers=messages[-1].calls[0].id))
        else:
            messages.append(replace(message, text=text))
    return replace(said, messages=tuple(messages), tools=_tools(said.messages[-1].text))


def _tools(text: str) -> tuple[Tool, ...]:
    """The tools that a message describes."""
    described = text.partition(_ASKED)[2]
    tools = []
    for name, arguments in _TOOL.findall(described):
        found = _ARGUMENT.findall(arguments)
        schema = {
            "properties": {argument: {"type": kind} for argument, kind, _ in found},
            "required": [argument for argument, _, required in found if required],
        }
        tools.append(Tool(name, "", schema))
    return tuple(tools)
