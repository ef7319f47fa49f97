"""What a try of the research agent came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mlbench.reasons import AgentOutcome

KEY = "research_agent"
"""Key of the output's metadata under which a bench finds the result."""


class ResearchOutcome(StrEnum):
    """How a try ended. Limits that are set from outside end it without an outcome of its own."""

    ANSWERED = "answered"
    OUT_OF_STEPS = "out-of-steps"
    OUT_OF_TIME = "out-of-time"
    UNREADABLE = "unreadable-replies"

    @property
    def agent_outcome(self) -> AgentOutcome:
        """The same ending in the vocabulary of all agents."""
        limits = {self.OUT_OF_STEPS: AgentOutcome.STEP_LIMIT, self.OUT_OF_TIME: AgentOutcome.TIME_LIMIT}
        return limits.get(self, AgentOutcome.ENDED)


@dataclass(frozen=True)
class ResearchCosts:
    """What was asked of models. `unreadable` replies are steps too; the helper's calls are none.

    Attributes:
        seconds: of waiting for replies, kept ones as they were first waited for.
    """

    steps: int = 0
    unreadable: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    helper_calls: int = 0
    helper_in: int = 0
    helper_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class ResearchResult:
    """One try.

    Attributes:
        answer: the words of the Final Answer; empty where there is none.
        summarised: observations that were too long to be shown.
        unfounded: figures that a Fact Check claimed and that stood in no observation, in order.
    """

    outcome: ResearchOutcome
    answer: str = ""
    summarised: int = 0
    unfounded: tuple[str, ...] = ()
    costs: ResearchCosts = ResearchCosts()

    def record(self) -> dict[str, Any]:
        """As JSON can write it."""
        return {**asdict(self), "outcome": self.outcome.value}
