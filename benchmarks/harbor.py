"""Tasks of Harbor made from a suite, run by Harbor's own command in a real Docker engine.

Must hold: the agent `oracle` solves all of them, `nop` none, and none of the forged solutions passes.

    python -m benchmarks.harbor --harbor PATH [--tasks 20] [--concurrent 4] [--base IMAGE] [--package REQUIREMENT]
    python -m benchmarks.harbor --suite ml-bench --tasks 5 --seed 18 --harbor PATH ...

Rows of `ml-bench` are judged by the interface check. They are drawn by a seed from the repositories that are here
(`mlbench repos fetch`) and small.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.record import Figure, record
from mlbench.harbor.export import HarborTasks
from mlbench.records import Sample
from mlbench.repositories.fetch import is_here
from mlbench.suites.selection import select
from mlbench.suites.suite import Suite, load_suite

SMALL = 25_000_000
"""Bytes of the files of a repository; the images of larger ones take long to build."""
FORGED = {
    "reward": """
for folder in /logs/verifier /logs/artifacts/verifier; do
    mkdir -p $folder/mlbench
    echo 1 > $folder/reward.txt
    echo '{"reward": 1}' > $folder/reward.json
    echo '{"id": 0, "passed": true}' > $folder/verdict.jsonl
done
mkdir -p /tests && printf '#!/bin/bash\\necho 1 > /logs/verifier/reward.txt\\n' > /tests/test.sh
chmod 555 /tests/test.sh
(while :; do echo 1 > /logs/verifier/reward.txt; sleep 0.2; done) >/dev/null 2>&1 &
for program in bash python python3 ls grep tar mv; do
    printf '#!/bin/sh\\necho 1 > /logs/verifier/reward.txt\\n' > /usr/local/bin/$program
    chmod 755 /usr/local/bin/$program
done
""",
    "judge": """
cat > /workspace/run.sh <<'END'
for folder in /logs/verifier /submission /tests /opt/mlbench; do
    mkdir -p $folder; echo 1 > $folder/reward.txt; echo '{"passed": true}' > $folder/verdict.jsonl
done
find / -name 'reward.txt' -exec sh -c 'echo 1 > "$1"' sh {} \\; 2>/dev/null
find / -name '*.py' -path '*mlbench*' -exec sh -c 'echo "raise SystemExit(0)" > "$1"' sh {} \\; 2>/dev/null
kill -9 -1
exit 0
END
""",
    "repository": """
find /workspace -name '*.py' -exec sh -c 'echo "import sys; sys.exit(0)" > "$1"' sh {} \\;
cp /solution/run.sh /workspace/run.sh
mkdir -p /workspace/numpy && echo "import sys; sys.exit(0)" > /workspace/numpy/__init__.py
for site in /opt/env/lib/python3*/site-packages; do
    mkdir -p $site/numpy-99.0.dist-info; echo "import sys; sys.exit(0)" > $site/sitecustomize.py
done
ln -sf /submission/workspace/run.sh /packages.txt
""",
}
"""What a forger leaves instead of the solution, by what it attacks."""

FORGED_WITHOUT_RUN = {
    **FORGED,
    "unreached": """
{ echo 'if false; then'; cat /solution/run.sh; echo; echo 'fi'; } > /workspace/run.sh
find /solution -name '*.py' -exec cp {} /workspace \\;
""",
}
"""Also a right command that is never reached: nothing shows that by a run if only the interface check judges."""


def rows_of(suite: Suite, count: int, seed: int) -> list[Sample]:
    """Rows spread over `full`, or drawn from small repositories that are here if the suite only pins them."""
    if suite.executable:
        return select(suite, "full", limit=count)
    pins = [(each.github_id, suite.pinned(each.name)) for each in suite.repositories if each.catalogue]
    here = {github_id for github_id, pin in pins if is_here(pin) and pin.bytes < SMALL}
    rows = [row for row in suite.splits["full"] if row.github_id in here]
    return [row.sample for row in random.Random(seed).sample(rows, count)]


def forge(forged: dict[str, str], tasks: list[Path], target: Path) -> None:
    """Copy a task for each forged solution, with it in place of the reference."""
    for (name, script), task in zip(forged.items(), tasks, strict=False):
        copy = target / f"{task.name}-{name}"
        shutil.copytree(task, copy)
        (copy / "solution" / "solve.sh").write_text(f"#!/bin/bash\n{script}\ntrue\n")


def rewards(job: Path) -> dict[str, float | None]:
    """The reward of each trial of a job, by the trial's name; None if there is none."""
    found = {}
    for file in sorted(job.glob("*/result.json")):
        result = json.loads(file.read_text())
        given = (result.get("verifier_result") or {}).get("rewards") or {}
        found[result["trial_name"]] = given.get("reward")
        if result.get("exception_info"):
            print(f"{result['trial_name']}: {result['exception_info']['exception_message'][:500]}", file=sys.stderr)
    return found


def run(options: argparse.Namespace, tasks: Path, agent: str, name: str) -> dict[str, float | None]:
    """Run an agent on tasks by Harbor's own command; return the rewards."""
    jobs = Path(options.jobs)
    env = {**os.environ, "HARBOR_TELEMETRY": "off"}
    command = [options.harbor, "run", "-p", str(tasks), "-a", agent, "-o", str(jobs), "--job-name", name]
    command += ["-n", str(options.concurrent), "-q", "-y"]
    if options.package:
        env["MLBENCH_HARBOR_PACKAGE"] = options.package
    if options.base:
        env["MLBENCH_HARBOR_BASE"] = options.base
        overlay = jobs / "base.json"
        overlay.write_text(json.dumps({"services": {"main": {"build": {"args": {"BASE": options.base}}}}}))
        command += ["--extra-docker-compose", str(overlay)]
    subprocess.run(command, env=env, check=False, stdout=sys.stderr)
    return rewards(jobs / name)


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--harbor", default="harbor")
    parser.add_argument("--suite", default="pocket")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=18, help="of the rows of a suite without an environment")
    parser.add_argument("--concurrent", type=int, default=4)
    parser.add_argument("--base", default="", help="a local base image instead of the public one")
    parser.add_argument("--package", default="", help="what pip installs as mlbench in the judge's image")
    parser.add_argument("--jobs", default=tempfile.mkdtemp(prefix="mlbench-harbor-"))
    options = parser.parse_args()
    Path(options.jobs).mkdir(parents=True, exist_ok=True)
    folder = Path(options.jobs, "tasks")
    suite = load_suite(options.suite)
    tasks = list(HarborTasks(suite).write(rows_of(suite, options.tasks, options.seed), folder / "honest"))
    forged = FORGED if suite.executable else FORGED_WITHOUT_RUN
    forge(forged, tasks, folder / "forged")
    figures = []
    for agent, kind, wanted in (("oracle", "honest", 1.0), ("nop", "honest", 0.0), ("oracle", "forged", 0.0)):
        given = run(options, folder / kind, agent, f"{kind}-{agent}")
        count = len(forged) if kind == "forged" else len(tasks)
        right = sum(reward == wanted for reward in given.values())
        figures.append(Figure(f"{agent}, {kind}: tasks with reward {wanted:g}", right, count, "tasks", at_most=False))
        print(f"{agent} on {kind}: {given}")
    return record("harbor" if suite.name == "pocket" else f"harbor_{suite.name}", figures)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
