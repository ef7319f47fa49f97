"""Read the folder of a Harbor job: its trials, and the log that the judge wrote for each.

Only the fields that are needed are read; Harbor's newer versions may add others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.reasons import AgentOutcome
from mlbench.records import UsageError

_TASK = re.compile(r"mlbench/(?P<suite>.+)-(?P<row>[0-9]{1,9})")
_LARGEST = 50 << 20  # bytes of a result.json or a trajectory


class _HarborPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class HarborModel(_HarborPart):
    """The model of an agent; without a provider if none was given."""

    name: str
    provider: str | None = None


class HarborAgent(_HarborPart):
    """The agent of a trial."""

    name: str
    version: str = ""
    model_info: HarborModel | None = None


class HarborUsage(_HarborPart):
    """What the agent used; None if it does not say. Input tokens include cached ones."""

    n_input_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None


class HarborException(_HarborPart):
    """Why a trial or its agent failed."""

    exception_type: str
    exception_message: str = ""


class HarborRewards(_HarborPart):
    """The rewards of the verifier, by name."""

    rewards: dict[str, float] | None = None


class HarborTiming(_HarborPart):
    """Start and end of a phase."""

    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def seconds(self) -> float:
        """Wall time; 0 if it is not known."""
        if self.started_at is None or self.finished_at is None:
            return 0.0
        return max(0.0, (self.finished_at - self.started_at).total_seconds())


class HarborResult(_HarborPart):
    """The `result.json` of a trial."""

    task_name: str
    trial_name: str
    agent_info: HarborAgent
    agent_result: HarborUsage | None = None
    verifier_result: HarborRewards | None = None
    exception_info: HarborException | None = None
    agent_execution: HarborTiming = Field(default_factory=HarborTiming)

    @property
    def reward(self) -> float | None:
        """The reward; None if the judge gave none."""
        rewards = (self.verifier_result and self.verifier_result.rewards) or {}
        return rewards.get("reward")


@dataclass(frozen=True)
class HarborTrial:
    """One trial of a job.

    Attributes:
        folder: its folder.
        result: its `result.json`.
        suite, row: the row that its task was made from; the suite as it stands in the task's name.
    """

    folder: Path
    result: HarborResult
    suite: str
    row: int

    @property
    def log(self) -> Path | None:
        """The log that the judge wrote; None if it wrote none."""
        return next(iter(sorted((self.folder / "verifier" / "mlbench").glob("*.eval"))), None)

    @property
    def outcome(self) -> AgentOutcome:
        """How the agent ended."""
        failed = self.result.exception_info
        if failed is None:
            return AgentOutcome.ENDED
        return AgentOutcome.TIME_LIMIT if failed.exception_type == "AgentTimeoutError" else AgentOutcome.CRASHED

    @property
    def steps(self) -> int:
        """The agent's steps, from the trajectory that some agents leave; 0 if there is none."""
        file = self.folder / "agent" / "trajectory.json"
        try:
            if file.is_symlink() or file.stat().st_size > _LARGEST:
                return 0
            steps = json.loads(file.read_bytes())["steps"]
            return sum(isinstance(step, dict) and step.get("source") == "agent" for step in steps)
        except (OSError, ValueError, KeyError, TypeError):
            return 0


def trials_of(folder: Path) -> list[HarborTrial]:
    """Return the trials of a job, by row.

    Args:
        folder: the folder of one job, or one of its trials.

    Raises:
        UsageError: it holds no trials, or trials of another benchmark.
    """
    found = list(_trials(folder))
    if not found:
        raise UsageError(f"{folder}: no trial of Harbor; name the folder of one job, like jobs/2026-01-31__12-00-00")
    foreign = [trial.task_name for _, trial in found if not _TASK.fullmatch(trial.task_name)]
    if foreign:
        raise UsageError(
            f"{folder}: {len(foreign)} of {len(found)} trials are not of mlbench ({foreign[0]:.80}); name a job of"
            " tasks that `mlbench suites export --format harbor` wrote"
        )
    trials = []
    for place, result in found:
        if named := _TASK.fullmatch(result.task_name):
            trials.append(HarborTrial(place, result, named["suite"], int(named["row"])))
    if len({trial.suite for trial in trials}) > 1:
        raise UsageError(f"{folder}: trials of several suites; run one job for each suite")
    return sorted(trials, key=lambda trial: (trial.row, trial.result.trial_name))


def _trials(folder: Path) -> Iterator[tuple[Path, HarborResult]]:
    places = [folder, *sorted(place for place in folder.iterdir() if place.is_dir())] if folder.is_dir() else []
    for place in places:
        file = place / "result.json"
        if not file.is_file():
            continue
        try:
            if file.stat().st_size > _LARGEST:
                raise ValueError("it is too large")
            read = json.loads(file.read_bytes())
            if not isinstance(read, dict) or "trial_name" not in read:
                continue  # the job's own result
            yield place, HarborResult.model_validate(read)
        except (OSError, ValueError, ValidationError) as error:
            first = (str(error).splitlines() or [""])[0]
            raise UsageError(f"{file}: not a trial's result of Harbor ({first:.100})") from error
