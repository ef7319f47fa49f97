"""The driver of Aider: commands are run and answered, and Aider goes on by itself until there is nothing more to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.agents.agent_envs import PLACE, agent_environment
from mlbench.agents.drivers import aider as driver
from mlbench.agents.registry import entry
from mlbench.sandbox.bubblewrap import BubblewrapConfig

EDIT = "run.sh\n```bash\n<<<<<<< SEARCH\n{old}=======\n{new}\n>>>>>>> REPLACE\n```\n"
REPLIES = (
    "```bash\ncd folder\necho x >> count; cat <<EOF\nin $(basename $PWD)\nEOF\nfalse\n```",
    "Please add `folder/large.csv` to the chat.",
    "Then I need `folder/small.txt`, please.",
    EDIT.format(old="", new="ls no_such_file"),
    EDIT.format(old="ls no_such_file\n", new="true") + "\n```bash\ntrue\n```",
    "It is done.",
)


def test_an_output_has_its_exit_status(tmp_path: Path) -> None:
    assert driver.run_cmd("[[ 1 == 1 ]] && pwd; printf no >&2; exit 3", cwd=tmp_path) == (
        3,
        f"{tmp_path}\nno\n[exit status 3]\n",
    )


def test_a_long_output_keeps_its_head_and_its_tail() -> None:
    _, output = driver.run_cmd(f"echo first; head -c {10 * driver.KEPT} /dev/zero | tr '\\0' x; echo; echo last")
    assert output.startswith("first\nxx") and output.endswith("xx\nlast\n[exit status 0]\n")
    assert "bytes left out]\n" in output and len(output) < driver.KEPT + 100


def test_a_command_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "SECONDS", 0.2)
    assert driver.run_cmd("echo a; sleep 50") == (124, "a\n[exit status 124: it ran out of time]\n")


def test_what_runs_on_behind_it_is_not_waited_for() -> None:
    """Aider's own waits until nobody holds the output open any more; a server in the background holds it for ever."""
    _, output = driver.run_cmd("sleep 50 & echo $!")
    driver.run_cmd(f"kill {output.split()[0]}")
    assert output.endswith("[exit status 0]\n")


@pytest.mark.agents
def test_aider_goes_on_by_itself(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        asked.append("\n".join(message.text for message in messages))
        output = ModelOutput.from_content("m", REPLIES[min(len(asked), len(REPLIES)) - 1])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    folder = tmp_path / "repository" / "folder"
    folder.mkdir(parents=True)
    (folder / "large.csv").write_text("large," * driver.LARGEST)
    (folder / "small.txt").write_text("a small one\n")
    config = BubblewrapConfig(
        repository=str(folder.parent),
        shown=((str(agent_environment("aider")), f"{PLACE}/aider"),),
        installable=True,
    )
    task = Task(
        dataset=[Sample(input="Leave run.sh.")],
        solver=as_solver(entry("aider").make("pocket")),
        sandbox=SandboxEnvironmentSpec("bubblewrap", config),
    )
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path / "logs"), turn_limit=20)
    assert log.samples and log.samples[0].error is None
    assert len(asked) == len(REPLIES)
    assert "\nin folder\n[exit status 1]" in asked[1] and driver.GO_ON in asked[1]
    assert "look into it by shell commands: folder/large.csv" in asked[2]
    assert "a small one" in asked[3] and not any("large,large" in each for each in asked)
    assert "No such file" in asked[4] and "[exit status 2]" in asked[4]
    assert driver.GO_ON in asked[5]
    assert sum("Output from cd folder" in line for line in asked[5].split("\n")) == 1  # it was run once
    assert log.samples[0].store["ForeignRun:reason"] == "message answered"
