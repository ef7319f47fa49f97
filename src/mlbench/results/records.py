"""A run and its attempts, read from an Inspect log through Inspect's public interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score
from pydantic import TypeAdapter

from mlbench.results.work import Work, work_of
from mlbench.types import PYTHON_TYPE, SHELL_TYPE, Policy, UsageError, Verdict

JUDGE = "judge"
"""The score's name in a sample."""

PHP, SEMANTIC_PHP = "php", "semantic_php"
"""The entries of the score's value that hold the share of required arguments: in the text, in the configuration."""

NO_MODEL = "mlbench/nothing"
"""The model in the log of an agent that asks none."""

_UNREAD = {"events", "messages", "store"}
_VERDICTS = TypeAdapter(list[Verdict])
_NUMBERS = TypeAdapter(dict[str, float])


@dataclass(frozen=True)
class Usage:
    """Tokens (those read from or written to the provider's cache count as input) and US dollars, if known."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class Process:
    """What is left of an execution in the log. Wall seconds, bytes of memory."""

    ending: str
    exit_code: int
    seconds: float
    peak_memory: int


@dataclass(frozen=True)
class Fault:
    """An error of an answer: its kind (`E2/choices`), the reason that led to it, and a line of evidence."""

    kind: str
    reason: str
    evidence: str = ""


@dataclass(frozen=True)
class Found:
    """What became of a required argument: hit, wrong, absent or unbound; where it belongs, what was found there."""

    state: str
    place: str = ""
    value: str = ""


@dataclass(frozen=True)
class Attempt:
    """One answer to one row, and what was said of it.

    `verdicts` is empty where the attempt was not scored; `error` then says why. `php` is the share of
    `required` whose values stand in the answer (the published rule), `semantic` the share that the answer's
    configuration has; `found` says of each what became of it, `source` where in the reply the code stood.
    `number` counts from 1. `seconds` is working time, without the waiting for a turn. `work` is what an agent did
    before it was judged; None where a model just answered.
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
    found: Mapping[str, Found] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    php: float | None = None
    semantic: float | None = None
    process: Process | None = None
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str = ""
    work: Work | None = None

    @property
    def scored(self) -> bool:
        """Whether there is a verdict. Where the machine failed there is none, and the model is not blamed."""
        return bool(self.verdicts)

    def verdict(self, policy: Policy) -> Verdict | None:
        return self.verdicts.get(policy)


