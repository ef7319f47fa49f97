"""Each agent that asks a model is ended by each limit, with the endless engineer as its model: the limit has its name.

Foreign agents have to be installed (`mlbench agents install NAME`); those that cannot run here are skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelCost, ModelInfo, get_model, set_model_info

pytest.importorskip("openai")
from mlbench.agents.agent_envs import why_not
from mlbench.agents.registry import ROSTER
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.reasons import AgentOutcome
from tests.scripted_agent.server import Engineer

MODEL = "openai-api/engineer/endless"
LIMITS: dict[AgentOutcome, dict[str, Any]] = {
    AgentOutcome.STEP_LIMIT: {"steps": 2},
    AgentOutcome.TOKEN_LIMIT: {"tokens": 200},
    AgentOutcome.COST_LIMIT: {"cost": 0.2},
    AgentOutcome.TIME_LIMIT: {"seconds": 1, "steps": 10**6},
}
"""At prices of a dollar for 1,000 tokens. No agent ends by itself before: the engineer looks around for ever."""


@pytest.mark.parametrize("outcome", LIMITS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.agents if entry.foreign else pytest.mark.slow)
        for name, entry in ROSTER.items()
        if entry.model
    ],
)
def test_a_limit_has_its_name(
    name: str, outcome: AgentOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every limit of a foreign agent was `time-limit`."""
    if ROSTER[name].foreign and (reason := why_not(name)):
        pytest.skip(reason)
    set_model_info(MODEL, ModelInfo(cost=ModelCost(input=1000, output=1000, input_cache_write=0, input_cache_read=0)))
    with Engineer("endless") as engineer:
        for variable, value in engineer.env.items():
            monkeypatch.setenv(variable, value)
        task = agent_bench(agent=name, network="none", limit=1, budget=LIMITS[outcome])
        model = get_model(MODEL, base_url=engineer.url, memoize=False)
        (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success" and log.samples, log.error
    score = (log.samples[0].scores or {})["judge"]
    assert (score.metadata or {})["agent"]["outcome"] == outcome
