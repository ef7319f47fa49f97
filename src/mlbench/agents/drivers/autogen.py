"""Run AutoGen's pair of agents: an assistant writes code blocks, an executor runs them."""

import asyncio
import os
import shutil
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

SECONDS = 300  # for one block, which may install packages
KEPT = 30_000  # characters of a block's output that the model is shown; AutoGen itself has no limit
DONE = "TERMINATE"
LANGUAGES = ["sh", "bash", "shell", "python"]
ORDERS = f"""You are an engineer who works in a repository through a colleague who runs what you write.
Write each step as a code block of the language sh or python. It is run in the repository's root; you get its output.
A block runs by itself: neither folder nor variables are kept, but files are. Nobody can answer questions.
Look at what was printed before you go on, and repair what failed. When the task is done, and only then, reply with \
{DONE} alone, without code."""


def workspace_python() -> SimpleNamespace:
    """Return the Python for blocks: that of the workspace, not the one that AutoGen runs in."""
    python = shutil.which("python3") or "/usr/bin/python3"
    return SimpleNamespace(bin_path=os.path.dirname(python), env_exe=python)


async def solve(task: str) -> str:
    from autogen_agentchat.agents import AssistantAgent, CodeExecutorAgent  # type: ignore[import-not-found]
    from autogen_agentchat.conditions import TextMentionTermination  # type: ignore[import-not-found]
    from autogen_agentchat.teams import RoundRobinGroupChat  # type: ignore[import-not-found]
    from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor  # type: ignore[import-not-found]
    from autogen_ext.models.openai import OpenAIChatCompletionClient  # type: ignore[import-not-found]

    class Shell(LocalCommandLineCodeExecutor):  # type: ignore[misc]
        """Keeps the head and the tail of long output."""

        async def execute_code_blocks(self, code_blocks, cancellation_token):  # type: ignore[no-untyped-def]
            result = await super().execute_code_blocks(code_blocks, cancellation_token)
            if len(result.output) > KEPT:
                half, left_out = KEPT // 2, len(result.output) - KEPT
                result.output = f"{result.output[:half]}\n[{left_out} characters left out]\n{result.output[-half:]}"
            return result

    abilities = dict.fromkeys(("vision", "function_calling", "json_output", "structured_output"), False)
    client = OpenAIChatCompletionClient(model="inspect", model_info={"family": "unknown", **abilities})
    # `cleanup_temp_files` would also remove run.sh, because a block may name its own file
    shell = Shell(SECONDS, Path.cwd(), virtual_env_context=workspace_python(), cleanup_temp_files=False)
    engineer = AssistantAgent("engineer", client, system_message=ORDERS)
    terminal = CodeExecutorAgent("terminal", shell, supported_languages=LANGUAGES)
    done = TextMentionTermination(DONE, sources=["engineer"])
    team = RoundRobinGroupChat([engineer, terminal], termination_condition=done)
    try:
        return (await team.run(task=task)).stop_reason or "without a reason"
    finally:
        for file in Path.cwd().glob("tmp_code_*"):
            file.unlink()


warnings.simplefilter("ignore")
print("ended:", asyncio.run(solve(sys.stdin.read())))
