"""The published actions of MLAgentBench as Inspect tools (paper, table 1), with a record of every step."""

from mlbench.experiments.actions.observations import Fault
from mlbench.experiments.actions.published import FURTHER, PUBLISHED, act, actions, recorded

__all__ = ["FURTHER", "PUBLISHED", "Fault", "act", "actions", "recorded"]
