"""What Inspect finds through the entry point `inspect_ai`: our tasks, sandbox and baseline models."""

from __future__ import annotations

from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.solvers.baselines import baselines
from mlbench.tasks.agent_bench import agent_bench
from mlbench.tasks.experiment import experiment
from mlbench.tasks.llm_bench import llm_bench
from mlbench.tasks.verify import verify

__all__ = ["BubblewrapSandbox", "agent_bench", "baselines", "experiment", "llm_bench", "verify"]
