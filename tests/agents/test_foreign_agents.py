"""The real foreign agents, each in a jail, against a model that knows just enough: write run.sh, try it, end."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import SandboxEnvironmentSpec, sandbox

from mlbench.agents.agent_envs import FOREIGN, PLACE, agent_environment, why_not
from mlbench.agents.registry import entry
from mlbench.sandbox.bubblewrap import BubblewrapConfig

pytestmark = pytest.mark.agents

WRITE = "echo 'echo worked > result.txt' > run.sh; bash run.sh; which python3; env"
EDIT = "run.sh\n```bash\n<<<<<<< SEARCH\n{old}=======\n{new}\n>>>>>>> REPLACE\n```\n"
FIRST_EDIT = EDIT.format(old="", new="ls no_such_file") + "\n```bash\ntouch by_shell\n```\n"
SECOND_EDIT = EDIT.format(old="ls no_such_file\n", new="echo worked > result.txt")


def reply(name: str, messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
    """What the model says; the second time, it has seen what came of the first."""
    first = not any(message.role == "assistant" for message in messages)
    offered = {tool.name for tool in tools}
    if name == "autogen":
        return ModelOutput.from_content("m", f"```sh\n{WRITE}\n```" if first else "TERMINATE")
    if name == "aider":  # its prompt has examples in which the assistant speaks
        seen = any("No such file" in message.text for message in messages)
        return ModelOutput.from_content("m", SECOND_EDIT if seen else FIRST_EDIT)
    if first:
        return ModelOutput.for_tool_call("m", "terminal" if "terminal" in offered else "bash", {"command": WRITE})
    if "finish" in offered:
        return ModelOutput.for_tool_call("m", "finish", {"message": "done"})
    return ModelOutput.for_tool_call("m", "bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})


@scorer(metrics=[accuracy()])
def left() -> Scorer:
    """Lists the workspace."""

    async def score(state: TaskState, target: Target) -> Score:
        done = await sandbox().exec(["bash", "-c", "cat result.txt; ls -A"])
        return Score(value=1, explanation=done.stdout)

    return score


@pytest.mark.parametrize("name", FOREIGN)
def test_it_solves_in_a_jail(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    reason = why_not(name)
    if reason and "needs Python" in reason:
        pytest.skip(reason)

    def answer(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        output = reply(name, messages, tools)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "README.md").write_text("nothing to see\n")
    shown = ((str(agent_environment(name)), f"{PLACE}/{name}"),)
    config = BubblewrapConfig(repository=str(repository), shown=shown, installable=True)
    task = Task(
        dataset=[Sample(input="Leave run.sh in the working folder, which writes a word into result.txt.")],
        solver=as_solver(entry(name).make("pocket")),
        scorer=left(),
        sandbox=SandboxEnvironmentSpec("bubblewrap", config),
    )
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path / "logs"), turn_limit=20)
    assert log.samples
    sample = log.samples[0]
    assert sample.error is None
    assert sample.store["ForeignRun:ended"] == "ended"
    assert sample.store["ForeignRun:steps"] == 2
    assert sample.scores
    there = str(sample.scores["left"].explanation).split()
    extra = ["by_shell"] if name == "aider" else []
    assert there == ["worked", "README.md", *extra, "result.txt", "run.sh"]  # and nothing of the agent's own
    said = "\n".join(message.text for message in sample.messages if message.role != "assistant")
    assert "sk-secret" not in said and "/opt/agents/" not in said
