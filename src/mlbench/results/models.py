"""Records of the results: a run, its attempts, and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Completeness, Policy, TwinKind, Verdict
from mlbench.results.mlagentbench.models import Experiment
from mlbench.results.usage import Usage
from mlbench.score_records import ScoredAgent, ScoredArgument, ScoredError, ScoredExecution, ScoredOutcome
from mlbench.suites.answered_by import AnsweredBy

NO_MODEL = "mlbench/nothing"
"""The model in the log of an agent that asks no model."""


@dataclass(frozen=True)
class AttemptRecord:
    """One answer to one row, with its verdicts.

    Attributes:
        number: counts from 1.
        required: the required arguments and their values, as text.
        kind: the language of the candidate; None if it parses as neither.
        source: where in the reply the code was found.
        verdicts: empty if the attempt was not scored; `error` then says why.
        matches: the required arguments by name, compared with the reference's.
        faults: the errors of the answer.
        completeness: whether the row's oracle shows all that its reference needs; unknown in old logs.
        php: the share of required values in the answer's text (the published rule).
        semantic: the share of required values in the answer's configuration.
        seconds: working time, without queueing; of a person, the active time.
        work: what an agent did; None if a model answered.
        chosen: the repository that an agent chose or was given.
        outcome: what the run left behind, compared with the reference; None if nothing was compared.
        stop_reason: why the model stopped, in Inspect's words; empty in old logs.
        reference_fails: whether a policy has no verdict because the row's reference fails; `error` then says why.
        not_run: whether `paper` has no verdict because the row cannot be run here; `error` then says why.
        twin_of: the `id` of the original of which the row is a twin; None if it is no twin.
        renamed: new name by old name, of the names that the original's reference uses.
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
    matches: Mapping[str, ScoredArgument] = field(default_factory=dict)
    faults: tuple[ScoredError, ...] = ()
    completeness: Completeness = Completeness.UNKNOWN
    php: float | None = None
    semantic: float | None = None
    process: ScoredExecution | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    work: ScoredAgent | None = None
    chosen: str = ""
    outcome: ScoredOutcome | None = None
    stop_reason: str = ""
    reference_fails: bool = False
    not_run: bool = False
    decided_by: Policy | None = None
    twin_of: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def scored(self) -> bool:
        """Whether there is a verdict; there is none if the machine failed."""
        return bool(self.verdicts)

    @property
    def cut(self) -> bool:
        """Whether the answer ended at the token limit or at the end of the model's context."""
        return self.stop_reason == "max_tokens" or (self.stop_reason == "model_length" and bool(self.answer))

    @property
    def overflowed(self) -> bool:
        """Whether the endpoint refused the prompt because it was too long."""
        return self.stop_reason == "model_length" and not self.answer

    def verdict(self, policy: Policy) -> Verdict | None:
        return self.verdicts.get(policy)


@dataclass(frozen=True)
class RunTwins:
    """What a run over twins says about them: their kind, their seed, and the suite of their originals."""

    kind: TwinKind
    seed: int
    suite: str
    version: int
    split: str


@dataclass(frozen=True)
class RunShard:
    """Which shard of its run a log is.

    Attributes:
        index: counts from 1.
        of: the number of shards.
        common: what all shards of the run have in common, by the words of a message.
    """

    index: int
    of: int
    common: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"


@dataclass(frozen=True)
class RunRecord:
    """One log: what was run, and every attempt.

    Attributes:
        task_id: the same for all logs of a resumed run.
        expected: attempts that the run was to make.
        each: attempts per row.
        attempts: the attempts in the log, and the missing ones of rows that are in the log.
        seconds: wall time from start to end; of a person, the active time.
        agent: empty if models answered.
        sandbox, network: of agents.
        data: of experiments (`lite`).
        helper: the model that an experiment's actions ask; empty if it is the evaluated one.
        experiments: of a run of experiments, in place of `attempts`.
        max_tokens: limit of one answer; None if none was set.
        draft: why the suite is a draft; empty if it is none.
        twins: of a run over twins; None if the rows are no twins.
        suite_given: the suite as it was named when the run began: its name, or the path of its folder.
        version: of the task and of the suite.
        suite_version: of the suite alone; empty in old logs.
        command: the command line that makes the run again.
        made_with: versions of packages, and the commit of a checkout.
        answered_by: what made answers that were given as a file; None if that is not known, or if the run asked.
        shard: of a log that is one shard of a run; None for a whole run.
        further_logs: the other logs of a run that was merged from shards.
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
    draft: str = ""
    twins: RunTwins | None = None
    suite_given: str = ""
    suite_version: str = ""
    command: str = ""
    made_with: str = ""
    answered_by: AnsweredBy | None = None
    shard: RunShard | None = None
    further_logs: tuple[str, ...] = ()

    @property
    def logs(self) -> tuple[str, ...]:
        """All logs of the run."""
        return (self.location, *self.further_logs)

    @property
    def scored(self) -> int:
        """How many attempts have a verdict or a grade."""
        return sum(attempt.scored for attempt in self.attempts or self.experiments)

    @property
    def asks_model(self) -> bool:
        """Whether a model was asked; some agents ask none."""
        return not (self.agent and self.model == NO_MODEL)


def types_of(run: RunRecord) -> list[str]:
    """Return the answer types in a run, scripts first."""
    found = {attempt.type for attempt in run.attempts}
    return [known for known in (SHELL_TYPE, PYTHON_TYPE) if known in found] + sorted(found - {SHELL_TYPE, PYTHON_TYPE})
