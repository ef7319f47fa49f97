"""Write the results of submissions in the formats of other leaderboards."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

import yaml

from mlbench import evals
from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.results.leaderboard.boards import entries_of
from mlbench.results.leaderboard.check_record import CheckOutcome, read_check
from mlbench.results.leaderboard.every_eval_ever import every_eval_ever
from mlbench.results.leaderboard.exportable import ExportNames, Files, Found, pass_rates, safe_name, two_names
from mlbench.results.leaderboard.submission import read_submissions


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
        ExportFormat.EVERY_EVAL_EVER: every_eval_ever,
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
                    "task_id": safe_name(f"{about.split}_{about.setting}_{entry.policy}_pass_at_{record.k}"),
                },
                "value": round(100 * (record.value or 0.0), 2),
                "date": about.date.isoformat(),
                **({"source": {"url": about.url, "name": about.name}} if about.url else {}),
                "notes": f"re-judged by mlbench {check.mlbench}; the model and the setting are as submitted",
            }
            for entry in entries_of(submission, check)
            if entry.outcome is CheckOutcome.REJUDGED  # the others are claims
            for record in pass_rates(entry)
        ]
        developer, model = two_names(about.model)
        name = safe_name(submission.name)
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
