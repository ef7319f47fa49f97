"""The lives of one run: `mlbench eval` is killed at an event, resumed, killed again ...; then what became of it.

What must hold is counted here, for the tests and for the benchmark: `account` says which reply ended in which
sample, which was asked for again, and what a killed process has left behind.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    recover_eval_log,
)

from mlbench.results.load_log import RunRecord, read_run
from tests.command_line import Command

from .command import Done, Place
from .server import Asked, Endpoint, serial_of

Attempt = tuple[str, int]
"""Id and epoch of a sample."""

PATIENCE = 60.0
"""Seconds until an event must have come about."""


@dataclass(frozen=True)
class Blow:
    """When a process is struck, and with which signal.

    `asked` and `answered`: in the middle of its `count`-th request, and right after the reply to it was sent. `stored`,
    `logged`: when `count` more replies are kept, or `count` more samples are in a log; later requests wait until then.
    `begun`: when it has written `count` logs (a resumed run first saves what the killed one left), before any reply.
    With a `delay`, so many seconds later.
    """

    event: Literal["asked", "answered", "stored", "logged", "begun"]
    count: int
    signal: int = signal.SIGKILL
    delay: float = 0


@dataclass(frozen=True)
class Life:
    """One process, from its start to its end, and what was safe when it ended."""

    done: Done
    pid: int
    asked: Sequence[Asked]
    answered: Sequence[Asked]
    stored: frozenset[int]
    finished: Mapping[Attempt, EvalSample]
    orphans: Sequence[str]
    log: EvalLog | None
    seconds: float


@dataclass(frozen=True)
class Account:
    """What became of a run over all its lives.

    missing, repeated: attempts that are not, or more than once, in the final log.
    lost: samples that were finished at a kill and were run again.
    asked_twice: replies that were kept at a kill and are not in the final log, so that they were asked for again.
    paid_twice: replies that were sent and are not in the final log: they were on their way, or not kept yet.
    unlike: attempts whose verdict is not that of the uninterrupted run.
    left_behind: processes and control groups of killed processes.
    """

    samples: int
    requests: int
    missing: int
    repeated: int
    lost: int
    asked_twice: int
    paid_twice: int
    unlike: int
    same_table: bool
    same_tokens: bool
    left_behind: Sequence[str]

    @property
    def holds(self) -> bool:
        faults = (self.missing, self.repeated, self.lost, self.asked_twice, self.unlike, len(self.left_behind))
        return not any(faults) and self.same_table and self.same_tokens


def live(place: Place, endpoint: Endpoint, arguments: Sequence[str], blow: Blow | None = None) -> Life:
    """Run `mlbench eval` to its end, or until it is struck."""
    asked, answered = len(endpoint.asked), len(endpoint.answered)
    began = time.monotonic()
    process = place.start(*arguments)
    family: list[psutil.Process] = []
    try:
        if blow is None:
            stdout, stderr = process.communicate(timeout=600)
        else:
            with _struck(place, endpoint, process, blow, asked, answered, family):
                stdout, stderr = process.communicate(timeout=600)
    finally:
        ended = time.monotonic()
        process.kill()
        endpoint.on_asked = endpoint.on_answered = lambda _: None
    orphans = _alive(family, seconds=5)
    return Life(
        done=Done(process.wait(), stdout, stderr),
        pid=process.pid,
        asked=endpoint.asked[asked:],
        answered=endpoint.answered[answered:],
        stored=stored(place),
        finished=finished(place),
        orphans=orphans,
        log=final_log(place) if process.returncode == 0 else None,
        seconds=ended - began,
    )


@contextmanager
def _struck(
    place: Place,
    endpoint: Endpoint,
    process: Command,
    blow: Blow,
    asked: int,
    answered: int,
    family: list[psutil.Process],
) -> Iterator[None]:
    struck, due, over, missed = (threading.Event() for _ in range(4))
    counters: dict[str, Callable[[], int]] = {
        "stored": lambda: len(stored(place)),
        "logged": lambda: logged(place),
        "begun": lambda: len(list(place.logs.glob("*.eval"))),
    }
    holding = counters.keys()
    before = {event: count() for event, count in counters.items()}

    def strike() -> None:
        if struck.is_set():
            return
        struck.set()
        if blow.signal == signal.SIGKILL:
            os.kill(process.pid, signal.SIGSTOP)  # so that no child is born while they are counted
            family.extend(psutil.Process(process.pid).children(recursive=True))
            os.kill(process.pid, signal.SIGKILL)
        else:
            os.killpg(process.pid, blow.signal)  # as a terminal does

    def strike_or_wait() -> None:
        if blow.delay:
            due.set()
        else:
            strike()  # here, so that nothing more happens to this request

    def on_asked(request: Asked) -> None:
        number = request.serial - asked
        if blow.event == "asked" and number == blow.count:
            strike_or_wait()
        if struck.is_set() or (blow.event in holding and number > (0 if blow.event == "begun" else blow.count)):
            over.wait(2 * PATIENCE)
            raise ConnectionAbortedError

    def on_answered(_: Asked) -> None:
        if blow.event == "answered" and len(endpoint.answered) - answered == blow.count:
            strike_or_wait()

    def reached() -> bool:
        return due.is_set() or (blow.event in counters and counters[blow.event]() - before[blow.event] >= blow.count)

    def watch() -> None:
        end = time.monotonic() + PATIENCE
        while not over.is_set() and not reached():
            if time.monotonic() > end:
                missed.set()
                strike()
                return
            time.sleep(0.02)
        if not over.wait(blow.delay):
            strike()

    endpoint.on_asked, endpoint.on_answered = on_asked, on_answered
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    assert not missed.is_set(), f"{blow} never came about"


def stored(place: Place) -> frozenset[int]:
    """The requests whose replies are kept, whole, in Inspect's cache."""
    found = set()
    for file in place.replies.rglob("*"):
        try:
            _, output = pickle.loads(file.read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):  # a folder, or half written
            continue
        found.add(serial_of(output.completion))
    return frozenset(found)


