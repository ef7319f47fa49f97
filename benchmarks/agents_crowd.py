"""Eight agents at once in bubblewrap: what they need, what they leave, and that a kill -9 in the middle costs nothing.

`gold` installs the suite's packages from the index, so every sandbox holds a real environment of its own in memory.
Must hold: at most 8 GiB at any time (proportional set sizes of all processes, and what is written in the sandboxes);
killed when a third is finished and resumed, every sample is scored once, with the verdict of the run that was not
killed; no process, mount, control group or temporary file is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from benchmarks.record import Figure, record
from mlbench.sandbox.cgroup import ROOT
from tests.serving.command import PROGRAM, Place
from tests.serving.kill_resume import finished, verdict

AGENTS = 8
SAMPLES = 12
GIB = 1024**3
ROOM = 8.0
PAUSE = 0.25
_SETTLED = 61.0
"""Seconds after which the folder of a killed index counts as left, and is swept by who starts next."""

NEW = ("pocket", "--agent", "gold", "--split", "quarter", "--limit", str(SAMPLES))


@dataclass(frozen=True)
class Life:
    """One process: how long it lived, the most memory that it and all below it had, who of them outlived it."""

    pid: int
    seconds: float
    memory: int
    agents: int
    orphans: int


def live(place: Place, *arguments: str, kill_at: int | None = None) -> Life:
    """Run `mlbench agent` to its end, or until so many samples are finished: then it is killed."""
    command = [str(PROGRAM), "agent", *arguments, "--max-samples", str(AGENTS)]
    temporary = place.root / "t"
    temporary.mkdir(exist_ok=True)
    began = time.monotonic()
    with (place.root / "output.txt").open("a+") as output:
        process = subprocess.Popen(
            [*command, "--log-dir", str(place.logs), "--display", "plain"],
            env=place.env(TMPDIR=str(temporary)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        main = psutil.Process(process.pid)
        most = agents = 0
        family: list[psutil.Process] = []
        try:
            while process.poll() is None:
                with contextlib.suppress(psutil.NoSuchProcess):
                    family = [main, *main.children(recursive=True)]
                used = Use.of(family)
                most, agents = max(most, used.memory), max(agents, used.sandboxes)
                if kill_at is not None and len(finished(place)) >= kill_at:
                    process.send_signal(signal.SIGSTOP)  # so that no child is born while they are counted
                    family = [main, *main.children(recursive=True)]
                    process.kill()
                time.sleep(PAUSE)
        finally:
            process.kill()  # where it was interrupted
        output.seek(0)
        if process.returncode != (0 if kill_at is None else -signal.SIGKILL):
            raise SystemExit(f"mlbench agent ended with {process.returncode}\n{output.read()[-3000:]}")
    _, alive = psutil.wait_procs(family, timeout=10)
    return Life(process.pid, time.monotonic() - began, most, agents, len(alive))


@dataclass(frozen=True)
class Use:
    """Bytes of memory of some processes and of the sandboxes in which they are."""

    memory: int
    sandboxes: int

    @classmethod
    def of(cls, family: list[psutil.Process]) -> Use:
        """What is written in a sandbox is memory, too, and no process's own."""
        memory = 0
        written: dict[int, int] = {}
        for process in family:
            proc = Path("/proc", str(process.pid))
            with contextlib.suppress(OSError):
                lines = (proc / "smaps_rollup").read_text().splitlines()
                memory += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
            with contextlib.suppress(OSError):
                if (proc / "root/opt/agent").is_dir():
                    space = os.statvfs(proc / "root/tmp")
                    written[(proc / "root/tmp").stat().st_dev] = (space.f_blocks - space.f_bfree) * space.f_frsize
        return cls(memory + sum(written.values()), len(written))


def left_behind(place: Place, lives: list[Life]) -> dict[str, int]:
    """What there is of these processes when all of them have ended."""
    temporary = place.root / "t"
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    for found in sorted(temporary.iterdir()):
        print(f"left: {found}")
    return {
        "processes": sum(life.orphans for life in lives),
        "control groups": sum(1 for life in lives for _ in ROOT.rglob(f"mlbench-{life.pid}-*")),
        "mounts": sum(str(place.root) in line for line in mounts),
        "temporary files": sum(1 for _ in temporary.iterdir()),
    }


def final(place: Place) -> EvalLog:
    """The log of the run that came to its end."""
    logs = [read_eval_log(info) for info in list_eval_logs(str(place.logs))]
    (complete,) = [log for log in logs if log.status == "success"]
    return complete


def main() -> bool:
    with tempfile.TemporaryDirectory(prefix="mlb-") as scratch:
        warm, whole, killed = (Place(Path(scratch, name)) for name in ("warm", "whole", "killed"))
        for place in (warm, whole, killed):
            place.root.mkdir()
        live(warm, *NEW[:-1], "1")  # the packages are in the index's store afterwards
        reference = live(whole, *NEW)
        lives = [live(killed, *NEW, kill_at=SAMPLES // 3)]
        safe = len(finished(killed))
        time.sleep(max(0.0, _SETTLED - lives[0].seconds))
        lives.append(live(killed, "--resume"))
        wanted = {sample.id: verdict(sample) for sample in final(whole).samples or []}
        found = [sample for sample in final(killed).samples or [] if sample.scores]
        left = {key: count + left_behind(whole, [reference])[key] for key, count in left_behind(killed, lives).items()}
    ids = [sample.id for sample in found]
    return record(
        "agents_crowd",
        [
            Figure("samples", len(wanted), SAMPLES, at_most=False),
            Figure("sandboxes at the same time, most", reference.agents, AGENTS, at_most=False),
            Figure("memory, most", max(life.memory for life in (reference, *lives)) / GIB, ROOM, "GiB"),
            Figure("samples finished when it was killed", safe, SAMPLES // 3, at_most=False),
            Figure("samples not scored after resuming", len(wanted.keys() - set(ids)), 0),
            Figure("samples scored more than once", len(ids) - len(set(ids)), 0),
            Figure("verdicts unlike the uninterrupted run's", sum(verdict(s) != wanted[s.id] for s in found), 0),
            *(Figure(f"{kind} left behind", count, 0) for kind, count in left.items()),
            Figure("uninterrupted run", reference.seconds, None, "s"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
