"""The judge on its own references: `full` x 5 with 1, 2 and 8 workers.

Must hold: `mlbench/gold` passes 100 % under `strict` in all three runs; under `paper` every row that the published rule
can pass at all; verdicts are the same for any number of workers; 2 cores are used (at least 1.7 times faster than one
candidate after the other). `mlbench/nothing` passes 0 %; `mlbench/copycat` stands between.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.record import Figure, record
from mlbench.judging.policy import has_script_marker
from mlbench.records import Policy
from mlbench.results.load_log import RunRecord, read_run
from mlbench.suites.suite import load_split, sample_of

EPOCHS = int(os.environ.get("MLBENCH_BENCH_EPOCHS", "5"))
"""Attempts a row. Fewer make it quicker; what was measured stands in the results."""

CODE = """
import sys
from inspect_ai import eval
from mlbench.evals.ml_llm_bench.task import llm_bench
model, k, workers, folder = sys.argv[1:]
task = llm_bench(k=int(k), workers=int(workers), cache=False)
print(eval(task, model=model, log_dir=folder, display="none", max_samples=32)[0].location)
"""


def run(model: str, k: int, workers: int, folder: str) -> RunRecord:
    """One evaluation in a process of its own."""
    arguments = [sys.executable, "-c", CODE, model, str(k), str(workers), folder]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    return read_run(Path(done.stdout.split()[-1].removeprefix("file://")))


def verdicts(run: RunRecord) -> dict[tuple[int, int, str], tuple[bool, str, str]]:
    """By row, attempt and policy: passed, stage, reason."""
    return {
        (attempt.row, attempt.number, verdict.policy): (verdict.passed, verdict.stage, verdict.reason)
        for attempt in run.attempts
        for verdict in attempt.verdicts.values()
    }


def share(run: RunRecord, policy: Policy) -> float:
    """Share of the scored attempts that passed, in per cent."""
    found = [passed for (_, _, name), (passed, _, _) in verdicts(run).items() if name == policy]
    return 100 * sum(found) / len(found)


def main() -> bool:
    answers = EPOCHS * len(load_split("pocket", "full"))
    expected = len(Policy) * answers
    with tempfile.TemporaryDirectory() as folder:
        gold = {workers: run("mlbench/gold", EPOCHS, workers, folder) for workers in (1, 2, 8)}
        nothing = run("mlbench/nothing", 1, 2, folder)
        copycat = run("mlbench/copycat", 1, 2, folder)
    found = {workers: verdicts(each) for workers, each in gold.items()}
    differing = sum(found[1][key] != found[n].get(key) for n in (2, 8) for key in found[1])
    unscored = sum(abs(expected - len(each)) for each in found.values())
    unmet = {row for (row, _, policy), (passed, _, _) in found[2].items() if policy == Policy.PAPER and not passed}
    unmeetable = {
        row.id for row in load_split("pocket", "full") if has_script_marker(row.output) != (row.kind == "shell")
    }
    print("rows that the published rule cannot pass (no `.py ` or `.sh ` in a script):")
    for row in sorted(unmeetable):
        print(f"  {row}  {sample_of('pocket', row).github}  {sample_of('pocket', row).output.splitlines()[-1][:80]}")
    wall = {workers: each.seconds for workers, each in gold.items()}
    return record(
        "judging",
        [
            *(
                Figure(f"gold passes strict, {n} workers", share(each, Policy.STRICT), 100, "%", at_most=False)
                for n, each in gold.items()
            ),
            Figure("gold rows that paper fails though it could pass", len(unmet - unmeetable), 0, "rows"),
            Figure("rows that paper cannot pass", len(unmeetable), None, "rows"),
            Figure("gold passes paper", share(gold[2], Policy.PAPER), None, "%"),
            Figure("nothing passes strict", share(nothing, Policy.STRICT), 0, "%"),
            Figure("nothing passes paper", share(nothing, Policy.PAPER), 0, "%"),
            Figure("copycat passes strict", share(copycat, Policy.STRICT), 99, "%"),
            Figure("copycat passes paper", share(copycat, Policy.PAPER), None, "%"),
            Figure("verdicts that differ between 1, 2 and 8 workers", differing, 0, "verdicts"),
            Figure("verdicts too few or too many", unscored, 0, "verdicts"),
            Figure("2 workers over one after the other", wall[1] / wall[2], 1.7, "times faster", at_most=False),
            Figure("attempts a row", EPOCHS, None, "attempts"),
            Figure("a gold answer judged, one after the other", wall[1] / answers * 1000, None, "ms"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
