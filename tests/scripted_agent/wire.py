"""A reply as OpenAI's protocols write it: at once, or as the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.scripted_agent.protocol import Conversation, Reply

Json = dict[str, Any]
_CREATED = 1_700_000_000
_CHARACTERS_A_TOKEN = 4
_PIECE = 2_000


def tokens(text: str) -> int:
    """An estimate that is the same everywhere: a token is four characters."""
    return -(-len(text) // _CHARACTERS_A_TOKEN)


@dataclass(frozen=True)
class Answer:
    """A reply to one request. `serial` counts the requests of a server from 1."""

    asked: Conversation
    reply: Reply
    serial: int

    @property
    def _input(self) -> int:
        calls = "".join(call.arguments for message in self.asked.messages for call in message.calls)
        return tokens(self.asked.text + calls)

    @property
    def _output(self) -> int:
        return tokens(self.reply.text + "".join(call.arguments for call in self.reply.calls))

    def _call_id(self, position: int) -> str:
        return f"call_{self.serial}_{position}"

    # chat completions

    @property
    def _usage(self) -> Json:
        return {
            "prompt_tokens": self._input,
            "completion_tokens": self._output,
            "total_tokens": self._input + self._output,
        }

    @property
    def _finish(self) -> str:
        return "tool_calls" if self.reply.calls else "stop"

    def completion(self) -> Json:
        """The body of a chat completion."""
        message: Json = {"role": "assistant", "content": self.reply.text or None}
        if self.reply.calls:
            message["tool_calls"] = self._chat_calls()
        choice = {"index": 0, "finish_reason": self._finish, "message": message, "logprobs": None}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage}

    def chunks(self, include_usage: bool) -> Iterator[Json | str]:
        """The events of a streamed chat completion, with `[DONE]` as the last."""
        head = self._head("chat.completion.chunk")

        def chunk(delta: Json, reason: str | None = None) -> Json:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        yield chunk({"role": "assistant", "content": ""})
        for piece in _pieces(self.reply.text):
            yield chunk({"content": piece})
        for position, call in enumerate(self._chat_calls()):
            arguments = call["function"]["arguments"]
            opened = {**call, "index": position, "function": {**call["function"], "arguments": ""}}
            yield chunk({"tool_calls": [opened]})
            for piece in _pieces(arguments):
                yield chunk({"tool_calls": [{"index": position, "function": {"arguments": piece}}]})
        yield chunk({}, self._finish)
        if include_usage:
            yield {**head, "choices": [], "usage": self._usage}
        yield "[DONE]"

    def _chat_calls(self) -> list[Json]:
        return [
            {
                "id": self._call_id(position),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for position, call in enumerate(self.reply.calls)
        ]

    def _head(self, what: str) -> Json:
        return {
            "id": f"chatcmpl-{self.serial}",
            "object": what,
            "created": _CREATED,
            "model": self.asked.model,
        }

    # responses

    def response(self, status: str = "completed") -> Json:
        """The body of a response; without output as long as it is not completed."""
        done = status == "completed"
        return {
            "id": f"resp_{self.serial}",
            "object": "response",
            "created_at": _CREATED,
            "status": status,
            "model": self.asked.model,
            "output": self._items() if done else [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "usage": {
                "input_tokens": self._input,
                "output_tokens": self._output,
                "total_tokens": self._input + self._output,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            }
            if done
            else None,
        }

    def events(self) -> Iterator[Json | str]:
        """The events of a streamed response."""
        for number, event in enumerate(self._events()):
            yield {**event, "sequence_number": number}

    def _events(self) -> Iterator[Json]:
        yield {"type": "response.created", "response": self.response("in_progress")}
        for index, item in enumerate(self._items()):
            where = {"item_id": item["id"], "output_index": index}
            hollow: Json = {"content": []} if item["type"] == "message" else {"arguments": ""}
            opened = {**item, "status": "in_progress", **hollow}
            yield {"type": "response.output_item.added", "output_index": index, "item": opened}
            if item["type"] == "message":
                yield from _text_events(item, where)
            else:
                for piece in _pieces(item["arguments"]):
                    yield {"type": "response.function_call_arguments.delta", **where, "delta": piece}
                done = {"arguments": item["arguments"], "name": item["name"]}
                yield {"type": "response.function_call_arguments.done", **where, **done}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": self.response()}

    def _items(self) -> list[Json]:
        part = {"type": "output_text", "text": self.reply.text, "annotations": []}
        message = {"id": f"msg_{self.serial}", "type": "message", "role": "assistant", "content": [part]}
        calls = [
            {
                "id": f"fc_{self.serial}_{position}",
                "type": "function_call",
                "status": "completed",
                "call_id": self._call_id(position),
                "name": call.name,
                "arguments": call.arguments,
            }
            for position, call in enumerate(self.reply.calls)
        ]
        return [*([{**message, "status": "completed"}] if self.reply.text or not calls else []), *calls]


def _text_events(item: Json, where: Json) -> Iterator[Json]:
    part = item["content"][0]
    here = {**where, "content_index": 0}
    yield {"type": "response.content_part.added", **here, "part": {**part, "text": ""}}
    for piece in _pieces(part["text"]):
        yield {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **here, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **here, "part": part}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
