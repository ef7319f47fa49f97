"""Try an answer in the agent's sandbox, in which packages are still missing."""

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
_TIMED_OUT = (124, 137)  # exit codes of `timeout`: the command was terminated or killed
_BOUNDED = 'timeout -k 5 "$1" "${@:2}" </dev/null 2>&1 | tail -c %d; exit "${PIPESTATUS[0]}"'


@dataclass(frozen=True)
class TrialResult:
    """How a command ended, and the end of its output; `exit_code` is None after a time-out."""

    exit_code: int | None
    output: str

    @property
    def works(self) -> bool:
        """Whether the answer works; one that still runs after a minute does, as a training may."""
        return self.exit_code in (0, None)


@dataclass(frozen=True)
class TrialRun:
    """The sandbox in which answers to a task are tried."""

    job: Job
    box: SandboxEnvironment

    async def run(self, answer: ToolAnswer) -> TrialResult:
        """Write an answer as `run.sh`, and run it for at most 60 seconds.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the answer.
        """
        draft = SolveResult(SolveOutcome.ANSWERED, kind=kind_of(answer), folder=answer.folder or ".", code=answer.code)
        for file in run_files(self.job, draft):
            await self.box.write_file(posixpath.join(WORKSPACE, file.path), file.text)
        return await self._bounded(_RUN_SECONDS, ["bash", RUN])

    async def install(self, packages: Sequence[str], requirements: str) -> TrialResult:
        """Install packages with pip, for at most 600 seconds.

        Args:
            packages: as pip names them.
            requirements: a requirements file of the repository; empty for none.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the installation.
        """
        arguments = [*(["-r", requirements] if requirements else []), *packages]
        return await self._bounded(
            _INSTALL_SECONDS, ["pip", "install", "-q", "--disable-pip-version-check", *arguments]
        )

    async def _bounded(self, seconds: int, command: Sequence[str]) -> TrialResult:
        """Run a command within a time limit, and keep the end of its output."""
        script = ["bash", "-c", _BOUNDED % _SHOWN, "bounded", str(seconds), *command]
        try:
            done: ExecResult[str] = await self.box.exec(script, cwd=WORKSPACE, timeout=seconds + _GRACE)
        except TimeoutError:
            return TrialResult(None, "")
        except UnicodeDecodeError:
            return TrialResult(1, "(what it printed is no text)")
        ended = None if done.returncode in _TIMED_OUT else done.returncode
        return TrialResult(ended, (done.stdout + done.stderr).strip())
