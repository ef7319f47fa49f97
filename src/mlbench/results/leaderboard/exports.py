"""Write the results of submissions in the formats of other leaderboards."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path

import yaml

from mlbench import __version__, evals
from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.results.leaderboard.boards import BoardEntry, entries_of
from mlbench.results.leaderboard.check_record import CheckOutcome, CheckRecord, read_check
from mlbench.results.leaderboard.submission import PREDICTIONS, BoardSubmission, read_submissions
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord
from mlbench.results.text_pool import JsonValue

SCHEMA_VERSION = "0.3.0"
"""Version of the schema of Every Eval Ever that the files follow."""
_WEIGHTS: dict[bool | None, JsonValue] = {True: "open_weights", False: "closed_weights", None: "unknown"}


class ExportFormat(StrEnum):
    """Formats of other leaderboards."""

    EVERY_EVAL_EVER = "every-eval-ever"
    HUB = "hub"
    INSPECT = "inspect"


_WANTED = {
    ExportFormat.EVERY_EVAL_EVER: "no submission has figures; `mlbench leaderboard check` judges them",
    ExportFormat.HUB: "it takes whole splits that a model answered and `mlbench leaderboard check` confirmed",
    ExportFormat.INSPECT: "there is no submission",
}
"""What a format needs, if nothing could be exported."""


@dataclass(frozen=True)
class ExportNames:
    """What other leaderboards want to know and a submission does not say.

    Attributes:
        dataset: id of the suite's dataset on the Hub.
        repository: address of the repository that holds this package.
        commit: its commit.
    """

    dataset: str = ""
    repository: str = ""
    commit: str = ""


def export(root: Path, form: ExportFormat, folder: Path, names: ExportNames) -> list[Path]:
    """Write the files of one format; return them.

    Args:
        root: the folder of submissions.
        form: the format.
        folder: where the files are written.
        names: what the submissions do not say.

    Raises:
        UsageError: there is no valid submission, or a name is missing.
        RunError: a file cannot be written.
    """
    if form is ExportFormat.HUB and not names.dataset:
        raise UsageError("--format hub: give the id of the suite's dataset on the Hub with --dataset OWNER/NAME")
    if form is ExportFormat.HUB and not re.fullmatch(r"[\w.-]+/[\w.-]+", names.dataset):
        raise UsageError(f"--dataset {names.dataset}: write it as OWNER/NAME")
    if form is ExportFormat.INSPECT and not (names.repository and names.commit):
        raise UsageError("--format inspect: give --repository URL and --commit SHA, which the entry points to")
    if form is ExportFormat.INSPECT and not re.fullmatch(r"https?://[^/\s]+/\S+", names.repository):
        raise UsageError(f"--repository {names.repository}: give an address that begins with http:// or https://")
    submissions, _ = read_submissions(root)
    found = [(each, read_check(root, each)) for each in submissions]
    files = {
        ExportFormat.EVERY_EVAL_EVER: _every_eval_ever,
        ExportFormat.HUB: _hub,
        ExportFormat.INSPECT: _inspect,
    }[form](found, names)
    written = []
    try:
        for path, content in files:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            written.append(write_file(target, content))
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}; name another folder with -o") from error
    if not written:
        raise UsageError(f"{root}: nothing to export as {form}: {_WANTED[form]}")
    return written


Found = list[tuple[BoardSubmission, CheckRecord | None]]
Files = Iterator[tuple[str, str]]


def _every_eval_ever(found: Found, names: ExportNames) -> Files:
    """One file for each submission: data/mlbench/DEVELOPER/MODEL/ID.json."""
    for submission, check in found:
        about = submission.metadata
        entries = entries_of(submission, check)
        results = [_result(entry, record) for entry in entries for record in _exported(entry)]
        if not results:
            continue
        day = check.date if check else about.date
        developer, model = _two_names(about.model or about.agent or about.name)
        key = uuid.uuid5(uuid.NAMESPACE_URL, f"{submission.name} {submission.digests[PREDICTIONS]}")
        content: JsonValue = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"mlbench-{about.suite}/{developer}_{model}/{_epoch(day)}",
            "evaluation_timestamp": _epoch(about.date),
            "retrieved_timestamp": _epoch(day),
            "source_metadata": {
                "source_name": "mlbench",
                "source_type": "evaluation_run",
                "source_organization_name": about.organisation or "unknown",
                "evaluator_relationship": "other",
                "additional_details": {
                    "submission": submission.name,
                    "predictions": submission.digests[PREDICTIONS],
                    "figures": (check.outcome if check else CheckOutcome.NOT_JUDGED).value,
                },
            },
            "eval_library": {"name": "mlbench", "version": check.mlbench if check else __version__},
            "model_info": {
                "name": about.name,
                "id": about.model or about.agent or about.name,
                "developer": developer,
                "additional_details": {
                    "deployment_type": "unknown",
                    "model_availability": _WEIGHTS[about.open_weights],
                    **({"agent": about.agent} if about.agent else {}),
                },
            },
            "evaluation_results": results,
        }
        yield f"data/mlbench/{developer}/{model}/{key}.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _result(entry: BoardEntry, record: ResultRecord) -> JsonValue:
    about = entry.metadata
    score: dict[str, JsonValue] = {"score": record.value}
    if record.low is not None and record.high is not None:
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": record.low,
                "upper": record.high,
                "confidence_level": 0.95,
                "method": record.interval.value,
            },
            "num_samples": record.n,
        }
    return {
        "evaluation_result_id": f"{about.suite}/{about.split}/{about.setting}/{entry.policy}/pass@{record.k}",
        "evaluation_name": f"{about.suite} {about.split}, {about.setting}, {entry.policy}",
        "source_data": {
            "dataset_name": about.suite,
            "source_type": "other",
            "additional_details": {
                "version": about.suite_version,
                "split": about.split,
                "rows": "all" if about.rows is None else ", ".join(map(str, about.rows)),
            },
        },
        "metric_config": {
            "evaluation_description": "Share of the rows that one of k answers solves, unbiased.",
            "metric_id": f"pass_at_{record.k}",
            "metric_name": f"pass@{record.k}",
            "metric_kind": "pass_rate",
            "metric_unit": "proportion",
            "metric_parameters": {"k": record.k},
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "additional_details": {"policy": entry.policy.value, "figures": entry.outcome.value},
        },
        "score_details": score,
    }


def _hub(found: Found, names: ExportNames) -> Files:
    """One file for each re-judged whole split that a model answered: MODEL/.eval_results/NAME.yaml."""
    for submission, check in found:
        about = submission.metadata
        if check is None or check.outcome is not CheckOutcome.REJUDGED or about.rows is not None or not about.model:
            continue
        results = [
            {
                "dataset": {
                    "id": names.dataset,
                    "task_id": _safe(f"{about.split}_{about.setting}_{entry.policy}_pass_at_{record.k}"),
                },
                "value": round(100 * (record.value or 0.0), 2),
                "date": about.date.isoformat(),
                **({"source": {"url": about.url, "name": about.name}} if about.url else {}),
                "notes": f"re-judged by mlbench {check.mlbench}; the model and the setting are as submitted",
            }
            for entry in entries_of(submission, check)
            if entry.outcome is CheckOutcome.REJUDGED  # the others are claims
            for record in _exported(entry)
        ]
        developer, model = _two_names(about.model)
        name = _safe(submission.name)
        yield f"{developer}/{model}/.eval_results/{name}.yaml", yaml.safe_dump(results, sort_keys=False)


def _inspect(found: Found, names: ExportNames) -> Files:
    """The entries of inspect_evals' register: each benchmark's task, and where its code is.

    An entry has one task. The fields `group` and `version` are only for evaluations inside of inspect_evals.
    """
    benches = {"ml_agent_bench" if submission.metadata.agent else "ml_llm_bench" for submission, _ in found}
    for bench in sorted(benches):
        entry = yaml.safe_load((Path(evals.__file__).parent / bench / "eval.yaml").read_text(encoding="utf-8"))
        register = {
            "full_title": entry["title"],
            "common_title": entry["title"].partition(":")[0],
            "description": " ".join(entry["description"].split()),
            "arxiv": entry["arxiv"],
            "contributors": entry["contributors"],
            "tasks": [{**entry["tasks"][0], "task_path": f"src/mlbench/evals/{bench}/task.py"}],
            **({"tags": entry["tags"]} if "tags" in entry else {}),
            "metadata": entry["metadata"],
            "source": {"repository_url": names.repository, "repository_commit": names.commit},
        }
        yield f"register/{bench}/eval.yaml", yaml.safe_dump(register, sort_keys=False, allow_unicode=True, width=1000)


def _exported(entry: BoardEntry) -> list[ResultRecord]:
    """The unbiased pass@k of all rows, with a value."""
    return [
        record
        for record in entry.records
        if record.policy is entry.policy
        and (record.metric, record.estimator) == (Metric.PASS_AT_K, Estimator.UNBIASED)
        and record.group_kind is GroupKind.ALL
        and record.value is not None
    ]


def _two_names(model: str) -> tuple[str, str]:
    """Developer and model as safe folder names: the last two words between slashes."""
    *before, name = model.split("/")
    return _safe(before[-1] if before else "unknown"), _safe(name)


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:100] or "unnamed"


def _epoch(day: date) -> str:
    """Unix time of a day's beginning, as text."""
    return str(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))
