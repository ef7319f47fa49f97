"""Tasks of Harbor made from pocket, run by Harbor's own command in a real Docker engine.

Must hold: the agent `oracle` solves all of them, `nop` none, and none of the forged solutions passes.

    python -m benchmarks.harbor --harbor PATH [--tasks 20] [--concurrent 4] [--base IMAGE] [--package REQUIREMENT]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.record import Figure, record
from mlbench.harbor.export import HarborTasks
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite

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


def forge(tasks: list[Path], target: Path) -> None:
    """Copy a task for each forged solution, with it in place of the reference."""
    for (name, script), task in zip(FORGED.items(), tasks, strict=False):
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
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--concurrent", type=int, default=4)
    parser.add_argument("--base", default="", help="a local base image instead of the public one")
    parser.add_argument("--package", default="", help="what pip installs as mlbench in the judge's image")
    parser.add_argument("--jobs", default=tempfile.mkdtemp(prefix="mlbench-harbor-"))
    options = parser.parse_args()
    Path(options.jobs).mkdir(parents=True, exist_ok=True)
    folder = Path(options.jobs, "tasks")
    suite = load_suite("pocket")
    tasks = list(HarborTasks(suite).write(select(suite, "full", limit=options.tasks), folder / "honest"))
    forge(tasks, folder / "forged")
    figures = []
    for agent, kind, wanted in (("oracle", "honest", 1.0), ("nop", "honest", 0.0), ("oracle", "forged", 0.0)):
        given = run(options, folder / kind, agent, f"{kind}-{agent}")
        count = len(FORGED) if kind == "forged" else len(tasks)
        right = sum(reward == wanted for reward in given.values())
        figures.append(Figure(f"{agent}, {kind}: tasks with reward {wanted:g}", right, count, "tasks", at_most=False))
        print(f"{agent} on {kind}: {given}")
    return record("harbor", figures)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
