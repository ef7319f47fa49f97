"""A model that is a function: a policy that plays ML-Agent's part by rules, and answers that are given beforehand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.prompts.tokens import estimate

Call = dict[str, Any]
"""A tool call: `tool`, and its arguments."""
Policy = Callable[[list[ChatMessage], list[ToolInfo]], ModelOutput]


def call(tool: str, **arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm", tool, arguments)


def playing(policy: Policy) -> Model:
    """The model that this function is."""

    def generate(messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: object) -> ModelOutput:
        output = policy(messages, tools)
        said = sum(estimate(message.text) for message in messages)
        output.usage = ModelUsage(input_tokens=said, output_tokens=10, total_tokens=said + 10)  # or Inspect counts
        return output

    return get_model("mockllm/model", custom_outputs=generate)


def script(*outputs: ModelOutput) -> Policy:
    """These replies, in order, whatever is asked."""
    waiting = list(outputs)

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        return waiting.pop(0)

    return policy


def by_tool(**replies: ModelOutput | Sequence[ModelOutput]) -> Policy:
    """To each question the first reply whose tool is offered; of several replies one after the other."""
    waiting = {tool: list(each) if isinstance(each, (list, tuple)) else [each] for tool, each in replies.items()}

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        offered = {tool.name for tool in tools}
        for name, left in waiting.items():
            if name in offered:
                return left.pop(0) if len(left) > 1 else left[0]
        raise AssertionError(f"nobody said what to reply to {[tool.name for tool in tools]}")

    return policy


def asked(messages: Sequence[ChatMessage]) -> str:
    """The instruction in a conversation."""
    text = next(message.text for message in messages if message.role == "user")
    return re.findall(r"<instruction>\n(.*?)\n</instruction>", text, re.DOTALL)[-1]
