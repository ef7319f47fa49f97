"""ML-Agent: finds a repository, reads what matters in it, and writes the command or the code (ML-Bench v1, section 5).

Retrieval, sorting, planning, generation: `decisions.py` lists what the model decides, `working.py` is the way through,
`options.py` says in what it improves on the paper.
"""

from mlbench.agents.ml_agent.agent import ml_agent
from mlbench.agents.ml_agent.options import PAPER, MLAgentOptions
from mlbench.agents.ml_agent.result import KEY, SolveOutcome, SolveResult

__all__ = ["KEY", "PAPER", "MLAgentOptions", "SolveOutcome", "SolveResult", "ml_agent"]
