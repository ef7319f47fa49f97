"""How long the report of 1,300 attempts takes: to write, to open in headless Chromium, to search, to show an attempt.

The rows are the suite's own, five different answers each, so that answers and evidence are shared by no two attempts.
Bound: 2 s from the start of the navigation until the page is drawn; the worst of five fresh browsers counts.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.record import Figure, record
from mlbench.reasons import ItemKind, Reason
from mlbench.records import ExitKind, Policy, Sample, Stage, Verdict
from mlbench.results.load_log import AttemptRecord, RunRecord, Usage
from mlbench.results.report import write_report
from mlbench.score_records import ScoredArgument, ScoredError, ScoredExecution, ScoredItem, ScoredOutcome
from mlbench.suites.suite import load_split, load_suite

ROUNDS = 5
EACH = 5
FILES, FIGURES = 4, 8  # left behind by an attempt; more than by most
DRIVER = Path(__file__).parent.parent / "tests" / "results"

DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
SEARCH = (
    "new Promise((done) => { const began = performance.now(); change({ q: 'learning rate' });"
    " requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began))); })"
)
SHOW = (
    "new Promise((done) => { const began = performance.now(); open(keyOf(data.attempts.at(-1)));"
    " requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began))); })"
)


def attempt(row: Sample, repository: str, domain: str, number: int) -> AttemptRecord:
    """An answer of its own to a row; every third fails with twelve lines of evidence."""
    passed = (row.id + number) % 3 != 0
    code = f"{row.output}\n# attempt {number} at row {row.id}"
    lines = "\n".join(f'  File "{row.path}/train.py", line {line + number}, in step {row.id}' for line in range(12))
    reason = Reason.EXIT_0 if passed else Reason.EXIT_CODE
    verdicts = {policy: Verdict(policy, passed, Stage.EXECUTION, reason, f"exit 1\n{lines}", 1.0) for policy in Policy}
    fault = ScoredError(
        error_class="E2/choices", reason=Reason.INVALID_CHOICE, evidence="argument --model: invalid choice"
    )
    required = row.required()
    return AttemptRecord(
        row=row.id,
        github_id=row.github_id,
        repository=repository,
        domain=domain,
        type=row.type,
        number=number,
        path=row.path,
        required=required,
        system="You are an expert in machine learning.",
        prompt=f"<document>\n{row.oracle}\n</document>\n<instruction>\n{row.instruction}\n</instruction>",
        reference=row.output,
        answer=f"This is what I would do, for the {number}. time:\n\n```\n{code}\n```\n",
        candidate=code,
        kind=row.kind,
        source="fence",
        verdicts=verdicts,
        matches={
            name: ScoredArgument(argument=name, state="hit" if passed else "wrong", destination=name, found=value)
            for name, value in required.items()
        },
        faults=() if passed else (fault,),
        php=float(passed),
        semantic=float(passed),
        process=ScoredExecution(ending=ExitKind.EXITED, exit_code=int(not passed), seconds=1.0, peak_memory=2**26),
        usage=Usage(1000, 100, 0.001),
        seconds=1.5,
        outcome=left(row.id, number, passed),
    )


def left(row: int, number: int, passed: bool) -> ScoredOutcome:
    """Files and figures of a row; of an attempt that fails, each with a difference of its own."""
    head = (
        '2789 bytes: {"about": {"dataset": "laments", "tunes": 20}, "order": 2, "smoothing": "jelinek", "strength": 0.7'
    )
    files = [
        _item(ItemKind.FILE, f"out/row-{row}/part-{n}.json", f"{head}, {row}", f"{head}, {row * number}", wrong)
        for n in range(FILES)
        for wrong in ["" if passed else f"strength: 0.{row}{number}{n}, expected 0.7"]
    ]
    figures = [
        _item(ItemKind.FIGURE, figure, figure, "printed", "" if passed else f"{figure} is never printed")
        for figure in (f"0.{row}{n}" for n in range(FIGURES))
    ]
    return ScoredOutcome(fault="", items=(*files, *figures), proof=None)


def _item(kind: ItemKind, what: str, expected: str, found: str, difference: str) -> ScoredItem:
    return ScoredItem(kind=kind, what=what, expected=expected, found=found, difference=difference)


def full_run() -> RunRecord:
    """The split `full`, five attempts a row."""
    suite = load_suite("pocket")
    attempts = []
    for row in load_split("pocket", "full"):
        repository = suite.repository_of(row.github_id)
        attempts += [attempt(row, repository.name, repository.domain, number + 1) for number in range(EACH)]
    return RunRecord(
        location="made",
        task_id="made",
        model="provider/model",
        suite="pocket",
        split="full",
        setting="oracle",
        version="1",
        started="2026-01-01T00:00:00",
        status="success",
        expected=len(attempts),
        each=EACH,
        attempts=tuple(attempts),
    )


def main() -> bool:
    sys.path.insert(0, str(DRIVER))
    headless = importlib.import_module("headless")
    if headless.chromium() is None:
        print("there is no Chromium (Debian: apt-get install chromium)", file=sys.stderr)
        return False
    run = full_run()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        page = write_report([run], Path(folder))
        written = time.perf_counter() - began
        size = page.stat().st_size / 2**20
        opened, searched, shown = [], [], []
        for _ in range(ROUNDS):
            browser = headless.Browser()
            try:
                browser.open(page.as_uri())
                opened.append(browser.run(DRAWN) / 1000)
                searched.append(browser.run(SEARCH))
                shown.append(browser.run(SHOW))
            finally:
                browser.close()
    return record(
        "report",
        [
            Figure(f"a report of {len(run.attempts):,} attempts opens, worst of {ROUNDS}", max(opened), 2.0, "s"),
            Figure("opens, median", median(opened), None, "s"),
            Figure("a search through all texts, median", median(searched), None, "ms"),
            Figure("an attempt is shown, median", median(shown), None, "ms"),
            Figure("the page is written", written, None, "s"),
            Figure("size of the page", size, None, "MiB"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
