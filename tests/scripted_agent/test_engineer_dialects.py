"""Every way of speaking: what is said can be read back, and the whole way works in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.dialects import dialect_of
from tests.scripted_agent.dialects.aider import Aider
from tests.scripted_agent.dialects.blocks import Blocks
from tests.scripted_agent.dialects.outputs import bare
from tests.scripted_agent.dialects.shown import Shown
from tests.scripted_agent.dialects.tools import Tools
from tests.scripted_agent.observations import Turn, look, written
from tests.scripted_agent.protocol import Conversation, Message, Tool
from tests.scripted_agent.shell_loop import INSTRUCTION, README, SHELL, make_repository, shell, talk, task

RIGHT = "cd loom\npython weave.py --pattern satin --epochs 12 --lr 0.25\n"
SENTINEL = "Finish with `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`.\n"
TERMINAL = Tool(
    "terminal",
    "",
    {
        "properties": {"command": {"type": "string"}, "security_risk": {"type": "string", "enum": ["LOW", "HIGH"]}},
        "required": ["command", "security_risk"],
    },
)
EDITOR = Tool("file_editor", "", {"properties": {"command": {"enum": ["view", "create"]}, "path": {"type": "string"}}})
FINISH = Tool("finish", "", {"properties": {"message": {"type": "string"}}, "required": ["message"]})
MINI = Tool("bash", "", {"properties": {"command": {"type": "string"}}, "required": ["command"]})


@pytest.fixture
def weaver(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "weaver")


def test_a_terminal_an_editor_and_a_finish(weaver: Path) -> None:
    def wrap(output: str) -> str:
        return f"{output}\n[The command completed with exit code 0.]\n[Current working directory: /workspace]"

    talked = talk(task(), shell(weaver), tools=(EDITOR, FINISH, TERMINAL), parameter="command", wrap=wrap)
    assert (weaver / "run.sh").read_text() == RIGHT
    assert talked.messages[1].calls[0].values()["security_risk"] == "LOW"
    assert (talked.last.calls[0].name, list(talked.last.calls[0].values())) == ("finish", ["message"])


def test_a_terminal_that_comes_back_early_is_asked_to_wait() -> None:
    """OpenHands gave a silent `pip install` back after 30 s, and all that came after it was refused."""
    properties = {**TERMINAL.schema["properties"], "timeout": {"type": "number"}}
    waits = Tool("terminal", "", {**TERMINAL.schema, "properties": properties})
    for tool, seconds in ((waits, 300), (TERMINAL, None)):
        said = Conversation("m", (Message("user", task()),), (tool,))
        assert reply_of("competent", said).calls[0].values().get("timeout") == seconds


def test_one_bash_tool_with_json_observations_and_an_echo_at_the_end(weaver: Path) -> None:
    def wrap(output: str) -> str:
        return json.dumps({"returncode": 0, "output": output})

    talked = talk(SENTINEL + task(), shell(weaver), tools=(MINI,), parameter="command", wrap=wrap)
    assert (weaver / "run.sh").read_text() == RIGHT
    assert talked.last.calls[0].values() == {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}


def test_a_python_cell_alone(weaver: Path) -> None:
    cell = Tool("python", "", {"properties": {"code": {"type": "string"}}, "required": ["code"]})
    run = shell(weaver)
    talk(task(), lambda code: run(f"python - <<'CELL'\n{code}\nCELL"), tools=(cell,), parameter="code")
    assert (weaver / "run.sh").read_text() == RIGHT


def test_a_forced_tool_is_the_one_that_is_called() -> None:
    other = Tool("shell", "", {"properties": {"script": {"type": "string"}}})
    said = Conversation("m", (Message("user", task()),), (SHELL, other), forced="shell", must_call=True)
    assert reply_of("competent", said).calls[0].name == "shell"


@pytest.mark.parametrize(
    "words, fence, end",
    [
        ("Reply with TERMINATE when done.\n", "bash", "TERMINATE"),
        (SENTINEL + "```mswea_bash_command\nls\n```\n", "mswea_bash_command", "echo COMPLETE_TASK"),
    ],
)
def test_code_blocks_in_text(weaver: Path, words: str, fence: str, end: str) -> None:
    run, messages = shell(weaver), [Message("system", words), Message("user", task())]
    for _ in range(20):
        text = reply_of("competent", Conversation("m", tuple(messages))).text
        messages.append(Message("assistant", text))
        if end in text:
            break
        assert text.count(f"```{fence}\n") == 1
        command = text.split(f"```{fence}\n")[1].removesuffix("\n```")
        messages.append(Message("user", run(command) or "(nothing)"))
    assert end in messages[-1].text
    assert (weaver / "run.sh").read_text() == RIGHT


def test_the_prompt_of_the_llm_bench_is_answered_at_once() -> None:
    prompt = (
        f'<document path="README.md">\n{README}\n</document>\n\nThe repository is called weaver. The working folder,'
        f" from the root of the repository, is `./loom`.\n<instruction>\n{INSTRUCTION}\n</instruction>\n"
        "Write the bash script that does this."
    )
    text = reply_of("competent", Conversation("m", (Message("user", prompt),))).text
    assert text == "```bash\npython weave.py --pattern satin --num-epochs 12 --lr 0.25\n```"


@pytest.mark.parametrize(
    "said, kind",
    [
        (Conversation("m", (Message("user", task()),), (SHELL,)), Tools),
        (Conversation("m", (Message("system", "Use *SEARCH/REPLACE* blocks."), Message("user", task()))), Aider),
        (Conversation("m", (Message("user", task()),)), Blocks),
        (
            Conversation(
                "m", (Message("user", "working folder, from the root of the repository, is `.`. that does this."),)
            ),
            Shown,
        ),
    ],
)
def test_the_dialect_is_told_by_the_request(said: Conversation, kind: type) -> None:
    assert isinstance(dialect_of(said), kind)


def test_what_was_run_is_read_back_with_its_output() -> None:
    said = Conversation("m", (Message("user", task()),), (SHELL,))
    reply = Tools().say(said, look())
    call = type(reply.calls[0])(reply.calls[0].name, reply.calls[0].arguments, "1")
    messages = (*said.messages, Message("assistant", "", (call,)), Message("tool", "./a.py", answers="1"))
    assert Tools().turns(Conversation("m", messages, (SHELL,))) == [Turn(look().command, "./a.py")]
    assert written("cat > 'run.sh' <<'END_OF_FILE'\na\nb\nEND_OF_FILE") == ("run.sh", "a\nb")


@pytest.mark.parametrize(
    "shown",
    [
        "ImportError: no numpy\n",
        "<output>\nImportError: no numpy\n</output>",
        "Chunk ID: b82e91\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nImportError: no numpy\n",
        "Wall time: 0.169 seconds\nImportError: no numpy\n",
        "Command: python a.py\nDirectory: (root)\nOutput: ImportError: no numpy\nError: (none)\nExit Code: 1\n",
        json.dumps(
            {
                "output": "<untrusted_context>\nOutput: ImportError: no numpy\nExit Code: 1\nProcess Group PGID: 288\n"
                "</untrusted_context>"
            }
        ),
    ],
)
def test_an_output_is_freed_of_what_an_agent_puts_around_it(shown: str) -> None:
    """Of Gemini CLI's output the last line of a traceback was taken for a remark; Kimi Code's spoilt a source."""
    assert bare(shown).strip() == "ImportError: no numpy"


def test_a_tool_without_output_says_so_in_words() -> None:
    kimi, qwen = "Wall time: 0.1 seconds\nCommand executed successfully.", "Command: a\nDirectory: b\nOutput: (empty)"
    assert [bare(each) for each in ("(Bash completed with no output)", "(empty)", kimi, qwen)] == [""] * 4


def test_a_patience_is_in_the_unit_of_the_schema() -> None:
    """Claude Code, which counts milliseconds, sent a `pip install` of 300 ms to the background."""
    milli = {"type": "number", "description": "Optional timeout in milliseconds"}
    for name, schema, patience in (("timeout", {}, 300), ("timeout", milli, 300_000), ("yield_time_ms", {}, 300_000)):
        tool = Tool("Bash", "", {"properties": {"command": {"type": "string"}, name: schema}, "required": ["command"]})
        said = Conversation("m", (Message("user", task()),), (tool,))
        assert reply_of("competent", said).calls[0].values()[name] == patience
