"""The research agent of MLAgentBench, with three improvements; and what it is compared with.

`options.py` says in what it differs from the published one, `agent.py` is its loop, `parsing.py` reads its replies.
"""

from mlbench.agents.research_agent.agent import research_agent
from mlbench.agents.research_agent.compared import reacting, trivial
from mlbench.agents.research_agent.options import PUBLISHED, Options, options_of
from mlbench.agents.research_agent.result import KEY, Outcome, Result

__all__ = ["KEY", "PUBLISHED", "Options", "Outcome", "Result", "options_of", "reacting", "research_agent", "trivial"]
