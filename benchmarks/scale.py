"""Judging on many machines: Ray on two local nodes, workers and drivers that are killed, 64 nodes in simulation.

    python -m benchmarks.scale [--rows 10000] [--parts identical speed killed driver simulation log]
    python -m benchmarks.scale --keep FOLDER --parts identical --workers        # in pieces: one process,
    python -m benchmarks.scale --keep FOLDER --parts identical speed --workers 1    # then one worker, and so on

Must hold, for mixed answers through `interface`: verdicts of 1, 2 and 4 workers are those of one process; two workers
are at least 1.8 times as fast as one on two cores (without the start of the workers); ten killed workers lose no answer
and judge none twice; after kill -9 of the driver the same command judges only what is missing; 64 simulated nodes are
within 10 % of 64 times one node. Needs the extra `ray`. `--rows 500` tries everything in a few minutes.
With `--keep`, verdicts of one process and rates stay in a folder, and later pieces are compared with them.
"""

from __future__ import annotations

import argparse
import atexit
import heapq
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import psutil

from benchmarks.agreement import cases
from benchmarks.record import Figure, record
from mlbench.cluster.judge_actor import JudgeConfig, Question
from mlbench.cluster.judge_answers import judge_on_ray, unknown_answers
from mlbench.cluster.work_queue import WarmWorker, WorkQueue
from mlbench.interface_check.verdict_cache import StoredResult
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.scoring.stored_scorer import StoredScorer
from mlbench.source_digest import source_digest
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import load_suite

PARTS = ("identical", "speed", "killed", "driver", "simulation", "log")
KILLS = 10
NODES = 64
MILLION = 1_000_000
_AHEAD = 2
_PATIENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_worker_register_timeout_seconds": "300",
    "RAY_health_check_initial_delay_ms": "120000",
    "RAY_health_check_timeout_ms": "120000",
    "RAY_worker_niceness": "0",
}
"""Settings of a local cluster: a loaded machine is slow, and workers count as much as the process that they are
compared with."""


def config() -> JudgeConfig:
    return JudgeConfig("pocket", 10.0, Limits().model_dump(), None, False, False, source_digest())


def attempts(rows: int) -> list[SelectionAttempt]:
    """References, copycats and mutants of `pocket`; where they are too few, again with another comment."""
    place = machine("bubblewrap", "pocket", Limits(), 2)
    drawn = cases(place, rows)
    random.Random(18).shuffle(drawn)
    found: list[SelectionAttempt] = []
    numbers: Counter[int] = Counter()
    while len(found) < rows:
        turn = len(found) // len(drawn)
        for case in drawn[: rows - len(found)]:
            reply = case.reply.replace("\n```", f"\n# {turn}\n```") if turn else case.reply
            numbers[case.sample.id] += 1
            found.append(SelectionAttempt(case.sample, numbers[case.sample.id], reply))
    return found


