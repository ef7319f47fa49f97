"""The lives of one run of experiments: `mlbench experiment` is killed, resumed, killed again; what became of it.

The engineer's server counts what was asked: a reply costs money whenever its request arrives.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.log import EvalSample

from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from tests.scripted_agent.server import Asked, Engineer

from .command import PROGRAM, Done, Place
from .kill_resume import Attempt, final_log, finished

MODEL = "openai-api/engineer/competent"
PATIENCE = 120.0
"""Seconds until so much must have been asked."""

_PROBLEM = re.compile(r"<problem>\n(.*?)\n</problem>", re.S)
_TIMES = re.compile(r"\d+(?:\.\d+)?(?= s(?:econds)?\b)")


@dataclass(frozen=True)
class Lab(Place):
    """A folder in which experiments run. A problem may be run once: its text tells its requests from others'."""

    def command(self, *arguments: str) -> list[str]:
        return [str(PROGRAM), "experiment", *arguments, "--log-dir", str(self.logs), "--display", "none"]

    def steps(self) -> dict[str, list[SnapshotStep]]:
        """The steps of each attempt, as they stand now."""
        return {folder.name: Steps(folder).read() for folder in (self.logs / "steps").glob("*/*")}


@dataclass(frozen=True)
class Blow:
    """A process is killed so many seconds after its `count`-th request has come."""

    count: int
    delay: float = 0.0


@dataclass(frozen=True)
class Life:
    """One process, and what was safe when it ended."""

    done: Done
    asked: Sequence[Asked]
    finished: Mapping[Attempt, EvalSample]
    steps: Mapping[str, Sequence[SnapshotStep]]


@dataclass(frozen=True)
class Account:
    """What became of a run over all its lives.

    Attributes:
        lost: samples that were finished at a kill and were run again.
        steps, steps_lost: steps that were kept at a kill; those that are not in the end as they were then.
        asked_again: kept replies that were asked for again, in the same words or in others.
        on_their_way: requests at which a process was killed, so that they were asked again.
        scored: attempts.
    """

    lost: int
    steps: int
    steps_lost: int
    asked_again: int
    on_their_way: int
    scored: int


def live(place: Lab, engineer: Engineer, arguments: Sequence[str], blow: Blow | None = None) -> Life:
    """Run `mlbench experiment` to its end, or until it is killed."""
    before = len(engineer.asked)
    process = place.start(*arguments, env=engineer.env)
    over = threading.Event()

    def strike() -> None:
        assert blow is not None
        end = time.monotonic() + PATIENCE
        while len(engineer.asked) - before < blow.count and time.monotonic() < end and not over.is_set():
            time.sleep(0.01)
        if not over.wait(blow.delay):
            os.kill(process.pid, signal.SIGKILL)

    watcher = threading.Thread(target=strike) if blow else None
    if watcher:
        watcher.start()
    try:
        stdout, stderr = process.communicate(timeout=900)
    finally:
        over.set()
        process.kill()
        if watcher:
            watcher.join()
    done = Done(process.wait(), stdout, stderr)
    return Life(done, engineer.asked[before:], finished(place), place.steps())


def account(place: Lab, lives: Sequence[Life]) -> Account:
    """What became of a run, of which the last life came to its end."""
    final = final_log(place)
    uuids = {sample.uuid for sample in final.samples or []}
    last = lives[-1].steps
    kept = {(name, step.number): step for life in lives[:-1] for name, steps in life.steps.items() for step in steps}
    asked: dict[str, list[str]] = {}
    again = on_their_way = 0
    for life in lives:
        here: dict[str, list[str]] = {}
        for each in life.asked:
            here.setdefault(_problem(each), []).append(json.dumps(each.body, sort_keys=True))
        for problem, bodies in here.items():
            known = asked.setdefault(problem, [])
            again += sum(body in known[:-1] for body in bodies)
            on_their_way += bodies[0] in known[-1:]  # whether its reply came is not known here
            known += [body for body in bodies if body not in known]
    return Account(
        lost=len({s.uuid for life in lives[:-1] for s in life.finished.values()} - uuids),
        steps=len(kept),
        steps_lost=sum(not _kept(step, last.get(name, [])) for (name, _), step in kept.items()),
        asked_again=again,
        on_their_way=on_their_way,
        scored=sum(bool(sample.scores) for sample in final.samples or []),
    )


def told(steps: Sequence[SnapshotStep]) -> list[tuple[object, ...]]:
    """Steps without the times in them: two runs of one script do not take as long."""
    return [
        (step.action, _inputs(step), step.error, step.changed, step.removed, _TIMES.sub("#", step.observation))
        for step in steps
    ]


def _inputs(step: SnapshotStep) -> object:
    """The last words may name a time that was measured."""
    return None if step.action == "final_answer" else step.inputs


def _kept(step: SnapshotStep, steps: Sequence[SnapshotStep]) -> bool:
    return len(steps) >= step.number and _about(steps[step.number - 1]) == _about(step)


def _about(step: SnapshotStep) -> tuple[object, ...]:
    return (step.number, step.asked, step.error, step.changed, step.removed, step.observation)


def _problem(asked: Asked) -> str:
    found = _PROBLEM.search(asked.said.text)
    return found[1] if found else ""
