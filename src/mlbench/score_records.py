"""Score records: what the scorers write into a log, and what the results read from it.

`ScoreRecord` is the score of one answer, `ExperimentScoreRecord` that of one attempt to improve a starter. Writers and
readers use the same models. Fields that later versions added have defaults, so that earlier logs can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from mlbench.reasons import CheckReason, EarlierReason, ItemKind, VerdictReason
from mlbench.records import CheckStatus, Completeness, ExitKind, Kind, Policy, Verdict

PHP, SEMANTIC_PHP = "php", "semantic_php"
"""The score's entries for Parameter Hit Precision: as published, and over the parsed configuration."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, ser_json_inf_nan="constants")


class _Score(_Record):
    """The parts of Inspect's `Score`.

    Every further field of a subclass is a key of its metadata.
    """

    value: dict[str, float]
    explanation: str = ""
    answer: str = ""

    def parts(self) -> dict[str, Any]:
        """The arguments of Inspect's `Score`, as JSON."""
        metadata = self.model_dump(mode="json", by_alias=True, exclude={"value", "explanation", "answer"})
        return {"value": self.value, "answer": self.answer, "explanation": self.explanation, "metadata": metadata}

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Self:
        """Read a record from what `parts` wrote.

        Raises:
            KeyError, TypeError, ValueError: the parts are not those of a score record.
        """
        about = {"value": parts["value"], "answer": parts.get("answer") or ""}
        return cls.model_validate({**parts["metadata"], **about, "explanation": parts.get("explanation") or ""})


class SampleMetadata(_Record):
    """What a log says about a sample's row.

    Attributes:
        row: the row's `id`.
        arguments: the required arguments and their values.
        attempt: counts from 1; None if Inspect's epochs count the attempts.
        completeness: whether its oracle shows all that its reference needs; unknown in old logs.
        difficulty: see `suites.difficulty`; empty in old logs.
        twin_of: the `id` of the original of which the row is a twin; None if it is no twin.
        renamed: new name by old name, of the names that the original's reference uses.
    """

    row: int
    github_id: int
    repository: str
    domain: str
    type: str
    path: str
    arguments: dict[str, str]
    attempt: int | None = None
    completeness: Completeness = Completeness.UNKNOWN
    difficulty: dict[str, int] = Field(default_factory=dict)
    twin_of: int | None = None
    renamed: dict[str, str] = Field(default_factory=dict)


class ScoredCandidate(_Record):
    """Where the code was found in the reply; see `records.Candidate`."""

    kind: Kind | None
    source: str
    fault: str = ""
    file: str = ""
    left: tuple[str, ...] = ()


class ScoredArgument(_Record):
    """One required argument, compared with the reference's.

    Attributes:
        state: a `MatchState`.
        destination: where it belongs; the log's key is `place`.
        expected, found: the values there, as text.
    """

    argument: str
    state: str
    destination: str = Field(validation_alias="place", serialization_alias="place")
    expected: str = ""
    found: str = ""


class ScoredCheck(_Record):
    """The result of the interface check. `seconds` is wall time.

    `unchecked` says what could not be checked.
    """

    status: CheckStatus
    reason: Annotated[CheckReason | EarlierReason, Field(union_mode="left_to_right")] = ""
    message: str = ""
    seconds: float = 0.0
    unchecked: tuple[str, ...] = ()


class ScoredError(_Record):
    """One error of an answer.

    Attributes:
        error_class: for example `E2/choices`; the log's key is `class`.
        reason: a `Reason`; logs may hold reasons of earlier versions.
        evidence: one line.
    """

    error_class: str = Field(validation_alias="class", serialization_alias="class")
    reason: VerdictReason
    evidence: str


class ScoredExecution(_Record):
    """How an execution ended: wall seconds, bytes of memory, bytes of output that were dropped."""

    ending: ExitKind
    exit_code: int
    seconds: float
    peak_memory: int
    dropped_bytes: int = 0


class ScoredItem(_Record):
    """One item that the reference left behind, beside the answer's.

    `difference` is empty if they are the same.
    """

    kind: ItemKind
    what: str
    expected: str
    found: str
    difference: str
    digits: int = 0

    @property
    def same(self) -> bool:
        """Whether the answer left the same item."""
        return not self.difference