@cache
def own_cache() -> Path:
    """A cache whose folders are those of this machine. It stays one for a process: checkouts are remembered by path."""
    made = Path(tempfile.mkdtemp(prefix="scale-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    for each in cache_folder().iterdir():
        if each.name != "verdicts":
            (made / each.name).symlink_to(each)
    return made


def fresh_verdicts() -> Path:
    """From here on, the cache is that of this process, without a verdict."""
    folder = own_cache()
    os.environ["MLBENCH_CACHE"] = str(folder)
    shutil.rmtree(folder / "verdicts", ignore_errors=True)
    return folder


@contextmanager
def two_nodes(processors: int) -> Iterator[str]:
    """A Ray cluster of two nodes on this machine; the value is its address."""
    for name, value in _PATIENT.items():
        os.environ.setdefault(name, value)
    from ray.cluster_utils import Cluster

    own = {"num_cpus": processors, "object_store_memory": 80 * 1024 * 1024}
    cluster = Cluster(initialize_head=True, head_node_args={**own, "include_dashboard": False})
    cluster.add_node(**own)
    try:
        yield cluster.address
    finally:
        cluster.shutdown()


def stored(folder: Path) -> dict[str, StoredResult]:
    """The verdicts of a cache, by key, without the times that they took."""
    return {file.stem: timeless(json.loads(file.read_text())) for file in folder.glob("verdicts/*/*.json")}


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name != "seconds"}
    return [timeless(each) for each in value] if isinstance(value, list) else value


async def in_one_process(questions: Sequence[Question]) -> tuple[dict[str, StoredResult], list[float], float]:
    """Verdicts by key, the seconds of each answer, and the wall seconds."""
    place = machine("bubblewrap", "pocket", Limits(), 1, execute=False)
    scorer, found, taken = StoredScorer(place, 10.0), {}, []
    began = time.perf_counter()
    for each in questions:
        start = time.perf_counter()
        found[each.key] = timeless(
            await scorer.alone(place.suite.row(each.row).sample, each.candidate, each.repository)
        )
        taken.append(time.perf_counter() - start)
    wall = time.perf_counter() - began
    await scorer.close()
    launcher_pool.stop_all()
    return found, taken, wall


class Watch:
    """Counts the answers of each batch, when they came, and the processor time that this process had used by then."""

    def __init__(self, also: Callable[[int], object] = lambda count: None) -> None:
        self.seen: Counter[str] = Counter()
        self.times: list[tuple[float, float, int]] = []
        self._also = also

    def __call__(self, questions: Sequence[Question]) -> None:
        self.seen.update(question.key for question in questions)
        self.times.append((time.perf_counter(), time.process_time(), len(questions)))
        self._also(len(self.seen))

    @property
    def rate(self) -> float:
        """Answers a second from the first batch of the slowest start on: the first tenth is left out."""
        seconds, _, count = self._later()
        return count / seconds

    @property
    def busy(self) -> float:
        """Processor seconds of this process for an answer, while workers judge."""
        _, busy, count = self._later()
        return busy / count

    def _later(self) -> tuple[float, float, int]:
        skipped = len(self.times) // 10
        (began, used, _), later = self.times[skipped], self.times[skipped + 1 :]
        return later[-1][0] - began, later[-1][1] - used, sum(count for _, _, count in later)


def workers_of(pid: int) -> list[psutil.Process]:
    """The processes of workers that this process's cluster has."""
    return [each for each in psutil.Process(pid).children(recursive=True) if "JudgeActor" in " ".join(_words(each))]


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def identical_and_fast(
    todo: list[SelectionAttempt], parts: Sequence[str], counts: Sequence[int], kept: Path
) -> list[Figure]:
    """Judge all answers by a cluster with each number of workers, and by one process; compare all that is kept."""
    fresh_verdicts()
    questions = unknown_answers(todo, config())
    figures = [Figure("different answers", len(questions), None, f"of {len(todo)}")]
    for count in counts:
        folder = fresh_verdicts()
        with two_nodes(2) as address:
            watch, began = Watch(), time.perf_counter()
            judge_on_ray(todo, config(), address, count, "none", watch)
            wall = time.perf_counter() - began
            (kept / f"verdicts-{count}.json").write_text(json.dumps([stored(folder), sorted(watch.seen)]))
        (kept / f"rate-{count}.json").write_text(json.dumps(watch.rate))
        figures += [
            Figure(f"{count} workers: all, with their start", wall, None, "s"),
            Figure(f"{count} workers: processor time of the driver", 1000 * watch.busy, None, "ms an answer"),
            Figure(f"{count} workers: answers judged twice", sum(n > 1 for n in watch.seen.values()), 0),
        ]
    for file in sorted(kept.glob("rate-*.json")):
        name = f"rate, {file.stem.removeprefix('rate-')} workers: answers a second"
        figures.append(Figure(name, json.loads(file.read_text()), None))
    if "identical" in parts:
        alone = contents(kept_verdicts(kept / "alone.json", questions))
        for file in sorted(kept.glob("verdicts-*.json")):
            found, seen = json.loads(file.read_text())
            missing = max(len(questions) - len(seen), (alone - contents(found)).total())
            workers = file.stem.removeprefix("verdicts-")
            figures.append(Figure(f"identical, {workers} workers: verdicts that differ from one process", missing, 0))
    one, two = kept / "rate-1.json", kept / "rate-2.json"
    if one.is_file() and two.is_file():
        bound = 1.8 if "speed" in parts else None
        ratio = json.loads(two.read_text()) / json.loads(one.read_text())
        figures.append(Figure("two workers against one", ratio, bound, "times", at_most=False))
    return figures


def contents(verdicts: dict[str, StoredResult]) -> Counter[str]:
    """How often each verdict is there, with its answer and evidence; keys hold the path of a process's own cache."""
    return Counter(json.dumps(each, sort_keys=True) for each in verdicts.values())


def kept_verdicts(file: Path, questions: Sequence[Question]) -> dict[str, StoredResult]:
    """The verdicts of one process, from a file if an earlier piece has written it."""
    if not file.is_file():
        found, _, _ = anyio.run(in_one_process, questions)
        file.write_text(json.dumps(found))
    verdicts: dict[str, StoredResult] = json.loads(file.read_text())
    return verdicts


def killed_workers(todo: list[SelectionAttempt]) -> list[Figure]:
    """Ten times, a worker is killed with -9 while answers are judged."""
    done, killed = threading.Event(), 0
    counted = 0

    def count(seen: int) -> None:
        nonlocal counted
        counted = seen

    def kill() -> None:
        nonlocal killed
        rng, last = random.Random(1), -1
        while killed < KILLS and not done.is_set():
            time.sleep(0.2)
            if counted > last + len(todo) // (4 * KILLS) and (alive := workers_of(os.getpid())):
                last = counted
                rng.choice(alive).kill()
                killed += 1

    folder = fresh_verdicts()
    with two_nodes(2) as address:
        expected = {question.key for question in unknown_answers(todo, config())}
        watch = Watch(count)
        thread = threading.Thread(target=kill, daemon=True)
        thread.start()
        judge_on_ray(todo, config(), address, 2, "none", watch)
        done.set()
        thread.join()
        kept = stored(folder)
    return [
        Figure("killed: workers killed with -9", killed, KILLS, at_most=False),
        Figure("killed: answers lost", len(expected - watch.seen.keys()), 0),
        Figure("killed: answers judged twice", sum(count > 1 for count in watch.seen.values()), 0),
        Figure("killed: verdicts in the store", len(kept), None, f"of {len(expected)}"),
    ]


def killed_driver(rows: int) -> list[Figure]:
    """The driver is killed with -9 after a third of the answers; the same command then judges the rest."""
    command = [sys.executable, "-m", "benchmarks.scale", "--rows", str(rows), "--drive"]
    folder = fresh_verdicts()
    with two_nodes(2) as address:
        total = len(unknown_answers(attempts(rows), config()))
        process = subprocess.Popen([*command, address], stdout=subprocess.DEVNULL, start_new_session=True)
        while process.poll() is None and len(list(folder.glob("verdicts/*/*.json"))) < total // 3:
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(1.0)
        before = len(list(folder.glob("verdicts/*/*.json")))
        again = subprocess.run([*command, address], capture_output=True, text=True, check=True)
        judged = int(again.stdout.split()[-1])
        after = len(list(folder.glob("verdicts/*/*.json")))
    return [
        Figure("driver: verdicts kept at kill -9", before, None, f"of {total}"),
        Figure("driver: judged by the same command again", judged, None),
        Figure("driver: judged a second time", judged + before - total, 0),
        Figure("driver: verdicts in the store at the end", after, None, f"of {total}"),
    ]


def makespan(pairs: Sequence[tuple[str, float]], workers: int, per_answer: float) -> float:
    """Seconds in which a simulated cluster does all answers, with the real queue.

    Args:
        pairs: repository and seconds of each answer.
        workers: their number.
        per_answer: seconds of the driver for each answer; it does one batch after the other.
    """
    queue = WorkQueue(pairs, workers)
    states = [WarmWorker() for _ in range(workers)]
    free = [0.0] * workers  # when each worker has done all that it has
    driver, events = 0.0, [(0.0, worker) for worker in range(workers) for _ in range(_AHEAD)]
    heapq.heapify(events)
    while events:
        now, worker = heapq.heappop(events)
        batch = queue.take(states[worker])
        if batch is None:
            continue
        driver = max(driver, now) + per_answer * len(batch.items)
        free[worker] = max(free[worker], driver) + sum(batch.items)
        heapq.heappush(events, (free[worker], worker))
    return max([driver, *free])


def simulated(todo: list[SelectionAttempt]) -> list[Figure]:
    """64 nodes of one worker against one, with the measured times of answers, of the driver, and of its preparation."""
    fresh_verdicts()
    used = time.process_time()
    questions = unknown_answers(todo, config())
    prepared = (time.process_time() - used) / len(todo)
    _, taken, _ = anyio.run(in_one_process, questions[:500])
    fresh_verdicts()
    with two_nodes(2) as address:
        watch = Watch()
        judge_on_ray(todo[:1000], config(), address, 2, "none", watch)
    rng = random.Random(64)
    pool = list(zip((question.repository for question in questions), taken, strict=False))
    pairs = rng.choices(pool, k=NODES * 1000)
    one = makespan(pairs, 1, watch.busy)
    many = makespan(pairs, NODES, watch.busy)
    mean = sum(taken) / len(taken)
    return [
        Figure("simulation: one answer", 1000 * mean, None, "ms"),
        Figure("simulation: the driver, for an answer", 1000 * watch.busy, None, "ms"),
        Figure("simulation: the driver before the first answer, for each", 1000 * prepared, None, "ms"),
        Figure(f"simulation: {NODES} nodes against one, of linear", one / many / NODES, 0.9, "", at_most=False),
        Figure("simulation: nodes that one driver feeds", mean / watch.busy, None, "workers"),
        Figure("simulation: a million answers, 64 workers", MILLION * (prepared + mean / NODES) / 60, None, "min"),
    ]


def log_written(todo: list[SelectionAttempt]) -> list[Figure]:
    """What the run afterwards costs, which finds all verdicts in the cache and writes the log."""
    from mlbench.api import run_verify
    from mlbench.run_config import RunConfig

    some, suite = todo[:500], load_suite("pocket")
    folder = fresh_verdicts()
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "outputs.jsonl"
        lines = [{"id": a.sample.id, "github_id": a.sample.github_id, "output": [a.reply]} for a in some]
        file.write_text("\n".join(map(json.dumps, lines)))
        settings = RunConfig(log_dir=Path(made) / "logs", display="none")
        run_verify(file, suite.name, "bubblewrap", 10.0, None, settings, print, execute=False)
        used, began = time.process_time(), time.perf_counter()
        log, _ = run_verify(file, suite.name, "bubblewrap", 10.0, None, settings, print, execute=False)
        busy, wall = time.process_time() - used, time.perf_counter() - began
        size = Path(log.location.removeprefix("file://")).stat().st_size
        store = sum(each.stat().st_size for each in folder.glob("verdicts/*/*.json"))
    return [
        Figure("log: processor time for an answer whose verdict is stored", 1000 * busy / len(some), None, "ms"),
        Figure("log: wall time for an answer whose verdict is stored", 1000 * wall / len(some), None, "ms"),
        Figure("log: bytes of the log for an answer", size / len(some), None, "bytes"),
        Figure("log: bytes of the store for an answer", store / len(some), None, "bytes"),
        Figure("log: a million answers in one process", MILLION * busy / len(some) / 3600, None, "h"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--workers", nargs="*", type=int, default=[1, 2, 4], help="numbers of workers to compare")
    parser.add_argument("--keep", type=Path, help="folder in which a measurement in pieces keeps what it found")
    parser.add_argument("--drive", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    todo = attempts(asked.rows)
    if asked.drive:
        print(judge_on_ray(todo, config(), asked.drive, 2, "none"))
        return 0
    kept = asked.keep or Path(tempfile.mkdtemp(prefix="scale-kept-"))
    kept.mkdir(parents=True, exist_ok=True)
    compared = bool({"identical", "speed"} & set(asked.parts))
    measures: list[tuple[bool, Callable[[], list[Figure]]]] = [
        (compared, lambda: identical_and_fast(todo, asked.parts, asked.workers, kept)),
        ("killed" in asked.parts, lambda: killed_workers(todo)),
        ("driver" in asked.parts, lambda: killed_driver(asked.rows)),
        ("simulation" in asked.parts, lambda: simulated(todo)),
        ("log" in asked.parts, lambda: log_written(todo)),
    ]
    held = [record("scale", measure(), part=True) for wanted, measure in measures if wanted]
    return not all(held)


if __name__ == "__main__":
    sys.exit(main())
