"""The research agent out of steps was `ended` in the table, where `react` was `step-limit`: one vocabulary for all."""

from __future__ import annotations

import pytest

from mlbench.agents.agent_run import outcome_of
from mlbench.agents.sandbox_bridge import AgentEnded
from mlbench.evals.mlagentbench.research_agent.result import ResearchOutcome
from mlbench.reasons import AgentOutcome


@pytest.mark.parametrize(
    ("limit", "foreign", "own", "outcome"),
    [
        (None, "", "", AgentOutcome.ENDED),
        ("turn", "", "", AgentOutcome.STEP_LIMIT),
        ("token", AgentEnded.CRASHED, "", AgentOutcome.TOKEN_LIMIT),
        ("cost", "", "", AgentOutcome.COST_LIMIT),
        ("message", "", "", "message-limit"),
        (None, AgentEnded.BY_ITSELF, "", AgentOutcome.ENDED),
        (None, AgentEnded.CRASHED, "", AgentOutcome.CRASHED),
        (None, AgentEnded.OUT_OF_TIME, "", AgentOutcome.TIME_LIMIT),
        (None, "", ResearchOutcome.ANSWERED.agent_outcome, AgentOutcome.ENDED),
        (None, "", ResearchOutcome.UNREADABLE.agent_outcome, AgentOutcome.ENDED),
        (None, "", ResearchOutcome.OUT_OF_STEPS.agent_outcome, AgentOutcome.STEP_LIMIT),
        (None, "", ResearchOutcome.OUT_OF_TIME.agent_outcome, AgentOutcome.TIME_LIMIT),
    ],
)
def test_an_ending_has_one_name(limit: str | None, foreign: str, own: str, outcome: str) -> None:
    assert outcome_of(limit, foreign, own) == outcome
