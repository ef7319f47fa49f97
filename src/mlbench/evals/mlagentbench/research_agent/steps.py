"""A step of the research agent: the model's reply and the observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

THOUGHTS = ("Reflection", "Research Plan and Status", "Fact Check", "Thought")
"""The sections of a reply before its action, in the published order."""
ACTION, ACTION_INPUT = "Action", "Action Input"
FINAL_ANSWER = "Final Answer"


@dataclass(frozen=True)
class ParsedReply:
    """A reply that could be parsed.

    Attributes:
        action: its name as the model wrote it, without quotes and Markdown.
        inputs: the values of the action's inputs by name.
        thoughts: the text of each section of `THOUGHTS` in the reply.
    """

    action: str
    inputs: Mapping[str, Any]
    thoughts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ResearchStep:
    """One step.

    Attributes:
        number: counted from 1.
        reply: the model's reply.
        parsed: the parsed reply; None if it could not be parsed.
        observation: the full observation, or why the reply could not be parsed.
        shown: the part of the observation that prompts show.
    """

    number: int
    reply: str
    parsed: ParsedReply | None
    observation: str
    shown: str
