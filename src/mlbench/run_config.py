"""How a run is made: one typed record for the command line, the Python API and the tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mlbench.records import UsageError
from mlbench.sandbox.limits import MIB, Limits, checked_bounds

SANDBOXES = ("bubblewrap", "docker", "local")
"""Where candidates can run."""
DIGESTS = "digests"
"""Key of a log's metadata: by problem, a digest of the files that its score depends on."""


class Budget(BaseModel):
    """What one sample may use: model calls, tokens, dollars, seconds of working time (queueing does not count).

    After a resume, tokens, dollars and seconds count only the new usage; cached replies still count as model calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    steps: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    def given(self) -> dict[str, Any]:
        """The bounds that are set, by name."""
        return self.model_dump(exclude_none=True)


class AgentBudget(Budget):
    """The budget of an agent: always a bound on model calls and on working time."""

    steps: int = Field(default=50, gt=0)
    seconds: float = Field(default=1800.0, gt=0, allow_inf_nan=False)


class Generation(BaseModel):
    """How the model is asked; what is None is left to the provider."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    max_connections: int | None = None
    max_retries: int | None = None


class RunConfig(BaseModel):
    """Everything that a run is told besides what it evaluates.

    Attributes:
        log_dir: the folder of the logs.
        display: how progress is shown; None chooses by the terminal.
        base_url: the address of the model's endpoint.
        model_args: arguments of the model's provider.
        prices: the file with prices of models.
        max_samples: samples at the same time; None leaves it to Inspect.
        generation: how the model is asked.
        budget: what one sample may use.
        limits: bounds of the sandbox in which an answer, or an agent's `run.sh`, is judged.
        sandbox_limits: bounds of the sandbox in which an agent works; those that are given.
        workers: candidates that are judged at the same time; None for the number of CPUs.
        cache: whether the verdict cache is used.
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


def agent_budget(given: Budget | Mapping[str, Any] | None, **defaults: Any) -> AgentBudget:
    """The budget of an agent, from what was given and the defaults of its benchmark.

    Raises:
        UsageError: a bound is unknown, not a number, or not above zero.
    """
    own = given.given() if isinstance(given, Budget) else {k: v for k, v in (given or {}).items() if v is not None}
    return checked_bounds(AgentBudget, {**defaults, **own})


def limits_of(given: Limits | Mapping[str, float] | None, **defaults: float) -> Limits:
    """Bounds of a sandbox, from what was given and the defaults of its benchmark.

    Raises:
        UsageError: a bound is unknown, not a number, or not above zero.
    """
    own = given.model_dump(exclude_unset=True) if isinstance(given, Limits) else dict(given or {})
    return checked_bounds(Limits, {**defaults, **own})


def known_sandbox(name: str) -> str:
    """The name of a sandbox for candidates.

    Raises:
        UsageError: there is no such sandbox.
    """
    if name not in SANDBOXES:
        raise UsageError(f"no sandbox {name!r}; there are: {', '.join(SANDBOXES)}")
    return name


def mib(amount: float | None) -> int | None:
    """Bytes of so many MiB."""
    return None if amount is None else int(amount * MIB)


OLD_ARGUMENTS = {"work": "budget", "room": "sandbox_limits", "remember": "cache"}
"""Arguments of tasks by the names that they had before, as older logs carry them (read until 1.0)."""


def renamed_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a task under their present names."""
    return {OLD_ARGUMENTS.get(name, name): value for name, value in arguments.items()}
