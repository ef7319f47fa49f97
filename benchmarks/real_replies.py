"""The judge's verdicts against the hand labels of a real model's replies (`tests/cases/real/*.jsonl`).

Each reply was read twice: is it right, and which is its main class of error (docs/reference/errors.md)?
Prints Cohen's kappa of the two readings, how often the judge agrees with the settled labels, and every reply on
which it does not. The labels are not fitted to the judge: a disagreement is a defect of one of the two.

    python -m benchmarks.real_replies
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.record import Figure, record
from mlbench import eval_runs
from mlbench.evals.ml_llm_bench.verify_task import verify
from mlbench.records import Policy
from mlbench.results.load_log import read_run
from mlbench.results.models import AttemptRecord
from mlbench.run_config import RunConfig

CASES = Path(__file__).parents[1] / "tests" / "cases" / "real"
CLASSES = ("E1", "E2", "E3", "E4", "E5", "none")


@dataclass(frozen=True)
class Reading:
    """What a person says of a reply: whether it is right, and its main class of error (`none` if it is right)."""

    right: bool
    error: str


@dataclass(frozen=True)
class Case:
    """A reply and its labels.

    Attributes:
        settled: where the readings differ, after a third look.
        stop_reason: why the model stopped, in Inspect's words.
    """

    row: int
    attempt: int
    reply: str
    stop_reason: str
    settled: Reading
    readings: tuple[Reading, Reading]


def cases(file: Path) -> list[Case]:
    """The labelled replies of a file, in its order."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        first, second = (Reading(**reading) for reading in each["readings"])
        settled = Reading(each["right"], each["error"])
        found.append(
            Case(each["id"], each["attempt"], each["output"][0], each["stop_reason"], settled, (first, second))
        )
    return found


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two readings; None if both say the same one thing of everything: it is 0/0 then."""
    total = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / total
    one, other = Counter(first), Counter(second)
    chance = sum(one[label] * other[label] for label in one) / total**2
    return None if chance == 1 else (observed - chance) / (1 - chance)


def judged(file: Path) -> dict[tuple[int, int], AttemptRecord]:
    """The judge's word on every reply, by row and attempt."""
    with tempfile.TemporaryDirectory() as folder:
        options = RunConfig(log_dir=Path(folder), display="none")
        log = eval_runs.run(verify(str(file)), "mlbench/replay", options)
        found = read_run(log.location.removeprefix("file://"))
        return {(attempt.row, attempt.number): attempt for attempt in found.attempts}


def compare(file: Path) -> list[Figure]:
    """Print where the judge disagrees with the labels of a file; the figures."""
    labelled = cases(file)
    verdicts = judged(file)
    figures = [Figure("replies", len(labelled)), Figure("cut at the token limit", _cut(labelled))]
    figures.append(Figure("right, by hand", sum(case.settled.right for case in labelled)))
    for what in ("right", "error"):
        readings = [[getattr(case.readings[n], what) for case in labelled] for n in (0, 1)]
        same = sum(a == b for a, b in zip(*readings, strict=True))
        figures.append(Figure(f"two readings, {what}: the same", 100 * same / len(labelled), unit="%"))
        agreement = kappa(*readings)
        if agreement is None:
            print(f"two readings, {what}: kappa is not defined, both say {readings[0][0]} of every reply")
        else:
            figures.append(Figure(f"two readings, {what}: kappa", agreement))
    for policy in Policy:
        wrong = []
        for case in labelled:
            verdict = verdicts[case.row, case.attempt].verdict(policy)
            if verdict is not None and verdict.passed != case.settled.right:
                wrong.append(case)
                print(f"row {case.row}, attempt {case.attempt}: by hand {case.settled}; {policy}: {verdict.reason}")
        figures.append(Figure(f"{policy}: agrees with the hand", 100 * (1 - len(wrong) / len(labelled)), unit="%"))
    failed = [case for case in labelled if not case.settled.right]
    missed = []
    for case in failed:
        faults = verdicts[case.row, case.attempt].faults
        if case.settled.error not in {fault.error_class[:2] for fault in faults}:
            missed.append(case)
            said = ", ".join(f"{fault.error_class} ({fault.reason})" for fault in faults) or "nothing"
            print(f"row {case.row}, attempt {case.attempt}: by hand {case.settled.error}; by rule {said}")
    share = 100 * (1 - len(missed) / len(failed)) if failed else 100.0
    figures.append(Figure("main class of error is among the judge's", share, unit="%"))
    return figures


def _cut(labelled: Sequence[Case]) -> int:
    return sum(case.stop_reason == "max_tokens" for case in labelled)


def main() -> bool:
    figures = []
    for file in sorted(CASES.glob("*.jsonl")):
        figures += [Figure(f"{file.stem}: {each.name}", each.value, each.bound, each.unit) for each in compare(file)]
    return record("real_replies", figures)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
