"""Agents without a model: `gold` leaves the reference, `nothing` leaves nothing."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.util import SandboxEnvironment, sandbox

from mlbench.prompts.messages import ROW
from mlbench.records import RunError, Sample
from mlbench.sandbox.submission import RUN_SCRIPT
from mlbench.suites.suite import load_suite, sample_of

ANSWER_FILE = "reference_answer.py"


@agent
def gold() -> Agent:
    """Return an agent that installs the suite's requirements and leaves the reference.

    Raises:
        RunError: the agent cannot install the requirements.
    """

    async def execute(state: AgentState) -> AgentState:
        row = next(about for message in state.messages if (about := (message.metadata or {}).get(ROW)))
        box = sandbox()
        requirements = load_suite(row["suite"]).requirements
        if requirements.is_file():
            await box.write_file("/tmp/requirements.txt", requirements.read_text())
            done = await box.exec(
                ["pip", "install", "--quiet", "--no-deps", "-r", "/tmp/requirements.txt"], timeout=900
            )
            if not done.success:
                raise RunError(f"gold cannot install the suite's requirements: {done.stderr.strip()[-300:]}")
        await leave_reference(box, sample_of(row["suite"], row["id"]))
        return state

    return execute


async def leave_reference(box: SandboxEnvironment, sample: Sample) -> None:
    """Write a `run.sh` that runs a sample's reference into a sandbox."""
    folder = sample.folder
    if sample.kind == "python":
        await box.write_file(f"/workspace/{folder}/{ANSWER_FILE}", sample.output)
    await box.write_file(RUN_SCRIPT, run_script(sample, folder))


def run_script(sample: Sample, folder: str) -> str:
    """Return a `run.sh` that runs a sample's reference in a folder of the repository."""
    start = f"python {ANSWER_FILE}" if sample.kind == "python" else sample.output
    return "\n".join([f"cd {folder}", *([sample.prefix_code] if sample.prefix_code else []), start, ""])


@agent
def nothing() -> Agent:
    """Return an agent that ends at once."""

    async def execute(state: AgentState) -> AgentState:
        return state

    return execute
