"""A person as the agent: works in a folder with tools of their own, and hands in what stands there."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from anyio import to_thread
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ModelOutput
from inspect_ai.tool import Tool
from inspect_ai.util import input_screen, sandbox, store_as
from pydantic import TypeAdapter

from mlbench.atomic_write import write_file
from mlbench.evals.mlagentbench.actions import act
from mlbench.evals.mlagentbench.actions.observations import ActionFault, Observation
from mlbench.evals.mlagentbench.actions.sample_state import desk
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.snapshots import Progress
from mlbench.records import UsageError

_LARGEST = 64 << 20
"""Bytes of one file that is handed in."""
_Digests = TypeAdapter(dict[str, str])
_HELP = "`check` checks the form of the submission; `done`, or `done SCORE` with the score that you measured, ends"


def needs_terminal() -> None:
    """Refuse a person who cannot answer.

    Raises:
        UsageError: the standard input is no terminal.
    """
    if not sys.stdin.isatty():
        raise UsageError("the agent human asks a person: run it in a terminal")


@agent(name="human")
def human(problem: ResearchProblem, tools: Sequence[Tool]) -> Agent:
    """Return a person who works in a folder on this machine. Nothing that they run is contained; only files come back.

    The folder lies beside the attempt's steps. An attempt that is resumed goes on in it.

    Args:
        problem: the research problem.
        tools: as `mlbench.evals.mlagentbench.actions.actions` makes them.
    """

    async def execute(state: AgentState) -> AgentState:
        start = (await prepared(problem)).workspace
        place = Path(store_as(Progress).folder) / "workspace"
        if not place.is_dir():
            await to_thread.run_sync(shutil.copytree, start, place)
        said = f"{problem.text.strip()}\n\nWork in {place}\n{_HELP}"
        while True:
            word, _, rest = _asked(said).strip().partition(" ")
            if word not in ("check", "done"):
                said = _HELP
                continue
            try:
                claim = {"claimed_score": float(rest), "split": "validation"} if word == "done" and rest else {}
            except ValueError:
                said = f"{rest!r} is no number; {_HELP}"
                continue
            brought = await _brought(problem, start, place)
            if word == "done" and not brought.fault:
                break
            said = f"{brought.text}\n{await act(tools, 'Validate Submission', {})}"
        answer = "A person worked on it."
        await act(tools, "Final Answer", {"final_answer": answer, **claim})
        state.output = ModelOutput.from_content("none", answer)
        return state

    return execute


def _asked(said: str) -> str:
    with input_screen(header="Experiment") as console:
        console.print(said, markup=False)
        return console.input("> ")


async def _brought(problem: ResearchProblem, start: Path, place: Path) -> Observation:
    """Bring what a person changed into the sandbox, as one step."""

    async def work() -> Observation:
        record = place.parent / "brought.json"
        before = await to_thread.run_sync(_last, record, start)
        there = await to_thread.run_sync(_digests, place)
        changed = [name for name, digest in there.items() if before.get(name) != digest]
        removed = sorted(before.keys() - there.keys())
        refused: dict[str, str] = {}
        for name in removed:
            await sandbox().exec(["rm", "-f", "--", name])
        for name in changed:
            if (place / name).stat().st_size > _LARGEST:
                refused[name] = f"larger than {_LARGEST >> 20} MiB"
                continue
            try:
                await sandbox().write_file(name, (place / name).read_bytes())
            except OSError as error:
                refused[name] = error.strerror or str(error)
        brought = there | {name: before.get(name, "") for name in refused}
        await to_thread.run_sync(write_file, record, _Digests.dump_json(brought))
        fault = ActionFault.CANNOT if refused else None
        told = [f"{name}: {why}" for name, why in refused.items()]
        gone = [f"removed: {', '.join(removed)}"] if removed else []
        return Observation("\n".join([f"changed: {', '.join(changed) or 'nothing'}", *gone, *told]), fault)

    return await (await desk(problem.bounds.script_seconds)).step("turn", {}, work)


def _last(record: Path, start: Path) -> dict[str, str]:
    """What was brought last; at first the starter."""
    return _Digests.validate_json(record.read_bytes()) if record.exists() else _digests(start)


def _digests(folder: Path) -> dict[str, str]:
    """The hashes of all files by name; links are not followed."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