def logged(place: Place) -> int:
    """How many scored samples the fullest log holds on disk."""
    counts = [0]
    for log in list_eval_logs(str(place.logs)):
        try:
            counts.append(sum(bool(summary.scores) for summary in read_eval_log_sample_summaries(log.name)))
        except Exception:
            continue  # being written
    return max(counts)


def finished(place: Place) -> dict[Attempt, EvalSample]:
    """The attempts that are scored in the logs, or in the buffers of the processes that wrote them."""
    found: dict[Attempt, EvalSample] = {}
    with tempfile.TemporaryDirectory() as scratch, _data_of(place):
        for number, info in enumerate(reversed(list_eval_logs(str(place.logs)))):  # oldest first
            try:
                log = read_eval_log(info)
            except Exception:
                continue  # killed before it wrote anything
            if log.status == "started":
                try:
                    log = recover_eval_log(info.name, output=f"{scratch}/{number}.eval", cleanup=False)
                    log = read_eval_log(log.location)
                except Exception:
                    pass  # no buffer: what is flushed is all there is
            for sample in log.samples or []:
                if sample.scores and not sample.error:
                    found.setdefault((str(sample.id), sample.epoch), sample)
    return found


@contextmanager
def _data_of(place: Place) -> Iterator[None]:
    """Inspect keeps the buffers of unfinished logs in the user's data folder."""
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = place.env()["XDG_DATA_HOME"]
    try:
        yield
    finally:
        os.environ.pop("XDG_DATA_HOME")
        if before is not None:
            os.environ["XDG_DATA_HOME"] = before


def account(place: Place, lives: Sequence[Life], reference: Life) -> Account:
    """Compare a run of several lives with an uninterrupted one."""
    final = lives[-1].log
    assert final is not None, lives[-1].done
    samples = [sample for sample in final.samples or [] if sample.scores and not sample.error]
    by_attempt = {(str(sample.id), sample.epoch): sample for sample in samples}
    counts = Counter((str(sample.id), sample.epoch) for sample in final.samples or [])
    serials = {serial_of(sample.output.completion) for sample in samples}
    answered = {asked.serial for life in lives for asked in life.answered}
    lost = {
        attempt
        for life in lives
        for attempt, sample in life.finished.items()
        if attempt not in by_attempt or by_attempt[attempt].uuid != sample.uuid
    }
    wanted = {attempt: verdict(sample) for attempt, sample in reference.finished.items()}
    run, uninterrupted = read_run(_path(final)), read_run(_path(reference.log))
    return Account(
        samples=len(by_attempt),
        requests=sum(len(life.asked) for life in lives),
        missing=len(wanted.keys() - by_attempt.keys()),
        repeated=sum(count > 1 for count in counts.values()) + len(samples) - len(serials),
        lost=len(lost),
        asked_twice=len({serial for life in lives for serial in life.stored} - serials),
        paid_twice=len(answered - serials),
        unlike=sum(verdict(sample) != wanted.get(attempt) for attempt, sample in by_attempt.items()),
        same_table=table(lives[-1].done.stdout, run) == table(reference.done.stdout, uninterrupted),
        same_tokens=run.usage == uninterrupted.usage,
        left_behind=[*(orphan for life in lives for orphan in life.orphans), *_groups(lives)],
    )


def final_log(place: Place) -> EvalLog:
    """The one log that is complete."""
    complete = [log for log in map(read_eval_log, list_eval_logs(str(place.logs))) if log.status == "success"]
    assert len(complete) == 1, [(log.location, log.status) for log in complete]
    return complete[0]


def _path(log: EvalLog | None) -> Path:
    assert log is not None
    return Path(log.location.removeprefix("file://"))


def verdict(sample: EvalSample) -> object:
    assert sample.scores
    verdicts = (sample.scores["judge"].metadata or {})["verdicts"]
    return [(each["policy"], each["passed"], each["stage"], each["reason"]) for each in verdicts]


def table(stdout: str, run: RunRecord) -> str:
    """What the user reads in the end, without its times; tokens are compared as such."""
    text = stdout[stdout.index(", policy ") :].rpartition("\nlog: ")[0]
    for tokens in (run.usage.tokens_in, run.usage.tokens_out):
        text = text.replace(f" {tokens:,} ", " # ")
    return " ".join(re.sub(r"[─┄]+|\d+(\.\d+)? (s|min|h)\b", " ", text).split())


def _alive(family: Sequence[psutil.Process], seconds: float) -> list[str]:
    _, alive = psutil.wait_procs(list(family), timeout=seconds)
    words = []
    for process in alive:
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                words.append(f"process {process.pid}: {' '.join(process.cmdline())[:100]}")
        except psutil.NoSuchProcess:
            pass
    return words


def _groups(lives: Sequence[Life]) -> list[str]:
    """Control groups of ended processes; each run removes those that an earlier one has left."""
    pids = {life.pid for life in lives}
    found = (
        Path(parent, name) for parent, names, _ in os.walk("/sys/fs/cgroup") for name in names
    )  # others come and go
    return [
        str(group) for group in found if group.name.startswith("mlbench-") and int(group.name.split("-")[1]) in pids
    ]
