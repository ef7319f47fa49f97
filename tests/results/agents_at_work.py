"""Logs of agents, made by running: the real solver and judge, a scripted model, and an agent that works in no sandbox.

Each row is one way in which an attempt goes. A call of the model takes 90 tokens in and 10 out, and costs 10 cents
where its prices are known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, AgentSubmit, agent, react
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    set_model_info,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolChoice, ToolInfo, tool
from inspect_ai.util import sandbox, store, store_as
from pytest import MonkeyPatch

from mlbench.agents.agent_run import AgentRun, report_outcome, working
from mlbench.evals.ml_agent_bench import scorer as agent_judge
from mlbench.evals.ml_llm_bench.dataset import row_metadata
from mlbench.judging.agent_policy import AgentPaper, AgentStrict
from mlbench.judging.evidence import AnswerEvidence
from mlbench.reasons import AgentOutcome
from mlbench.records import SHELL_TYPE, Execution, ExitKind, Policy, Sample, Stage, Verdict
from mlbench.repositories.agent_env import Pin, Rebuilt
from mlbench.sandbox.submission import Submission
from mlbench.suites.suite_repository import Repository
from tests.results.log_factory import HOSTILE

SOLVES, WRONG, ENDLESS, GIVES_UP, CRASHES, LOST = range(1, 7)
"""The rows: what the agent does in each; in the last one the machine fails."""

STEPS = 4
PRICED, UNPRICED = "mockllm/priced", "mockllm/unpriced"
LONG = "first line\n" + 1_000 * "long " + "\nlast line"
"""What a tool says: more than a step shows."""

READ = HOSTILE.replace("\ud800", "")
"""What it says of every other file."""

SCRIPTS = {SOLVES: "python train.py --lr 0.1\n", WRONG: "python train.py --lr 0.2\n"}


@tool
def look() -> Tool:
    async def execute(path: str) -> str:
        """Look at a file.

        Args:
            path: Which.
        """
        return LONG if path == "train.py" else READ

    return execute


@tool
def leave() -> Tool:
    async def execute(script: str, note: str) -> str:
        """Leave a script.

        Args:
            script: Its text.
            note: Why.
        """
        store().set("script", script)
        return "left"

    return execute


@agent
def scripted() -> Agent:
    """A model with two tools; it crashes, and its machine fails, where the row says so."""
    inner = react(tools=[look(), leave()], submit=AgentSubmit(answer_only=True))

    async def execute(state: AgentState) -> AgentState:
        row = _row(state.messages)
        if row == CRASHES:
            report_outcome(AgentOutcome.CRASHED, "Traceback | KeyError: 'x'")
            return state
        if row == LOST:
            raise RuntimeError("the sandbox went away")
        return await inner(state)

    return execute


@agent
def idle() -> Agent:
    """Asks no model."""

    async def execute(state: AgentState) -> AgentState:
        return state

    return execute


def _row(messages: list[ChatMessage]) -> int:
    return next(int(message.text.split()[-1]) for message in messages if message.role == "user")


def _reply(
    messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
) -> ModelOutput:
    row, done = _row(messages), sum(isinstance(message, ChatMessageTool) for message in messages)
    if row == GIVES_UP:
        output = ModelOutput.from_content("scripted", "I'm sorry, I cannot do that.")
    elif row == ENDLESS or done == 0:
        path = "README.md" if row == ENDLESS else "train.py"
        output = ModelOutput.for_tool_call("scripted", "look", {"path": path}, content="I look.")
    elif done == 1:
        output = ModelOutput.for_tool_call("scripted", "leave", {"script": SCRIPTS[row], "note": "as told"})
    else:
        output = ModelOutput.for_tool_call("scripted", "submit", {"answer": "done"})
    output.usage = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)
    return output


class Bench(agent_judge.AgentScorer):
    """The judge without a machine: every `run.sh` exits with 0, and `--lr 0.1` is what `strict` wants to see."""

    def __init__(self) -> None:
        self.place = SimpleNamespace(workers=1, executes=lambda row: True, setups={})
        self.rules = (_Strict(), AgentPaper())

    async def _tried(self, evidence: AnswerEvidence, *_: object) -> AnswerEvidence:
        return replace(evidence, execution=Execution(ExitKind.EXITED, 0, 0.5, 1024))


class _Strict(AgentStrict):
    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        passed = "--lr 0.1" in evidence.candidate.code
        reason = "exit-0" if passed else "wrong-value"
        return Verdict(Policy.STRICT, passed, Stage.EXECUTION if passed else Stage.WITNESS, reason, "as witnessed")


@scorer(metrics={"*": [mean()]}, name="judge")
def judged(name: str) -> Scorer:
    bench = Bench()

    async def score(state: TaskState, target: Target) -> Score:
        script = store().get("script")
        found = Submission(script.encode() if script else None, packages=(Pin("numpy", "2.0"), Pin("own", "1")))
        result = await bench.judged(
            _sample(state.metadata["row"]), "lichen", sandbox(), found, store_as(AgentRun), name
        )
        return Score(**result.parts())

    return score


def _sample(row: int) -> Sample:
    url = "https://example.org/lichen"
    return Sample(1, url, row, row, "./", "{'lr': '0.1'}", f"Row {row}", "", SHELL_TYPE, SCRIPTS[SOLVES], "")


def agent_log(
    folder: Path,
    patch: MonkeyPatch,
    *rows: int,
    model: str = PRICED,
    name: str = "codeact",
    epochs: int = 1,
    steps: int = STEPS,
) -> Path:
    """Run the rows and give the log; `name` is what the agent is called, and without a model it does nothing."""

    async def rebuilt(pins: object) -> Rebuilt:
        return Rebuilt(folder, (Pin("own", "1"),), (Pin("numpy", "2.0"),))

    patch.setattr(agent_judge, "environment_of", rebuilt)
    asks = model.startswith("mockllm")
    repository = Repository.model_construct(name="lichen", domain="graphs")
    samples = [
        InspectSample(
            id=str(row),
            input=[ChatMessageUser(content=f"Do row {row}")],
            target=SCRIPTS[SOLVES],
            metadata=row_metadata(_sample(row), repository),
            sandbox="local",
        )
        for row in rows
    ]
    task = Task(
        name="mlbench/agent_bench",
        dataset=samples,
        solver=working(scripted() if asks else idle(), "none", {"steps": steps}),
        scorer=judged(name),
        epochs=Epochs(epochs, "mean"),
        version="1",
        metadata={
            "suite": "pocket",
            "suite_version": 1,
            "split": "quarter",
            "setting": f"agent {name}",
            "agent": name,
            "sandbox": "bubblewrap",
            "network": "index",
        },
    )
    price = ModelCost(input=1000, output=1000, input_cache_read=0, input_cache_write=0)  # dollars a million
    set_model_info(PRICED, ModelInfo(cost=price))
    logs = inspect_eval(
        task,
        model=get_model(model, custom_outputs=_reply) if asks else model,
        log_dir=str(folder),
        fail_on_error=False,
        display="none",
    )
    return Path(logs[0].location.removeprefix("file://"))
