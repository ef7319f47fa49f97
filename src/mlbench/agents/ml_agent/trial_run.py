"""Where an answer is left as `run.sh`, it is tried in the sandbox before: a bare one, in which packages are missing."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.util import ExecResult, SandboxEnvironment

from mlbench.agents.ml_agent.interface_feedback import kind_of
from mlbench.agents.ml_agent.result import SolveOutcome, SolveResult
from mlbench.agents.ml_agent.submission import RUN, run_files
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_schemas import ToolAnswer
from mlbench.sandbox.jail import WORKSPACE

_RUN_SECONDS = 60
_INSTALL_SECONDS = 600
_GRACE = 15
_SHOWN = 4000
_TIMED_OUT = (124, 137)  # of `timeout`: it was asked to end, or had to be killed
_BOUNDED = 'timeout -k 5 "$1" "${@:2}" </dev/null 2>&1 | tail -c %d; exit "${PIPESTATUS[0]}"'


@dataclass(frozen=True)
class TrialResult:
    """How a try ended: `exit_code` None where it still ran when its time was over; the end of what it printed."""

    exit_code: int | None
    output: str

    @property
    def works(self) -> bool:
        """Who is still at work after a minute works: a training has no reason to be done by then."""
        return self.exit_code in (0, None)


@dataclass(frozen=True)
class TrialRun:
    """The sandbox in which answers to a job are tried."""

    job: Job
    box: SandboxEnvironment

    async def run(self, answer: ToolAnswer) -> TrialResult:
        """Leave an answer as `run.sh`, and run that for a minute at most.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the answer.
        """
        left = SolveResult(SolveOutcome.ANSWERED, kind=kind_of(answer), folder=answer.folder or ".", code=answer.code)
        for file in run_files(self.job, left):
            await self.box.write_file(posixpath.join(WORKSPACE, file.path), file.text)
        return await self._bounded(_RUN_SECONDS, ["bash", RUN])

    async def install(self, packages: Sequence[str], requirements: str) -> TrialResult:
        """`pip install` of packages, and of a requirements file of the repository.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the installation.
        """
        wanted = [*(["-r", requirements] if requirements else []), *packages]
        return await self._bounded(_INSTALL_SECONDS, ["pip", "install", "-q", "--disable-pip-version-check", *wanted])

    async def _bounded(self, seconds: int, command: Sequence[str]) -> TrialResult:
        """Whatever it prints, the end of it is text; whatever it leaves running, it returns."""
        script = ["bash", "-c", _BOUNDED % _SHOWN, "bounded", str(seconds), *command]
        try:
            done: ExecResult[str] = await self.box.exec(script, cwd=WORKSPACE, timeout=seconds + _GRACE)
        except TimeoutError:
            return TrialResult(None, "")
        except UnicodeDecodeError:
            return TrialResult(1, "(what it printed is no text)")
        ended = None if done.returncode in _TIMED_OUT else done.returncode
        return TrialResult(ended, (done.stdout + done.stderr).strip())
