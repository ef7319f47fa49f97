"""The research agent of MLAgentBench with three improvements, and its baselines.

In: a research problem and the published actions as tools. Out: a `ResearchResult` in the output's metadata.
`options` has the differences from the published agent, `loop` its steps, `parsing` reads its replies.
"""

from mlbench.evals.mlagentbench.research_agent.agent import research_agent
from mlbench.evals.mlagentbench.research_agent.baselines import reacting, trivial
from mlbench.evals.mlagentbench.research_agent.earlier import EarlierSteps
from mlbench.evals.mlagentbench.research_agent.options import PUBLISHED, ResearchOptions, options_of
from mlbench.evals.mlagentbench.research_agent.result import KEY, ResearchOutcome, ResearchResult

__all__ = [
    "KEY",
    "PUBLISHED",
    "EarlierSteps",
    "ResearchOptions",
    "ResearchOutcome",
    "ResearchResult",
    "options_of",
    "reacting",
    "research_agent",
    "trivial",
]
