"""The nouns of the results: a run, its attempts, and what was said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Policy, Verdict
from mlbench.results.agent_work import AgentWork
from mlbench.results.mlagentbench.models import Experiment
from mlbench.results.outcome_record import OutcomeRecord
from mlbench.results.usage import Usage

NO_MODEL = "mlbench/nothing"
"""The model in the log of an agent that asks none."""


@dataclass(frozen=True)
class ProcessRecord:
    """What is left of an execution in the log. Wall seconds, bytes of memory."""

    ending: str
    exit_code: int
    seconds: float
    peak_memory: int


@dataclass(frozen=True)
class LogFault:
    """An error of an answer: its kind (`E2/choices`), the reason that led to it, and a line of evidence."""

    kind: str
    reason: str
    evidence: str = ""


@dataclass(frozen=True)
class ErrorRecord:
    """What became of a required argument: hit, wrong, absent or unbound; where it belongs, what was found there."""

    state: str
    place: str = ""
    value: str = ""


@dataclass(frozen=True)
class AttemptRecord:
    """One answer to one row, and what was said of it.

    `verdicts` is empty where the attempt was not scored; `error` then says why. `php` is the share of
    `required` whose values stand in the answer (the published rule), `semantic` the share that the answer's
    configuration has; `found` says of each what became of it, `source` where in the reply the code stood.
    `number` counts from 1. `seconds` is working time, without the waiting for a turn. `work` is what an agent did
    before it was judged; None where a model just answered. `chosen` is the repository that an agent took which had to
    find it, or was given. `outcome` is what it left behind beside what the reference left; None where nothing was
    compared.
    `stop_reason` is why the model stopped, in Inspect's words; empty in logs of old.
    """

    row: int
    github_id: int
    repository: str
    domain: str
    type: str
    number: int
    path: str = "."
    required: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    prompt: str = ""
    reference: str = ""
    answer: str = ""
    candidate: str = ""
    kind: str | None = None
    source: str = ""
    verdicts: Mapping[Policy, Verdict] = field(default_factory=dict)
    found: Mapping[str, ErrorRecord] = field(default_factory=dict)
    faults: tuple[LogFault, ...] = ()
    php: float | None = None
    semantic: float | None = None
    process: ProcessRecord | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    work: AgentWork | None = None
    chosen: str = ""
    outcome: OutcomeRecord | None = None
    stop_reason: str = ""

    @property
    def scored(self) -> bool:
        """Whether there is a verdict. Where the machine failed there is none, and the model is not blamed."""
        return bool(self.verdicts)

    @property
    def cut(self) -> bool:
        """Whether the answer ended at the limit of tokens, or with the model's context."""
        return self.stop_reason == "max_tokens" or (self.stop_reason == "model_length" and bool(self.answer))

    @property
    def overflowed(self) -> bool:
        """Whether the endpoint refused the prompt as too long."""
        return self.stop_reason == "model_length" and not self.answer

    def verdict(self, policy: Policy) -> Verdict | None:
        return self.verdicts.get(policy)


@dataclass(frozen=True)
class RunRecord:
    """One log: who was asked what, and every attempt.

    `expected` counts the attempts that were to be made, `each` those per row; `attempts` holds those in the
    log, and those missing of rows that are in the log. `seconds` is wall time from start to end.
    A run that was resumed keeps its `task_id`. `agent` is empty where models answered; where agents worked, `sandbox`
    and `network` say in what. A run of experiments has these in place of attempts, and says on which `data` (`lite`).
    `max_tokens` is the limit of one answer; None if none was set.
    """

    location: str
    task_id: str
    model: str
    suite: str
    split: str
    setting: str
    version: str
    started: str
    status: str
    expected: int
    each: int
    attempts: tuple[AttemptRecord, ...]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    agent: str = ""
    sandbox: str = ""
    network: str = ""
    data: str = ""
    helper: str = ""
    experiments: tuple[Experiment, ...] = ()
    max_tokens: int | None = None

    @property
    def scored(self) -> int:
        """How many attempts have a verdict, or a grade."""
        return sum(attempt.scored for attempt in self.attempts or self.experiments)

    @property
    def asks_model(self) -> bool:
        """Whether a model was asked: some agents work without one."""
        return not (self.agent and self.model == NO_MODEL)


def types_of(run: RunRecord) -> list[str]:
    """The kinds of answer in a run, scripts first."""
    found = {attempt.type for attempt in run.attempts}
    return [known for known in (SHELL_TYPE, PYTHON_TYPE) if known in found] + sorted(found - {SHELL_TYPE, PYTHON_TYPE})
