"""ML-Agent: finds a repository, reads in it, and writes the answer (ML-Bench v1, section 5).

In: an instruction, and repositories to choose from or one that is given. Out: a `SolveResult`.
`tool_schemas` lists the model's decisions, `pipeline` runs the stages, `options` has the differences from the paper.
"""

from mlbench.agents.ml_agent.agent import ml_agent
from mlbench.agents.ml_agent.options import PAPER, MLAgentOptions
from mlbench.agents.ml_agent.result import KEY, SolveOutcome, SolveResult

__all__ = ["KEY", "PAPER", "MLAgentOptions", "SolveOutcome", "SolveResult", "ml_agent"]
