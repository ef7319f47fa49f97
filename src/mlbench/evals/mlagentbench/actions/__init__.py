"""The published actions of MLAgentBench as Inspect tools (paper, table 1), with a record of every step."""

from mlbench.evals.mlagentbench.actions.observations import ActionFault
from mlbench.evals.mlagentbench.actions.tools import FURTHER, PUBLISHED, act, actions, recorded

__all__ = ["FURTHER", "PUBLISHED", "ActionFault", "act", "actions", "recorded"]
