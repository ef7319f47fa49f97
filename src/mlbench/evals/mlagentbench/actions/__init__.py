"""The published actions of MLAgentBench as Inspect tools (paper, table 1).

Enters: calls of an agent, by tool or by published name.
Leaves: observations, changes in the sample's workspace, and a recorded step for each call.
"""

from mlbench.evals.mlagentbench.actions.claimed_score import submit
from mlbench.evals.mlagentbench.actions.llm_actions import code_in
from mlbench.evals.mlagentbench.actions.malformed_calls import keep_malformed_calls
from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault
from mlbench.evals.mlagentbench.actions.tools import (
    FURTHER,
    PUBLISHED,
    act,
    actions,
    hidden_actions,
    recorded,
    unreadable,
    validate_submission,
)

__all__ = [
    "FURTHER",
    "PUBLISHED",
    "ActionError",
    "ActionFault",
    "act",
    "actions",
    "code_in",
    "hidden_actions",
    "keep_malformed_calls",
    "recorded",
    "submit",
    "unreadable",
    "validate_submission",
]
