"""The entry point `inspect_ai`: the tasks, sandbox and baseline models that Inspect finds."""

from __future__ import annotations

from mlbench.evals.ml_agent_bench.submissions_task import submissions
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.evals.ml_llm_bench.baselines import baselines
from mlbench.evals.ml_llm_bench.human_task import human
from mlbench.evals.ml_llm_bench.task import llm_bench
from mlbench.evals.ml_llm_bench.verify_task import verify
from mlbench.evals.mlagentbench.task import experiment
from mlbench.sandbox.bubblewrap import BubblewrapSandbox

__all__ = ["BubblewrapSandbox", "agent_bench", "baselines", "experiment", "human", "llm_bench", "submissions", "verify"]
