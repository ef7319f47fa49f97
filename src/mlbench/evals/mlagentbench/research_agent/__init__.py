"""The research agent of MLAgentBench, with three improvements; and what it is compared with.

`options.py` says in what it differs from the published one, `agent.py` is its loop, `parsing.py` reads its replies.
"""

from mlbench.evals.mlagentbench.research_agent.agent import research_agent
from mlbench.evals.mlagentbench.research_agent.baselines import reacting, trivial
from mlbench.evals.mlagentbench.research_agent.options import PUBLISHED, ResearchOptions, options_of
from mlbench.evals.mlagentbench.research_agent.result import KEY, ResearchOutcome, ResearchResult

__all__ = [
    "KEY",
    "PUBLISHED",
    "ResearchOptions",
    "ResearchOutcome",
    "ResearchResult",
    "options_of",
    "reacting",
    "research_agent",
    "trivial",
]
