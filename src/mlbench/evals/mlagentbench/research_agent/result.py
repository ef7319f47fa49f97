"""What a try of the research agent came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mlbench.agents.agent_run import AgentOutcome

KEY = "research_agent"
"""Key of the output's metadata under which a bench finds the result."""


class ResearchOutcome(StrEnum):
    """How a run of the research agent ended, if no limit of Inspect stopped it."""

    ANSWERED = "answered"
    STEP_LIMIT = AgentOutcome.STEP_LIMIT.value
    TIME_LIMIT = AgentOutcome.TIME_LIMIT.value
    UNREADABLE = "unreadable-replies"

    @property
    def agent_outcome(self) -> AgentOutcome:
        """The outcome under the name that all agents share."""
        limits = {self.STEP_LIMIT: AgentOutcome.STEP_LIMIT, self.TIME_LIMIT: AgentOutcome.TIME_LIMIT}
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
