"""Read a run and its attempts from an Inspect log, through Inspect's public interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.scorer import Score
from pydantic import ValidationError

from mlbench.prompts.messages import PERSON_SECONDS
from mlbench.reasons import Reason
from mlbench.records import TwinKind, UsageError
from mlbench.results.mlagentbench.load_log import read_experiments
from mlbench.results.mlagentbench.models import Experiment
from mlbench.results.models import AttemptRecord, RunRecord, RunTwins
from mlbench.results.read_samples import read_log, read_log_with_events
from mlbench.results.run_command import command_of, made_with
from mlbench.results.shards import run_shard
from mlbench.results.usage import Usage, paid, usage_of
from mlbench.score_records import PHP, SEMANTIC_PHP, SampleMetadata, ScoreRecord
from mlbench.suites.answered_by import AnsweredBy

__all__ = ["AttemptRecord", "RunRecord", "Usage", "read_run"]

JUDGE = "judge"
"""Name of the score in a sample."""


def read_run(path: str | Path, suite: str | None = None) -> RunRecord:
    """Read one log (`.eval` or `.json`).

    Args:
        path: the log.
        suite: the suite that it must be of; None accepts any.

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
    verb = _verb(about)
    if log.status == "started":
        raise UsageError(f"{path}: the run is not finished; finish it with `mlbench {verb} --resume`, then ask again")
    if not log.samples:
        raise UsageError(f"{path}: the log holds no samples (status {log.status}); run mlbench {verb} again")
    try:
        if about.get("experiment"):
            return _run(log, str(path), (), read_experiments(log.samples, str(path)))
        return _run(log, str(path), [_attempt(sample) for sample in log.samples], ())
    except (KeyError, TypeError, ValueError) as error:
        version = f"version {log.eval.task_version} of {log.eval.task.rpartition('/')[2]}"
        raise UsageError(
            f"{path}: its samples are not as this mlbench writes them ({version}; {_what(error):.120});"
            f" run mlbench {verb} again"
        ) from error


