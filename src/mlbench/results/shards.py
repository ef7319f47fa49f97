"""Merge the shards of one run into one run; refuse what does not belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations, pairwise

from inspect_ai.log import EvalLog

from mlbench.records import UsageError
from mlbench.results.format import printable
from mlbench.results.models import RunRecord, RunShard
from mlbench.results.run_labels import log_name
from mlbench.results.usage import total_usage
from mlbench.same_facts import OF_ENDPOINT, OF_MACHINE, SECRETS
from mlbench.suites.shards import SHARD

_OWN = OF_MACHINE | {"shard", "run", "folders", "rows"}
"""Arguments of a task that differ between the shards of one run, or do not matter."""
_OF_SERVICE = OF_ENDPOINT | {"cache"}
_LONGEST = 40
"""Characters of a value that a message shows."""


def run_shard(log: EvalLog) -> RunShard | None:
    """Return which shard of its run a log is, and what all shards of that run have in common; None if it is none.

    Raises:
        KeyError, TypeError, ValueError: the log's metadata are not as this package writes them.
    """
    about = log.eval.metadata or {}
    own = about.get(SHARD)
    if own is None:
        return None
    if not isinstance(own, Mapping):
        raise TypeError("shard is no mapping")
    index, of = int(own["index"]), int(own["of"])
    if not 1 <= index <= of:
        raise ValueError(f"shard {index} of {of}")
    return RunShard(index, of, dict(_common(log, str(own["code"]), str(own["input"]))))


def _common(log: EvalLog, code: str, given: str) -> Iterator[tuple[str, str]]:
    """What is the same in all shards of one run, by the words of a message."""
    spec, about = log.eval, log.eval.metadata or {}
    commit = f" (commit {spec.revision.commit})" if spec.revision else ""
    yield "the code of mlbench", code[:12] + commit
    yield "the task", f"{spec.task} {spec.task_version}"
    yield "the suite version", str(about.get("suite_version"))
    yield "the file of answers", given[:12]
    yield "the model", spec.model
    for name, value in sorted(spec.model_args.items()):
        if name not in SECRETS:
            yield f"-M {name}", str(value)
    sampling = {**log.plan.config.model_dump(), **spec.model_generate_config.model_dump(exclude_none=True)}
    for name, value in sorted(sampling.items()):
        if name not in _OF_SERVICE:
            yield name.replace("_", " "), str(value)
    for name, value in sorted(spec.task_args.items()):
        if name not in _OWN:
            yield f"the argument {name}", str(value)
    for name in ("token_limit", "cost_limit", "working_limit"):
        yield name.replace("_", " "), str(getattr(spec.config, name, None))
    for name, version in sorted(spec.packages.items()):
        yield f"the package {name}", version


def merge_shards(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Return the runs, with all shards of one run merged into one.

    Raises:
        UsageError: a shard is missing or is there twice, or shards do not belong to one run; says which.
    """
    merged = [run for run in runs if run.shard is None]
    by_run: dict[tuple[object, ...], list[RunRecord]] = defaultdict(list)
    for run in runs:
        if run.shard is not None:
            by_run[run.shard.of, *sorted(run.shard.common.items())].append(run)
    parts = [sorted(part, key=_index) for part in by_run.values()]
    for part in parts:
        for first, second in pairwise(part):
            if _index(first) == _index(second):
                raise UsageError(
                    f"{log_name(first)} and {log_name(second)} are both shard {first.shard} of one run;"
                    " keep one of them"
                )
    broken = [part for part in parts if len(part) < _of(part)]
    for one, other in combinations(broken, 2):
        if _of(one) == _of(other) and not {*map(_index, one)} & {*map(_index, other)}:
            raise UsageError(_difference(one[0], other[0]))
    if broken:
        raise UsageError(_missing(broken[0]))
    return [*merged, *(_merged(part) for part in parts)]


def _merged(part: Sequence[RunRecord]) -> RunRecord:
    first = min(part, key=lambda run: run.started)
    return replace(
        first,
        task_id=f"{first.task_id} and {len(part) - 1} more",
        status=next((run.status for run in part if run.status != "success"), "success"),
        error=next((run.error for run in part if run.error), ""),
        expected=sum(run.expected for run in part),
        each=max(run.each for run in part),
        attempts=tuple(
            sorted((a for run in part for a in run.attempts), key=lambda attempt: (attempt.row, attempt.number))
        ),
        experiments=tuple(each for run in part for each in run.experiments),
        usage=total_usage(run.usage for run in part),
        seconds=_span(part),
        shard=None,
        further_logs=tuple(run.location for run in part if run is not first),
        command=first.command.replace(f" --shard {_index(first)}", " --shard I"),
    )


def _span(part: Sequence[RunRecord]) -> float:
    """Wall seconds from the start of the first shard to the end of the last."""
    try:
        starts = [datetime.fromisoformat(run.started).timestamp() for run in part]
    except ValueError:
        return max(run.seconds for run in part)
    return max(start + run.seconds for start, run in zip(starts, part, strict=True)) - min(starts)


def _difference(one: RunRecord, other: RunRecord) -> str:
    """What differs between shards that would make one run otherwise."""
    assert one.shard and other.shard
    names = {**one.shard.common, **other.shard.common}
    different = [name for name in names if one.shard.common.get(name) != other.shard.common.get(name)]
    what = different[0]
    values = [str(run.shard.common.get(what))[:_LONGEST] for run in (one, other) if run.shard]
    more = f", and {len(different) - 1} more" if len(different) > 1 else ""
    return printable(
        f"{log_name(one)} and {log_name(other)} are not shards of one run: {what} is {values[0]} and {values[1]}{more};"
        " make one of them again"
    )


def _missing(part: Sequence[RunRecord]) -> str:
    there = {_index(run) for run in part}
    gone = [str(index) for index in range(1, _of(part) + 1) if index not in there]
    shown = ", ".join(gone[:10]) + (", …" if len(gone) > 10 else "")
    which = "shard" if len(gone) == 1 else "shards"
    return (
        f"{which} {shown} of {_of(part)} missing beside {log_name(part[0])}; run --shards {_of(part)} --shard {gone[0]}"
    )


def _index(run: RunRecord) -> int:
    assert run.shard
    return run.shard.index


def _of(part: Sequence[RunRecord]) -> int:
    assert part[0].shard
    return part[0].shard.of
