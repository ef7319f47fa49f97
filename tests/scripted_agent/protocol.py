"""A request to a model, whichever of OpenAI's two protocols it came by: chat completions or responses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
_ROLES: dict[str, Role] = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant"}


class BadRequestError(Exception):
    """The request is not as the protocol wants it; the words go to the client with status 400."""


@dataclass(frozen=True)
class Call:
    """A call of a tool. `arguments` is the text that was sent: it need not be JSON."""

    name: str
    arguments: str
    id: str = ""

    def values(self) -> dict[str, Any]:
        """The arguments; none where they are no JSON object."""
        try:
            found = json.loads(self.arguments)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Message:
    """One message. `answers` is the id of the call whose result it is."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    answers: str = ""


@dataclass(frozen=True)
class Tool:
    """A tool that may be called; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        return dict(self.schema.get("properties") or {})

    @property
    def required(self) -> list[str]:
        return list(self.schema.get("required") or [])


@dataclass(frozen=True)
class Conversation:
    """All that a model is sent. `forced`: the tool that it has to call; `must_call`: it has to call one."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    forced: str = ""
    must_call: bool = False

    @property
    def text(self) -> str:
        return "\n\n".join(message.text for message in self.messages)

    @property
    def opening(self) -> str:
        """The system's and the user's words before the first answer: the task."""
        return "\n\n".join(message.text for message in self.openers)

    @property
    def openers(self) -> tuple[Message, ...]:
        first = next((n for n, each in enumerate(self.messages) if each.role == "assistant"), len(self.messages))
        return self.messages[:first]

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True)
class Reply:
    """What the engineer says."""

    text: str = ""
    calls: tuple[Call, ...] = field(default=())


def conversation(path: str, body: Mapping[str, Any]) -> Conversation:
    """What stands in a request's body.

    Raises:
        BadRequestError: it is not as the protocol wants it.
    """
    try:
        return _of_responses(body) if path.endswith("/responses") else _of_chat(body)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadRequestError(f"malformed request: {type(error).__name__}: {error}") from error


def _of_chat(body: Mapping[str, Any]) -> Conversation:
    messages = []
    for each in body["messages"]:
        calls = tuple(_chat_call(call) for call in each.get("tool_calls") or ())
        role: Role = "tool" if each["role"] in ("tool", "function") else _ROLES[each["role"]]
        messages.append(Message(role, _text(each.get("content")), calls, each.get("tool_call_id") or ""))
    tools = [each["function"] for each in body.get("tools") or () if each.get("type") == "function"]
    return _conversation(body, messages, tools)


def _chat_call(call: Mapping[str, Any]) -> Call:
    return Call(call["function"]["name"], call["function"]["arguments"], call["id"])


def _of_responses(body: Mapping[str, Any]) -> Conversation:
    messages = [Message("system", body["instructions"])] if body.get("instructions") else []
    items = body["input"]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append(Message(_ROLES[item["role"]], _text(item["content"])))
        elif kind == "function_call":
            messages.append(Message("assistant", "", (Call(item["name"], item["arguments"], item["call_id"]),)))
        elif kind == "function_call_output":
            messages.append(Message("tool", _text(item["output"]), answers=item["call_id"]))
    tools = [each for each in body.get("tools") or () if each.get("type") == "function"]
    return _conversation(body, messages, tools)


def _conversation(
    body: Mapping[str, Any], messages: Iterable[Message], functions: Iterable[Mapping[str, Any]]
) -> Conversation:
    choice = body.get("tool_choice")
    forced = choice.get("function", choice)["name"] if isinstance(choice, Mapping) and choice.get("type") else ""
    tools = tuple(Tool(f["name"], f.get("description") or "", f.get("parameters") or {}) for f in functions)
    if forced and forced not in [tool.name for tool in tools]:
        raise BadRequestError(f"tool_choice names {forced!r}, which is not among the tools")
    return Conversation(
        model=str(body["model"]),
        messages=tuple(messages),
        tools=() if choice == "none" else tools,
        forced=forced,
        must_call=choice == "required" or bool(forced),
    )


def _text(content: Any) -> str:
    """A content is a text, or a list of parts of which those with text count."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