def _what(error: Exception) -> str:
    """Which part of a score could not be read, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    return " ".join(repr(error).split())


def _verb(about: Mapping[str, object]) -> str:
    """The command that writes such logs."""
    return "experiment" if about.get("experiment") else "agent" if about.get("agent") else "eval"


def _asks_often(about: Mapping[str, object]) -> bool:
    """Whether an attempt has several model calls.

    The events then hold the usage before a resume.

    Reading the events takes as long as reading all the rest.
    """
    return bool(about.get("agent")) or str(about.get("setting")).startswith("ml_agent")


def _read(path: str | Path) -> EvalLog:
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such log; logs end in .eval or .json, by default in the folder logs/")
    try:
        about = read_eval_log(str(path), header_only=True).eval.metadata or {}
        return read_log_with_events(Path(path)) if _asks_often(about) else read_log(Path(path))
    except Exception as error:  # a broken archive shows itself in many ways
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(
            f"{path}: not an Inspect log, or a half-written one ({first:.120}); run mlbench eval again"
        ) from error


def _run(
    log: EvalLog, location: str, attempts: Sequence[AttemptRecord], experiments: tuple[Experiment, ...]
) -> RunRecord:
    about, epochs = log.eval.metadata or {}, log.eval.config.epochs or 1
    maker = AnsweredBy.model_validate(about["answered_by"]) if about.get("answered_by") else None
    numbered = Counter[int | str]([a.row for a in attempts] + [each.problem.name for each in experiments])
    return RunRecord(
        location=location,
        task_id=log.eval.task_id,
        model=maker.label if maker else log.eval.model,
        suite=about["suite"],
        split=str(about.get("split") or ""),
        setting=str(about.get("setting") or ""),
        version=f"{log.eval.task_version}, suite version {about.get('suite_version', '?')}",
        started=str(log.eval.created),
        status=log.status,
        expected=max(
            len(log.eval.dataset.sample_ids or ()) * epochs,
            len(attempts),
            len(experiments),
            int(about.get("rows_of_session") or 0) * max(1, *numbered.values()),
        ),
        each=max(epochs, *numbered.values()),
        attempts=tuple(_completed(attempts, epochs)),
        usage=usage_of(usage for sample in log.samples or () for usage in paid(sample)),
        seconds=_active(log) or _between(log),
        error=log.error.message if log.error else "",
        agent=str(about.get("agent") or ""),
        sandbox=str(about.get("sandbox") or ""),
        network=str(about.get("network") or ""),
        data=str(about.get("data") or ""),
        helper=str(about.get("helper") or ""),
        experiments=experiments,
        max_tokens=log.eval.model_generate_config.max_tokens or log.plan.config.max_tokens,
        draft=str(about.get("draft") or ""),
        twins=_twins(about.get("twins")),
        suite_given=str((log.eval.task_args or {}).get("suite") or ""),
        suite_version=str(about.get("suite_version") or ""),
        command=command_of(log),
        made_with=made_with(log),
        answered_by=maker,
        shard=run_shard(log),
    )


def _twins(about: object) -> RunTwins | None:
    """What the run's metadata says about twins (`Suite.log_metadata`).

    Raises:
        KeyError, TypeError, ValueError: it says something else.
    """
    if about is None:
        return None
    if not isinstance(about, Mapping):
        raise TypeError("twins is no mapping")
    return RunTwins(TwinKind(about["kind"]), int(about["seed"]), **about["of"])


def _completed(attempts: Sequence[AttemptRecord], epochs: int) -> list[AttemptRecord]:
    """The attempts by row and number.

    Attempts that an interrupted run never began count as not scored.
    """
    by_key = {(attempt.row, attempt.number): attempt for attempt in attempts}
    for attempt in attempts:
        for number in range(1, epochs + 1):
            if (attempt.row, number) in by_key:
                continue
            missing = AttemptRecord(
                row=attempt.row,
                github_id=attempt.github_id,
                repository=attempt.repository,
                domain=attempt.domain,
                type=attempt.type,
                completeness=attempt.completeness,
                number=number,
                path=attempt.path,
                required=attempt.required,
                system=attempt.system,
                prompt=attempt.prompt,
                reference=attempt.reference,
                twin_of=attempt.twin_of,
                renamed=attempt.renamed,
                error="the run ended before this attempt",
            )
            by_key[attempt.row, number] = missing
    return [by_key[key] for key in sorted(by_key)]


def _attempt(sample: EvalSample) -> AttemptRecord:
    about = SampleMetadata.model_validate(sample.metadata)
    texts = {"system": "", "user": sample.input} if isinstance(sample.input, str) else _messages(sample)
    target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    person = _of_person(sample)
    attempt = AttemptRecord(
        row=about.row,
        github_id=about.github_id,
        repository=about.repository,
        domain=about.domain,
        type=about.type,
        number=about.attempt or sample.epoch,
        path=about.path,
        required=about.arguments,
        completeness=about.completeness,
        system=texts["system"],
        prompt=texts["user"],
        reference=target,
        answer=sample.output.completion,
        usage=usage_of(paid(sample)),
        seconds=(sample.working_time or 0.0) if person is None else person,
        error=sample.error.message if sample.error else "",
        twin_of=about.twin_of,
        renamed=about.renamed,
        chosen=str(((sample.output.metadata or {}).get("ml_agent") or {}).get("repository") or ""),
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


def _judged(attempt: AttemptRecord, score: Score) -> AttemptRecord:
    """Add what the score record says.

    Raises:
        KeyError, TypeError, ValueError: it is not a score record of this package.
    """
    record = ScoreRecord.of_parts(
        {"value": score.value, "answer": score.answer, "explanation": score.explanation, "metadata": score.metadata}
    )
    unscored = next((verdict for verdict in record.verdicts if verdict.unscored), None)
    return replace(
        attempt,
        error=unscored.evidence if unscored else "",
        reference_fails=unscored is not None and unscored.reason == Reason.UNDECIDED_REFERENCE,
        not_run=unscored is not None and unscored.reason == Reason.NOT_RUN,
        candidate=record.answer,
        kind=record.candidate.kind,
        source=record.candidate.source,
        verdicts={verdict.policy: verdict for verdict in record.verdicts if not verdict.unscored},
        matches={match.argument: match for match in record.matches},
        faults=record.errors,
        php=record.value[PHP],
        semantic=record.value[SEMANTIC_PHP],
        process=record.execution,
        work=record.agent,
        outcome=record.outcome,
        stop_reason=record.stop_reason,
        decided_by=record.decided_by,
    )


def _of_person(sample: EvalSample) -> float | None:
    """The active seconds that a person took for an answer; None if no person gave it."""
    seconds = (sample.output.metadata or {}).get(PERSON_SECONDS)
    return float(seconds) if isinstance(seconds, int | float) else None


def _active(log: EvalLog) -> float:
    """The active seconds of a person in a whole run; 0 if no person answered."""
    return sum(_of_person(sample) or 0.0 for sample in log.samples or ())


def _between(log: EvalLog) -> float:
    """Wall seconds from start to end; 0 if the log does not say."""
    try:
        start = datetime.fromisoformat(str(log.stats.started_at))
        return (datetime.fromisoformat(str(log.stats.completed_at)) - start).total_seconds()
    except ValueError:
        return 0.0
