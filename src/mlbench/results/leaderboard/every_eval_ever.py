"""Write the results of submissions in the format of Every Eval Ever: one JSON file for each submission."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, date, datetime

from mlbench import __version__
from mlbench.results.leaderboard.boards import BoardEntry, entries_of
from mlbench.results.leaderboard.check_record import CheckOutcome
from mlbench.results.leaderboard.exportable import ExportNames, Files, Found, pass_rates, two_names
from mlbench.results.leaderboard.submission import PREDICTIONS
from mlbench.results.result_records import ResultRecord
from mlbench.results.text_pool import JsonValue

SCHEMA_VERSION = "0.3.0"
"""Version of the schema of Every Eval Ever that the files follow."""

_WEIGHTS: dict[bool | None, JsonValue] = {True: "open_weights", False: "closed_weights", None: "unknown"}


def every_eval_ever(found: Found, names: ExportNames) -> Files:
    """One file for each submission: data/mlbench/DEVELOPER/MODEL/ID.json."""
    for submission, check in found:
        about = submission.metadata
        entries = entries_of(submission, check)
        results = [_result(entry, record) for entry in entries for record in pass_rates(entry)]
        if not results:
            continue
        day = check.date if check else about.date
        developer, model = two_names(about.model or about.agent or about.name)
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


def _epoch(day: date) -> str:
    """Unix time of a day's beginning, as text."""
    return str(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))
