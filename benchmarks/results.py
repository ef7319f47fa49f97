"""Processor time of `mlbench results` and of the report for ten runs of 1,300 attempts, and the page in Chromium.

The logs are written by the tests' log factory, with the rows of the suite pocket. Processor time is measured in a fresh
process, since the machine may be loaded: imports, reading, counting and writing are in it.
"""

from __future__ import annotations

import importlib
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.record import Figure, record
from mlbench.suites.suite import load_split, load_suite

RUNS, EACH, ROUNDS = 10, 5, 3  # rounds of the browser; processor time hardly varies
SETTINGS = ("oracle", "readme", "retrieval", "code")
ROOT = Path(__file__).parent.parent
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"


def write_logs(folder: Path) -> list[Path]:
    """Write ten logs of the split `full`, five attempts a row; attempts pass at random, with a fixed seed."""
    sys.path.insert(0, str(ROOT))
    factory = importlib.import_module("tests.results.log_factory")
    suite, rows = load_suite("pocket"), load_split("pocket", "full")
    logs = []
    for run in range(RUNS):
        draw = random.Random(run)
        samples = []
        for row in rows:
            repository = suite.repository_of(row.github_id)
            for epoch in range(1, EACH + 1):
                answer = f"```bash\n{row.output}\n# attempt {epoch} of run {run}\n```"
                made = factory.sample(row.id, epoch, draw.random() < 0.3 + run / 30, answer=answer)
                made.metadata |= {
                    "github_id": row.github_id,
                    "repository": repository.name,
                    "domain": repository.domain,
                    "type": row.type,
                    "path": row.path,
                    "arguments": row.required(),
                }
                made.input[-1].content = f"<document>\n{row.oracle}\n</document>\n{row.instruction}"
                samples.append(made)
        about = {"suite": "pocket", "suite_version": 1, "split": "full", "setting": SETTINGS[run % len(SETTINGS)]}
        spec = {"model": f"provider/model-{run // len(SETTINGS)}"}
        name = f"run-{run}"
        logs.append(
            factory.write_log(folder / f"{name}.eval", samples, epochs=EACH, metadata=about, task_id=name, spec=spec)
        )
    return logs


def processor_seconds(words: Sequence[str]) -> float:
    """User and system time of a command, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "mlbench", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def opened(page: Path) -> list[tuple[float, float]]:
    """Processor seconds of the page's thread until it is drawn, and for rows x runs; empty without Chromium."""
    headless = importlib.import_module("tests.results.headless")
    if headless.chromium() is None:
        print("there is no Chromium (Debian: apt-get install chromium)", file=sys.stderr)
        return []
    found = []
    for _ in range(ROUNDS):
        browser = headless.Browser()
        try:
            browser.call("Performance.enable", timeDomain="threadTicks")
            browser.open(page.as_uri())
            browser.run(DRAWN)
            first = task_seconds(browser)
            browser.run("change({ view: 'rows' })")
            browser.run("draw(lines.length)")  # every row, as after scrolling to the end
            browser.run(DRAWN)
            found.append((first, task_seconds(browser) - first))
        finally:
            browser.close()
    return found


def task_seconds(browser: Any) -> float:
    """Processor seconds of the page's thread so far."""
    metrics = {each["name"]: each["value"] for each in browser.call("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def main() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = folder / "logs"
        logs.mkdir()
        write_logs(logs)
        table = processor_seconds(["results", str(logs), "--published"])
        written = processor_seconds(["results", str(logs), "--format", "json", "-o", str(folder / "results.json")])
        report = processor_seconds(["report", str(logs), "-o", str(folder / "page")])
        page = folder / "page" / "report.html"
        drawn = opened(page)
        figures = [
            Figure(f"results of {RUNS} runs of 1,300 attempts, processor time", table, 5.0, "s"),
            Figure("the same as JSON", written, 5.0, "s"),
            Figure("the report of the same runs is written", report, None, "s"),
            Figure("size of the report", page.stat().st_size / 2**20, None, "MiB"),
        ]
        if drawn:
            first, rows = zip(*drawn, strict=True)
            figures.append(Figure("the report opens, processor time, median", median(first), 2.0, "s"))
            figures.append(Figure("its rows x runs, all drawn, processor time, median", median(rows), 2.0, "s"))
        return record("results", figures)


if __name__ == "__main__":
    sys.exit(not main())
