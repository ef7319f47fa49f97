"""Judge the answers of a run on a cluster while the run goes on: the model is asked here, answers are judged there."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from mlbench.cluster.judge_actor import JudgeActor, JudgeConfig, Question
from mlbench.cluster.ray_pool import RayPool, actors, connected, tell
from mlbench.cluster.work_queue import WorkQueue
from mlbench.interface_check.verdict_cache import StoredResult
from mlbench.records import Candidate, RunError, Sample
from mlbench.run_config import RunConfig
from mlbench.scoring.stored_scorer import judged_elsewhere

_CONNECTIONS = 10
"""Requests that Inspect sends in parallel, if nothing else is said."""


@contextmanager
def judged_on_ray(config: JudgeConfig, address: str, workers: int | None) -> Iterator[int]:
    """Let a cluster judge the answers of the run that is made meanwhile; the value is the number of workers.

    Answers that no worker can judge are judged in this process, so that no reply of a model is lost.

    Args:
        config: what all nodes have in common.
        address: HOST:PORT of the head node, or `auto`.
        workers: the number of workers; None for the cluster's processors.

    Raises:
        UsageError: Ray is not installed, or the address is none.
        RunError: the cluster does not answer, or no node can judge. The model has not been asked yet.
    """
    with connected(address) as processors:
        size = workers or max(1, processors)
        judge = LiveJudge(config, size)
        judge.start()
        try:
            with judged_elsewhere(judge.ask):
                yield size
        finally:
            judge.stop()


@contextmanager
def run_on_ray(address: str | None, arguments: Mapping[str, Any], config: RunConfig) -> Iterator[RunConfig]:
    """Let a cluster judge a run of `mlbench eval`, if there is an address; the value is how the run is made.

    A sample waits for its reply and then for its verdict, so that more samples than requests run in parallel.

    Args:
        address: as of `judged_on_ray`, or None.
        arguments: of the run's task.
        config: how the run is made.

    Raises:
        UsageError, RunError: as `judged_on_ray`; or a cluster cannot judge with these arguments.
    """
    if address is None:
        yield config
        return
    with judged_on_ray(JudgeConfig.of_task(arguments), address, config.workers) as workers:
        samples = config.max_samples or (config.generation.max_connections or _CONNECTIONS) + 2 * workers
        yield config.model_copy(update={"max_samples": samples})


class LiveJudge:
    """Hands answers to the workers of a cluster, and their results to whoever waits for them.

    Ray waits in a thread of its own, because the run's event loop must not.

    Args:
        config: what all nodes have in common.
        workers: their number.
    """

    def __init__(self, config: JudgeConfig, workers: int) -> None:
        self._queue: WorkQueue[Question] = WorkQueue((), workers, is_open=True)
        self._pool = RayPool(actors(JudgeActor, config), workers, tell, self._give_up)
        self._thread = threading.Thread(target=self._work, name="live judge", daemon=True)
        self._lock = threading.Lock()
        self._waiting: dict[str, Future[StoredResult | None]] = {}
        self._fault = ""
        self._begun, self._ended = False, False

    def start(self) -> None:
        """Start the workers, and wait until one can judge.

        Raises:
            RunError: none can.
        """
        self._thread.start()
        while not self._pool.is_ready and self._thread.is_alive():
            time.sleep(0.05)
        if not self._pool.is_ready:
            raise RunError(self._fault)
        self._begun = True

    def stop(self) -> None:
        """End the workers; what they still judge is not waited for."""
        self._queue.close()
        self._thread.join()
        if self._pool.deaths:
            tell(f"{self._pool.deaths} times a worker died; its work was done by others")

    async def ask(self, key: str, sample: Sample, candidate: Candidate, repository: str) -> StoredResult | None:
        """Return the parts of the score of an answer; None if it has to be judged in this process.

        Args:
            key: of the answer; equal answers are not asked at the same time.
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.
        """
        future: Future[StoredResult | None] = Future()
        future.set_running_or_notify_cancel()  # a cancelled sample leaves it alone, so that a result can come
        with self._lock:
            if self._ended:
                return None
            self._waiting[key] = future
        self._queue.add(repository, Question(key, sample.id, repository, candidate))
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        try:
            self._pool.run(self._queue, self._keep)
        except Exception as error:  # of any type, if the head node is gone; the run must not wait for ever
            self._fault = " ".join(str(error).split())[:300]
            if self._begun:
                tell(f"the cluster judges no more; what is left is judged in this process: {self._fault}")
        with self._lock:
            self._ended = True
            left = list(self._waiting)
        for key in left:
            self._done(key, None)

    def _keep(self, questions: Sequence[Question], results: Sequence[StoredResult]) -> None:
        for question, result in zip(questions, results, strict=True):
            self._done(question.key, result)

    def _give_up(self, questions: Sequence[Question]) -> None:
        for question in questions:
            tell(f"row {question.row}: an answer ended every worker that had it; it is judged in this process")
            self._done(question.key, None)

    def _done(self, key: str, result: StoredResult | None) -> None:
        with self._lock:
            future = self._waiting.pop(key, None)
        if future is not None:
            future.set_result(result)