@dataclass(frozen=True)
class Run:
    """One log: who was asked what, and every attempt.

    `expected` counts the attempts that were to be made, `each` those per row; `attempts` holds those in the
    log, and those missing of rows that are in the log. `seconds` is wall time from start to end.
    A run that was resumed keeps its `task_id`. `agent` is empty where models answered; where agents worked, `sandbox`
    and `network` say in what.
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
    attempts: tuple[Attempt, ...]
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str = ""
    agent: str = ""
    sandbox: str = ""
    network: str = ""

    @property
    def scored(self) -> int:
        """How many attempts have a verdict."""
        return sum(attempt.scored for attempt in self.attempts)

    @property
    def asks_model(self) -> bool:
        """Whether a model was asked: some agents work without one."""
        return not (self.agent and self.model == NO_MODEL)


def read_run(path: str | Path, suite: str | None = None) -> Run:
    """Read one log (`.eval` or `.json`), of `suite` if given.

    Raises:
        UsageError: the file is missing, no log, cut off, unfinished, of another task or suite, or without samples.
    """
    log = _read(path)
    about = log.eval.metadata or {}
    if not isinstance(about.get("suite"), str):
        raise UsageError(
            f"{path}: a log of the task {log.eval.task}, not of mlbench; name a log that mlbench eval wrote"
        )
    if suite is not None and about["suite"] != suite:
        raise UsageError(f"{path}: a log of the suite {about['suite']}, not of {suite}; name logs of one suite")
    if log.status == "started":
        verb = "agent" if about.get("agent") else "eval"
        raise UsageError(f"{path}: the run is not finished; finish it with `mlbench {verb} --resume`, then ask again")
    if not log.samples:
        raise UsageError(f"{path}: the log holds no samples (status {log.status}); run mlbench eval again")
    try:
        attempts = [_attempt(sample) for sample in log.samples]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path}: not as mlbench writes its samples ({error!r:.120}); run mlbench eval again"
        ) from error
    return _run(log, str(path), attempts)


def _read(path: str | Path) -> EvalLog:
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such log; logs end in .eval or .json, by default in the folder logs/")
    try:
        return read_eval_log(path, resolve_attachments="core", exclude_fields=_UNREAD)
    except Exception as error:  # a broken archive shows itself in many ways
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(
            f"{path}: not an Inspect log, or a half-written one ({first:.120}); run mlbench eval again"
        ) from error


def _run(log: EvalLog, location: str, attempts: list[Attempt]) -> Run:
    about, epochs = log.eval.metadata or {}, log.eval.config.epochs or 1
    numbered = Counter(attempt.row for attempt in attempts)
    each = max(epochs, *numbered.values())
    return Run(
        location=location,
        task_id=log.eval.task_id,
        model=log.eval.model,
        suite=about["suite"],
        split=str(about.get("split") or ""),
        setting=str(about.get("setting") or ""),
        version=f"{log.eval.task_version}, suite version {about.get('suite_version', '?')}",
        started=str(log.eval.created),
        status=log.status,
        expected=max(len(log.eval.dataset.sample_ids or ()) * epochs, len(attempts)),
        each=each,
        attempts=tuple(_completed(attempts, epochs)),
        usage=_usage(usage for sample in log.samples or () for usage in _paid(sample)),
        seconds=_between(log),
        error=log.error.message if log.error else "",
        agent=str(about.get("agent") or ""),
        sandbox=str(about.get("sandbox") or ""),
        network=str(about.get("network") or ""),
    )


def _completed(attempts: list[Attempt], epochs: int) -> list[Attempt]:
    """The attempts by row and number; what a broken-off run never began stands in as not scored."""
    by_place = {(attempt.row, attempt.number): attempt for attempt in attempts}
    for attempt in attempts:
        for number in range(1, epochs + 1):
            missing = Attempt(
                row=attempt.row,
                github_id=attempt.github_id,
                repository=attempt.repository,
                domain=attempt.domain,
                type=attempt.type,
                number=number,
                path=attempt.path,
                required=attempt.required,
                system=attempt.system,
                prompt=attempt.prompt,
                reference=attempt.reference,
                error="the run ended before this attempt",
            )
            by_place.setdefault((attempt.row, number), missing)
    return [by_place[place] for place in sorted(by_place)]


def _attempt(sample: EvalSample) -> Attempt:
    about = sample.metadata
    texts = {"system": "", "user": sample.input} if isinstance(sample.input, str) else _messages(sample)
    target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    attempt = Attempt(
        row=int(about["row"]),
        github_id=int(about["github_id"]),
        repository=str(about["repository"]),
        domain=str(about["domain"]),
        type=str(about["type"]),
        number=int(about["attempt"] or sample.epoch),
        path=str(about["path"]),
        required={str(name): str(value) for name, value in about["arguments"].items()},
        system=texts["system"],
        prompt=texts["user"],
        reference=target,
        answer=sample.output.completion,
        usage=_usage(_paid(sample)),
        seconds=sample.working_time or 0.0,
        error=sample.error.message if sample.error else "",
    )
    score = (sample.scores or {}).get(JUDGE)
    if sample.error or score is None:
        return replace(attempt, error=attempt.error or "not judged")
    return _judged(attempt, score)


def _messages(sample: EvalSample) -> dict[str, str]:
    texts = {"system": "", "user": ""}
    for message in sample.input:
        assert not isinstance(message, str)  # the caller has seen to it
        if message.role in texts:
            texts[message.role] = "\n\n".join(filter(None, (texts[message.role], message.text)))
    return texts


def _judged(attempt: Attempt, score: Score) -> Attempt:
    about = score.metadata or {}
    verdicts = _VERDICTS.validate_python(about["verdicts"])
    value = _NUMBERS.validate_python(score.value)
    ran = about.get("execution")
    return replace(
        attempt,
        candidate=score.answer or "",
        kind=about["candidate"]["kind"],
        source=about["candidate"]["source"],
        verdicts={verdict.policy: verdict for verdict in verdicts},
        found={m["argument"]: Found(m["state"], m["place"], m["found"]) for m in about["matches"]},
        faults=tuple(Fault(error["class"], error["reason"], error["evidence"]) for error in about["errors"]),
        php=value[PHP],
        semantic=value[SEMANTIC_PHP],
        process=Process(ran["ending"], ran["exit_code"], ran["seconds"], ran["peak_memory"]) if ran else None,
        work=work_of(about.get("agent")),
    )


def _paid(sample: EvalSample) -> list[ModelUsage]:
    """What a sample's replies cost. A reply that an earlier, killed process of the run paid for and kept is in none of
    Inspect's sums; it brings its usage along."""
    counted = [usage for usage in sample.model_usage.values() if usage.input_tokens or usage.output_tokens]
    return counted or [usage for usage in [sample.output.usage] if usage]


def _usage(usages: Iterable[ModelUsage]) -> Usage:
    tokens_in = tokens_out = 0
    costs = []
    for usage in usages:
        tokens_in += usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens_out += usage.output_tokens
        if usage.total_cost is not None:
            costs.append(usage.total_cost)
    return Usage(tokens_in, tokens_out, sum(costs) if costs else None)


def _between(log: EvalLog) -> float:
    """Wall seconds from start to end; 0 where the log does not say."""
    try:
        start = datetime.fromisoformat(str(log.stats.started_at))
        return (datetime.fromisoformat(str(log.stats.completed_at)) - start).total_seconds()
    except ValueError:
        return 0.0


def types_of(run: Run) -> list[str]:
    """The kinds of answer in a run, scripts first."""
    found = {attempt.type for attempt in run.attempts}
    return [known for known in (SHELL_TYPE, PYTHON_TYPE) if known in found] + sorted(found - {SHELL_TYPE, PYTHON_TYPE})
