"""Judge a file of answers on a cluster, before the run that finds their verdicts in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from mlbench.cluster.judge_actor import JudgeActor, JudgeConfig, Question
from mlbench.cluster.ray_pool import RayPool, actors, connected, tell
from mlbench.cluster.work_queue import WorkQueue
from mlbench.interface_check.verdict_cache import StoredResult, give
from mlbench.judging.extract import read_reply
from mlbench.scoring.stored_scorer import StoredScorer, is_repeatable
from mlbench.suites.selection import SelectionAttempt


def judge_on_ray(
    attempts: Sequence[SelectionAttempt],
    config: JudgeConfig,
    address: str,
    workers: int | None,
    display: str,
    watch: Callable[[Sequence[Question]], object] = lambda questions: None,
) -> int:
    """Judge answers on a cluster, and keep their verdicts by content; return how many answers were judged there.

    What the cache knows already is not judged again, so the same call after an interruption goes on.

    Args:
        attempts: the answers.
        config: what all nodes have in common.
        address: HOST:PORT of the head node, or `auto`.
        workers: the number of workers; None for the cluster's processors.
        display: kind of progress display; `none` shows nothing.
        watch: function that is called with the answers of each batch that was judged.

    Raises:
        UsageError: Ray is not installed, or the address is none.
        RunError: the cluster does not answer, or no node can judge.
    """
    to_judge = unknown_answers(attempts, config)
    if not to_judge:
        return 0
    with connected(address) as processors:
        size = min(workers or max(1, processors), len(to_judge))
        queue = WorkQueue(((question.repository, question) for question in to_judge), size)
        with _progress(len(to_judge), size, display) as advance:
            pool = RayPool(actors(JudgeActor, config), size, tell)
            pool.run(queue, partial(_keep, advance, watch))
        if pool.deaths:
            tell(f"{pool.deaths} times a worker died; its work was done by others")
        if queue.given_up:
            tell(f"{len(queue.given_up)} answers ended every worker that had them; they are judged in this process")
        return len(to_judge) - len(queue.given_up)


def unknown_answers(attempts: Sequence[SelectionAttempt], config: JudgeConfig) -> list[Question]:
    """Return the answers without a stored verdict; equal ones once.

    Args:
        attempts: the answers.
        config: how they are judged.
    """
    runtime = config.runtime(workers=None)
    scorer = StoredScorer(runtime, config.paper_timeout)
    found: dict[str, Question] = {}
    for attempt in attempts:
        candidate = read_reply(attempt.reply or "")
        repository = runtime.suite.repository_of(attempt.sample.github_id).name
        key = scorer.cache.key(scorer.question(attempt.sample, candidate, repository))
        if key not in found and scorer.cache.known(key) is None:
            found[key] = Question(key, attempt.sample.id, repository, candidate)
    return list(found.values())


def _keep(
    advance: Callable[[int], object],
    watch: Callable[[Sequence[Question]], object],
    questions: Sequence[Question],
    results: Sequence[StoredResult],
) -> None:
    for question, result in zip(questions, results, strict=True):
        give(question.key, result, is_repeatable(result))
    advance(len(questions))
    watch(questions)


@contextmanager
def _progress(total: int, workers: int, display: str) -> Iterator[Callable[[int], object]]:
    """A bar on standard error; its value is called with the number of answers that were judged."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = display != "none"
    with Progress(*columns, console=Console(stderr=True), disable=not shown, refresh_per_second=2) as bar:
        task = bar.add_task(f"judging on {workers} worker{'s' * (workers > 1)}", total=total)
        yield lambda count: bar.advance(task, count)
