"""A step: what the model said, and what came of it."""

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
    """A reply that could be read.

    Attributes:
        thoughts: the text of each section of `THOUGHTS` that is there.
        action: as the model wrote it, without ornament.
    """

    action: str
    inputs: Mapping[str, Any]
    thoughts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ResearchStep:
    """One turn. `said` is None where the reply could not be read; `seen` then says why.

    Attributes:
        seen: the observation, whole.
        shown: what prompts show of it.
    """

    number: int
    reply: str
    said: ParsedReply | None
    seen: str
    shown: str
