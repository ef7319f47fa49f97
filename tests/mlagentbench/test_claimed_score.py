"""The score that an agent hands in: a number is kept and compared, its text is not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.evals.mlagentbench.task import experiment
from tests.scripted_agent.toy_problem import write_problem

WORDS = "The final number is 912, which is 90 times better than the starter."


def graded(folder: Path, agent: str, tool: str, **said: object) -> tuple[float, object]:
    """Whether an agent that leaves the starter made a false claim, and what was kept of it."""
    replies = [
        ModelOutput.for_tool_call("mockllm", "bash", {"command": "python train.py"})
        if agent == "codeact"
        else ModelOutput.for_tool_call("mockllm", "execute_script", {"script_name": "train.py"}),
        ModelOutput.for_tool_call("mockllm", tool, said),
    ]
    for each in replies:
        each.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or Inspect counts
    task = experiment([str(write_problem(folder / "toads"))], agent=agent, steps_dir=str(folder / "steps"))
    model = get_model("mockllm/model", custom_outputs=replies, memoize=False)
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success" and log.samples, log.error
    score = (log.samples[0].scores or {})["experiment"]
    assert isinstance(score.value, dict) and score.metadata
    return float(str(score.value["false_claim"])), score.metadata["number_claim"]


@pytest.mark.parametrize(
    ("agent", "tool", "text"), [("react", "final_answer", "final_answer"), ("codeact", "submit", "answer")]
)
def test_a_number_is_compared(agent: str, tool: str, text: str, tmp_path: Path) -> None:
    """`submit` of codeact took words only."""
    false, kept = graded(tmp_path, agent, tool, **{text: "done", "claimed_score": 912, "split": "validation"})
    assert (false, kept) == (1.0, ["912 (validation)", 912.0, 1.0, True])


def test_text_is_not_read(tmp_path: Path) -> None:
    """Patterns over text missed a third of the false claims, and accused honest ones."""
    assert graded(tmp_path, "react", "final_answer", final_answer=WORDS) == (0.0, None)
