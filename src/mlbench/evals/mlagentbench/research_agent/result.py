"""The result of a run of the research agent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from mlbench.reasons import AgentOutcome

KEY = "research_agent"
"""Key of the result in the output's metadata."""


class ResearchOutcome(StrEnum):
    """How a run of the research agent ended, if no limit of Inspect stopped it."""

    ANSWERED = "answered"
    STEP_LIMIT = AgentOutcome.STEP_LIMIT.value
    TIME_LIMIT = AgentOutcome.TIME_LIMIT.value
    UNREADABLE = "unreadable-replies"

    @property
    def agent_outcome(self) -> AgentOutcome:
        """The outcome under the name that all agents share."""
        shared = {
            self.ANSWERED: AgentOutcome.ENDED,
            self.STEP_LIMIT: AgentOutcome.STEP_LIMIT,
            self.TIME_LIMIT: AgentOutcome.TIME_LIMIT,
            self.UNREADABLE: AgentOutcome.GAVE_UP,
        }
        return shared[self]


@dataclass(frozen=True)
class ResearchCosts:
    """What the models were asked for.

    Attributes:
        steps: replies of the evaluated model, including unreadable ones.
        unreadable: replies that could not be parsed.
        tokens_in: tokens of all prompts to the evaluated model.
        tokens_out: tokens of all its replies.
        helper_calls: calls of the helper model, which are no steps.
        helper_in: tokens of all prompts to the helper.
        helper_out: tokens of all its replies.
        seconds: time of all replies; a cached reply counts the time of its first generation.
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
    """The result of one run.

    Attributes:
        outcome: how the run ended.
        answer: the text of the Final Answer; empty if there is none.
        summarised: the number of observations that were too long to show in full.
        unfounded: figures that a Fact Check claimed without a source, in order.
        costs: calls, tokens and seconds.
    """

    outcome: ResearchOutcome
    answer: str = ""
    summarised: int = 0
    unfounded: tuple[str, ...] = ()
    costs: ResearchCosts = ResearchCosts()

    def record(self) -> dict[str, object]:
        """Return the result as JSON-serialisable values."""
        return {**asdict(self), "outcome": self.outcome.value}
