"""A small problem, and a running sample in its workspace: what the tests of actions and snapshots stand on."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import SandboxEnvironmentSpec, sandbox, store_as

from mlbench.evals.mlagentbench.actions import act, actions
from mlbench.evals.mlagentbench.problem import ProblemMetric, ResearchProblem
from mlbench.evals.mlagentbench.published_files import KnownSeed, ProblemBudget
from mlbench.evals.mlagentbench.snapshots import Progress, Steps
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import Limits

TRAIN = "id,y\n1,0.5\n"
STARTER = "print('score 0.5')\nopen('submission.csv', 'w').write('id,y\\n1,1\\n')\n"


def problem(seconds: float = 20.0) -> ResearchProblem:
    """A problem that has no folder: only what its actions look at."""
    return ResearchProblem(
        name="toads",
        title="Toads",
        domain="tables",
        text="Predict toads.",
        lite="made up",
        metric=ProblemMetric(name="error", better="lower"),
        starter=KnownSeed(mean=1, spread=0, seeds=1),
        bounds=ProblemBudget(script_seconds=seconds),
    )


@dataclass(frozen=True)
class Workplace:
    """What a test works with: `do` is an action by its published name."""

    tools: list[Tool]
    steps: Steps
    jail: Jail

    async def do(self, name: str, /, **inputs: object) -> str:
        return await act(self.tools, name, inputs)

    async def run(self, script: str, /, *arguments: str) -> str:
        """What a Python script of the agent's prints."""
        await self.do("Write File", file_name="attack.py", content=script)
        return await self.do("Execute Script", script_name="attack.py", arguments=list(arguments))


Scene = Callable[[Workplace], Awaitable[None]]


def _python(folder: Path) -> Path:
    """A folder with the jail's interpreter under the name by which scripts are run."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "python").symlink_to(Path(sys.executable).resolve())
    return tools


def played(
    scene: Scene,
    folder: Path,
    *,
    replies: Callable[..., object] | None = None,
    seconds: float = 20.0,
    limits: Limits | None = None,
    files: dict[str, bytes] | None = None,
    interactive: bool = False,
    agents_model: Model | None = None,
) -> EvalLog:
    """Play a scene inside a running sample. What it raises is raised.

    Args:
        folder: of this test's own.
        replies: what the helper model says, as `mockllm` takes it.
        files: of the workspace, beside the starter and the data.
        agents_model: the evaluated model, for scenes in which an agent works.
    """
    workspace, kept = folder / "workspace", folder / "steps"
    workspace.mkdir()
    for name, content in {"train.py": STARTER.encode(), "train.csv": TRAIN.encode(), **(files or {})}.items():
        (workspace / name).write_bytes(content)
    (folder / "workspace_secret").write_text("labels")
    place = BubblewrapConfig(
        repository=str(workspace),
        tools=str(_python(folder)),
        shown=((str(workspace / "train.csv"), "/workspace/train.csv"),),
        limits=limits or Limits(),
    )
    failed: list[Exception] = []
    model: Model = (
        get_model("mockllm/model", custom_outputs=replies, memoize=False) if replies else get_model("mockllm/model")
    )

    @solver
    def play() -> object:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            store_as(Progress).folder = str(kept)
            jail = await sandbox().as_type(BubblewrapSandbox).jail()
            try:
                await scene(Workplace(actions(problem(seconds), model, interactive), Steps(kept), jail))
            except (Exception, AssertionError) as error:
                failed.append(error)
            return state

        return solve

    task = Task(dataset=[Sample(input="x")], solver=play(), sandbox=SandboxEnvironmentSpec("bubblewrap", place))
    (log,) = eval(task, model=agents_model or "mockllm/model", log_dir=str(folder / "logs"), display="none")
    if failed:
        raise failed[0]
    assert log.status == "success", log.error
    return log
