"""Run every verb of an installed mlbench once, in an empty folder; any traceback or missing module is a failure.

    VENV/bin/python try_verbs.py

Uses nothing but the standard library and mlbench itself, so that a package which mlbench forgets to declare is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite

BIN = Path(sys.executable).parent
SECONDS = 300
HELPS = """
import typer
from mlbench.cli import app

def below(command, words):
    yield words
    for name, each in getattr(command, "commands", {}).items():
        yield from below(each, [*words, name])

command = typer.main.get_command(app)
for words in below(command, []):
    try:
        command([*words, "--help"], prog_name="mlbench")
    except SystemExit as ended:
        assert ended.code == 0, words
"""
"""Prints the help of every command and subcommand, in one process instead of sixty."""
BROKEN = ("Traceback", "ModuleNotFoundError", "ImportError", "unforeseen", "No module named")


def calls(folder: Path) -> Iterator[tuple[list[str], set[int]]]:
    """Command lines in their smallest offline form, with the exit codes that are right."""
    mlbench = str(BIN / "mlbench")
    yield [mlbench, "--help"], {0}
    (folder / "every_help.py").write_text(HELPS)
    yield [sys.executable, "every_help.py"], {0}
    row = select(load_suite("pocket"), "quarter", limit=1)[0]
    reply = {"id": row.id, "github_id": row.github_id, "output": [f"```bash\n{row.output}\n```"]}
    (folder / "outputs.jsonl").write_text(json.dumps(reply) + "\n")
    quiet = ["--display", "plain"]
    gold = ["--model", "mlbench/gold"]
    yield [mlbench, "eval", "pocket", *gold, "--limit", "1", *quiet], {0}
    yield [mlbench, "agent", "pocket", "--agent", "nothing", "--network", "none", "--limit", "1", *quiet], {0}
    yield [mlbench, "experiment", "vectorization", "--agent", "trivial", *quiet], {0}
    yield [str(BIN / "inspect"), "eval", "mlbench/llm_bench", *gold, "-T", "limit=1", *quiet], {0}
    yield [mlbench, "verify", "outputs.jsonl", "--suite", "pocket", *quiet], {0}
    yield [mlbench, "report", "logs", "-o", "report"], {0}
    yield [mlbench, "results", "--published"], {0}
    yield [mlbench, "suites", "stats", "pocket"], {0}
    yield [mlbench, "suites", "show", "pocket"], {0}
    yield [mlbench, "suites", "export", "pocket", "-o", "rows"], {0}
    yield [mlbench, "suites", "export", "pocket", "-o", "rows", "--format", "parquet"], {2}  # an extra; it is said
    yield [mlbench, "analyse", "tokens", "pocket", "--limit", "1"], {0}
    yield [mlbench, "agents"], {0}
    for what in ("suites", "settings", "policies", "problems", "agents"):
        yield [mlbench, "list", what], {0}
    yield [mlbench, "doctor", "--json"], {0}
    yield [mlbench, "repos", "list"], {0}
    repository = folder / "repository"
    repository.mkdir()
    (repository / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\n"
        "print(parser.parse_args())\n"
    )
    yield [mlbench, "probe", str(repository), "--", "python", "train.py", "--lr", "0.1"], {0}
    # no baseline answers what `solve` asks: that it says so is as far as it goes without a model
    yield [mlbench, "solve", "Train at learning rate 0.1", "--repo", str(repository), *gold], {0, 1, 2}


def main() -> int:
    failed = 0
    count = 0
    with tempfile.TemporaryDirectory() as name:
        for command, right in calls(Path(name)):
            began = time.perf_counter()
            done = subprocess.run(
                command,
                cwd=name,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=SECONDS,
            )
            said = done.stdout
            count += 1
            words = " ".join([Path(command[0]).name, *command[1:]])
            if command[-1] != "--help":
                print(f"{time.perf_counter() - began:6.1f} s  exit {done.returncode}  {words}", flush=True)
            if done.returncode not in right or any(word in said for word in BROKEN):
                failed += 1
                print(f"FAILED: {words}: exit {done.returncode}\n{said[-3000:]}", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
