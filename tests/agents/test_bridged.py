"""Foreign agents in the sandbox: how they are started, how their end is read, whose failure it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent, as_solver
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.agents.agent_envs import PLACE
from mlbench.agents.sandbox_bridge import KEPT, command, outcome_in, reason_in, run_bridged, task_of, variables
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.truncate import head_and_tail

ASK = """import json, os, sys, urllib.request
words = {"model": "inspect", "messages": [{"role": "user", "content": sys.stdin.read()}]}
address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(address, json.dumps(words).encode(), {"Content-Type": "application/json"})
print("noise")
said = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
open("run.sh", "w").write(said)
"""


def test_the_agent_s_own_python_starts_its_driver_alone() -> None:
    assert command("aider") == [
        "/opt/agents/aider/bin/python",
        "-I",  # neither the workspace nor the home can slip a module in
        "-u",
        "/opt/agents/aider/driver.py",
    ]


def test_the_variables_hold_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    given = variables("aider", 4711)
    assert "sk-secret" not in given.values()
    assert given["OPENAI_BASE_URL"] == given["OPENAI_API_BASE"] == "http://127.0.0.1:4711/v1"


def test_a_program_of_npm_is_started_without_a_driver() -> None:
    assert command("goose")[4:7] == ["/opt/agents/goose/bin/goose", "run", "--instructions"]
    assert [word for word in command("qwen_code") if word.startswith("/opt/agents")] == [
        "/opt/agents/qwen_code/bin/node",
        "/opt/agents/qwen_code/bin/qwen",
    ]
    given = variables("goose", 4711)
    assert (given["GOOSE_MODEL"], given["OPENAI_BASE_URL"]) == ("inspect", "http://127.0.0.1:4711/v1")


def test_the_task_is_what_system_and_user_say() -> None:
    said = [ChatMessageSystem(content="be brief"), ChatMessageAssistant(content="hm"), ChatMessageUser(content="do it")]
    assert task_of(AgentState(messages=said)) == "be brief\n\ndo it"


def test_long_output_keeps_its_head_and_its_tail() -> None:
    printed = "a" * KEPT + "x" * 5 + "b" * KEPT
    assert head_and_tail(printed, 2 * KEPT) == "a" * KEPT + "\n[5 characters left out]\n" + "b" * KEPT
    assert head_and_tail(printed[5:], 2 * KEPT) == printed[5:]


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("noise\nended: Submitted\n\n a warning\n", "Submitted"),
        ("ended: early\nmore\nended: late\n", "late"),
        ("gave up: stuck\n", "stuck"),
        ("Traceback:\n  File x\n    call()\n    ^^^^~~\nTypeError: no\n", "File x | call() | TypeError: no"),
        (" \n", ""),
    ],
)
def test_the_reason_is_the_agent_s_word_or_its_last_lines(printed: str, reason: str) -> None:
    assert reason_in(printed) == reason


@pytest.mark.parametrize(
    ("name", "printed", "success", "outcome"),
    [
        ("aider", "ended: Submitted", True, "ended"),
        ("aider", "ended: x\ngave up: RepeatedFormatError", True, "gave-up"),
        ("aider", "gave up: x", False, "crashed"),
        ("aider", "no word", True, "ended"),
        ("goose", "gave up: said the model", True, "ended"),
        ("goose", "error", False, "crashed"),
        ("qwen_code", "Loop detection halted the run (consecutive_identical_tool_calls: …)", False, "gave-up"),
    ],
)
def test_an_agent_that_does_not_call_its_task_done_gave_up(
    name: str, printed: str, success: bool, outcome: str
) -> None:
    """`RepeatedFormatError` and `stuck` were `ended`, like an agent that says that it is done."""
    assert outcome_in(name, printed, success=success) == outcome


def run(folder: Path, driver: str, fail: bool = False, **limits: int) -> EvalSample:
    """A sample with an agent of this driver, and a model that answers `exit 0` or fails."""
    environment, workspace = folder / "agent", folder / "repository"
    for each in (environment / "bin", workspace):
        each.mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    (environment / "driver.py").write_text(driver)

    def reply(*_: object) -> ModelOutput:
        if fail:
            raise RuntimeError("the provider is down")
        said = ModelOutput.from_content("mockllm/model", "exit 0")
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return said

    @agent
    def stranger() -> Agent:
        async def execute(state: AgentState) -> AgentState:
            return await run_bridged("stranger", state)

        return execute

    shown = ((str(environment), f"{PLACE}/stranger"),)
    config = BubblewrapConfig(repository=str(workspace), shown=shown, installable=True)
    task = Task(
        dataset=[Sample(input="leave run.sh")],
        solver=as_solver(stranger()),
        sandbox=SandboxEnvironmentSpec("bubblewrap", config),
    )
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(folder / "logs"), **limits)
    assert log.samples
    return log.samples[0]


def kept(sample: EvalSample, field: str) -> object:
    return sample.store[f"ForeignRun:{field}"]


def test_it_reaches_the_evaluated_model_and_nothing_else(tmp_path: Path) -> None:
    sample = run(tmp_path, ASK + "print('ended: content')\n")
    assert sample.error is None
    assert (kept(sample, "ended"), kept(sample, "reason"), kept(sample, "steps")) == ("ended", "content", 1)
    assert "noise" in str(kept(sample, "output"))
    assert [message.text for message in sample.messages] == ["leave run.sh", "exit 0"]


@pytest.mark.slow
def test_a_crash_after_it_asked_is_an_outcome(tmp_path: Path) -> None:
    sample = run(tmp_path, ASK + "raise TypeError('its own fault')\n")
    assert sample.error is None
    assert (kept(sample, "ended"), kept(sample, "exit_code")) == ("crashed", 1)
    assert str(kept(sample, "reason")).endswith("TypeError: its own fault")


@pytest.mark.slow
def test_a_crash_before_it_asked_is_the_machine_s(tmp_path: Path) -> None:
    sample = run(tmp_path, "import no_such_package\n")
    assert sample.error and "before it asked the model" in sample.error.message
    assert "no_such_package" in sample.error.message


@pytest.mark.slow
@pytest.mark.parametrize("after", ["", "\ntry: ask()\nexcept Exception: print('ended: well')\n"])
def test_a_provider_that_fails_is_never_the_agent_s_failure(tmp_path: Path, after: str) -> None:
    """Aider ends with code 0 when its model cannot be reached: it counted as an agent that left nothing."""
    driver = ASK
    if after:
        body = "".join(f"    {line}\n" for line in ASK.splitlines()[1:])
        driver = f"{ASK.splitlines()[0]}\ndef ask():\n{body}{after}"
    sample = run(tmp_path, driver, fail=True)
    assert sample.error and "the model's provider failed" in sample.error.message


@pytest.mark.slow
def test_a_limit_of_turns_ends_it(tmp_path: Path) -> None:
    loop = "def ask():\n" + "".join(f"    {line}\n" for line in ASK.splitlines()[1:])
    sample = run(tmp_path, f"{ASK.splitlines()[0]}\n{loop}\nwhile True: ask()\n", turn_limit=2)
    assert sample.error is None
    assert sample.limit and sample.limit.type == "turn"
    assert kept(sample, "ended") == ""