class ScoredOutcome(_Record):
    """The comparison with what the reference left behind.

    Attributes:
        fault: why there is nothing to compare with; empty if there is.
        items: at most 100; `total` counts all of them.
        proof: why a replay on the answer's own input gives another result; empty if it gives the same, None if the
            row needs no replay.
    """

    fault: str
    items: tuple[ScoredItem, ...]
    total: int = 0
    proof: str | None


class ScoredAgent(_Record):
    """An agent's work before it was scored.

    Attributes:
        name: the agent's name.
        outcome: an `AgentOutcome`; logs may hold other limits of Inspect (`message-limit`).
        detail: the last lines of its output if it crashed.
        steps: model calls. seconds: wall time.
        packages: installed packages (`numpy==2.0`).
        left_out: packages that its trial could not install.
        earlier: packages that its trial had in an earlier version.
        script: its `run.sh`, at most 20,000 characters.
    """

    name: str = ""
    outcome: str
    detail: str
    steps: int
    seconds: float
    packages: tuple[str, ...]
    left_out: tuple[str, ...]
    earlier: tuple[str, ...] = ()
    script: str


class ScoreRecord(_Score):
    """The score of one answer.

    Attributes:
        value: 1 or 0 per policy, and both shares of Parameter Hit Precision.
        explanation: stage and reason of the first verdict.
        answer: the code that was scored.
        verdicts: one per policy, the headline first.
        matches: the required arguments, compared with the reference's.
        extras: further settings that the answer gives.
        check, execution, outcome, agent: None if there was none.
        stop_reason: why the model stopped, in Inspect's words.
        remembered: whether the verdict was taken from the cache.
        decided_by: the policy that decided the headline: `interface` under `strict` if the row cannot be run here.
    """

    verdicts: tuple[Verdict, ...]
    candidate: ScoredCandidate
    matches: tuple[ScoredArgument, ...]
    extras: tuple[str, ...] = ()
    check: ScoredCheck | None = None
    errors: tuple[ScoredError, ...]
    execution: ScoredExecution | None = None
    outcome: ScoredOutcome | None = None
    agent: ScoredAgent | None = None
    stop_reason: str = ""
    remembered: bool = False
    decided_by: Policy | None = None


class ScoredStarter(_Record):
    """The starter's score where it was graded: mean and deviation of `n` measurements."""

    mean: float
    spread: float
    n: int


class ExperimentScoreRecord(_Score):
    """The score of one attempt to improve a starter.

    Attributes:
        value: success, easy win, suspicion, validity, improvement, position on the scale, and false claims.
        explanation: the score and the improvement, or why the submission is invalid.
        answer: the agent's last words.
        score: of the submission; None if it is invalid, and `invalid` says why.
        improvement: over the starter, relative (0.1 is 10 %).
        number_claim: of the score that the agent handed in: text, claimed value, the measured value that it was
            compared with (None if it was not compared, or nothing valid was measured), and whether it is false.
        outcome: an `AgentOutcome`. detail: the last lines of the agent's output if it crashed.
        steps: model calls. seconds: wall time. tokens: of all model calls.
        turns: seconds of each measured turn, of the submission and of the starter.
        starter, reference, trivial, floor: the baselines' scores.
        mark: the position on the scale beyond which it succeeds; None if success is as published.
        folder: where the agent's steps are kept.
        progress: number and score of each step, if steps were graded.
        actions, errors: how often an action was done, and how often it failed in each way.
    """

    score: float | None
    invalid: str | None
    improvement: float | None
    number_claim: tuple[str, float, float | None, bool] | None = None
    outcome: str
    detail: str | None = ""
    steps: int
    seconds: float
    tokens: int = 0
    turns: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    starter: ScoredStarter | None
    reference: float | None
    trivial: float | None
    floor: float | None = None
    mark: float | None = None
    folder: str | None = ""
    progress: tuple[tuple[int, float | None], ...] | None = ()
    actions: dict[str, int] | None = None
    errors: dict[str, int] | None = None
