"""The candidates that must fail: each file is one answer, judged as any other is, by the real scorer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval

from mlbench.eval_runs import SAMPLE_RETRIES
from mlbench.evals.ml_llm_bench.verify_task import verify
from mlbench.prompts.messages import fenced
from mlbench.records import Policy, Sample
from mlbench.results.load_log import AttemptRecord, read_run
from mlbench.suites.suite import sample_of

FOLDER = Path(__file__).parent / "candidates"
ROWS = {"script_": 242, "slow_": 39, "train_": 21}
ROW_OF_KIND = {".sh": 5, ".py": 201}
"""Which row of pocket's `full` a file answers, by how its name begins; else by its ending."""
SECONDS = 4.0
"""Wall time of one candidate: the slowest of the references needs half a second."""


@dataclass(frozen=True)
class Attack:
    """A file: its name, what it tries (its first line), the text that follows."""

    name: str
    aim: str
    code: str

    @classmethod
    def read(cls, file: Path) -> Attack:
        first, _, code = file.read_text().partition("\n")
        return cls(file.name, first.removeprefix("# "), code)

    @property
    def row(self) -> int:
        named = (row for start, row in ROWS.items() if self.name.startswith(start))
        return next(named, ROW_OF_KIND[Path(self.name).suffix])


def attacks(folder: Path = FOLDER) -> list[Attack]:
    return [Attack.read(file) for file in sorted(folder.iterdir()) if file.suffix in (".sh", ".py")]


def judged(chosen: Iterable[Attack], folder: Path) -> tuple[dict[Attack, AttemptRecord], dict[int, AttemptRecord]]:
    """What the scorer says: of each attack, and of the reference of each row that was attacked.

    Args:
        folder: where the answers and the log of the run are written.
    """
    by_row: dict[int, list[Attack]] = {}
    for attack in chosen:
        by_row.setdefault(attack.row, []).append(attack)
    outputs = folder / "outputs.jsonl"
    outputs.write_text("\n".join(_answers(sample_of("pocket", row), of_row) for row, of_row in by_row.items()))
    task = verify(str(outputs), paper_timeout=SECONDS, limits={"seconds": SECONDS})
    options: dict[str, Any] = {"fail_on_error": False, "retry_on_error": SAMPLE_RETRIES}  # as a run has them
    log = inspect_eval(task, model="mlbench/replay", log_dir=str(folder), display="none", **options)[0]
    found = {(a.row, a.number): a for a in read_run(Path(log.location.removeprefix("file://"))).attempts}
    of_attack = {attack: found[row, n] for row, of_row in by_row.items() for n, attack in enumerate(of_row, start=2)}
    return of_attack, {row: found[row, 1] for row in by_row}


def _answers(sample: Sample, attacks_: Sequence[Attack]) -> str:
    codes = [sample.output, *(attack.code for attack in attacks_)]
    replies = [fenced(code, sample.kind) for code in codes]
    return json.dumps({"id": sample.id, "github_id": sample.github_id, "output": replies})


def policies(attempts: Iterable[AttemptRecord]) -> list[Policy]:
    """The policies that gave a verdict, the weakest first."""
    given = {policy for attempt in attempts for policy in attempt.verdicts}
    return [policy for policy in (Policy.PAPER, Policy.INTERFACE, Policy.STRICT) if policy in given]
