"""The configuration of a run: one typed record for the command line, the Python API and the tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mlbench.records import UsageError
from mlbench.sandbox.limits import MIB, Limits, checked_bounds

SANDBOXES = ("bubblewrap", "docker", "k8s", "local")
"""Sandboxes in which answers can run."""
DATA_SEED_OF_RUN = "data_seed"
"""Key in a log's metadata: the seed of the data of experiments. A run that was given none has drawn it."""
DIGESTS = "digests"
"""Key in a log's metadata: for each problem, a digest of everything that its score depends on."""


class Budget(BaseModel):
    """Limits of one sample; None is unlimited.

    After a resume, tokens, dollars and seconds count only the new usage; cached replies still count as model calls.

    Attributes:
        steps: model calls.
        tokens: tokens of prompts and replies.
        cost: US dollars.
        seconds: working time; time in queues does not count.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    steps: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    def given(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        return self.model_dump(exclude_none=True)


class AgentBudget(Budget):
    """The budget of an agent, which always limits model calls and working time."""

    steps: int = Field(default=50, gt=0)
    seconds: float = Field(default=1800.0, gt=0, allow_inf_nan=False)


class Generation(BaseModel):
    """Sampling and requests; None leaves a value to the provider."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    max_connections: int | None = None
    max_retries: int | None = None


class RunConfig(BaseModel):
    """How a run is made, without what it evaluates.

    Attributes:
        log_dir: folder of the logs.
        display: kind of progress display; None chooses by the terminal.
        base_url: URL of the model's endpoint.
        model_args: arguments of the model's provider.
        prices: file with the prices of models.
        max_samples: samples that run in parallel; None leaves it to Inspect.
        generation: sampling and requests.
        budget: limits of one sample.
        limits: limits of the sandbox in which an answer, or an agent's `run.sh`, runs.
        sandbox_limits: limits of the sandbox in which an agent works; None for the defaults.
        workers: answers judged in parallel; None for the number of CPUs.
        cache: whether to use the verdict cache.
        gpus: whether answers can use this machine's NVIDIA GPUs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    log_dir: Path = Path("logs")
    display: str | None = None
    base_url: str | None = None
    model_args: dict[str, Any] = Field(default_factory=dict)
    prices: Path | None = None
    max_samples: int | None = None
    generation: Generation = Generation()
    budget: Budget = Budget()
    limits: Limits = Limits()
    sandbox_limits: Limits | None = None
    workers: int | None = None
    cache: bool = True
    gpus: bool = False


def agent_budget(given: Budget | Mapping[str, Any] | None, **defaults: Any) -> AgentBudget:
    """Return the budget of an agent, from the given limits and its benchmark's defaults.

    Raises:
        UsageError: a limit is unknown, not a number, or not above zero.
    """
    own = given.given() if isinstance(given, Budget) else {k: v for k, v in (given or {}).items() if v is not None}
    return checked_bounds(AgentBudget, {**defaults, **own})


def limits_of(given: Limits | Mapping[str, float] | None, **defaults: float) -> Limits:
    """Return the limits of a sandbox, from the given limits and its benchmark's defaults.

    Raises:
        UsageError: a limit is unknown, not a number, or not above zero.
    """
    own = given.model_dump(exclude_unset=True) if isinstance(given, Limits) else dict(given or {})
    return checked_bounds(Limits, {**defaults, **own})


def known_sandbox(name: str) -> str:
    """Return the name of a sandbox for answers.

    Raises:
        UsageError: there is no such sandbox.
    """
    if name not in SANDBOXES:
        raise UsageError(f"no sandbox {name!r}; there are: {', '.join(SANDBOXES)}")
    return name


def mib(amount: float | None) -> int | None:
    """Convert MiB to bytes."""
    return None if amount is None else int(amount * MIB)


REMOVED_ARGUMENTS = {"sentences"}
"""Task arguments of older logs that no longer exist."""
OLD_ARGUMENTS = {"work": "budget", "room": "sandbox_limits", "remember": "cache"}
"""New names of task arguments by the names in older logs (read until 1.0)."""


def renamed_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a task under their present names."""
    return {OLD_ARGUMENTS.get(name, name): value for name, value in arguments.items() if name not in REMOVED_ARGUMENTS}
