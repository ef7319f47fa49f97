"""The queue of a cluster's work: each answer once, repositories stay with a worker, a deadly answer is alone soon."""

from __future__ import annotations

import random

from mlbench.cluster.work_queue import LARGEST, Batch, WarmWorker, WorkQueue

ITEMS = [(f"repository {n % 5}", n) for n in range(1000)]


def drained(queue: WorkQueue[int], workers: int) -> list[tuple[int, Batch[int]]]:
    states, found, turn = [WarmWorker() for _ in range(workers)], [], 0
    while (batch := queue.take(states[turn % workers])) is not None:
        found.append((turn % workers, batch))
        turn += 1
    return found


def test_each_item_is_handed_out_once() -> None:
    queue = WorkQueue(ITEMS, 3)
    batches = drained(queue, 3)
    assert sorted(item for _, batch in batches for item in batch.items) == list(range(1000))
    assert queue.left == 0
    assert all(len({ITEMS[item][0] for item in batch.items}) == 1 for _, batch in batches)


def test_batches_are_large_first_and_small_at_the_end() -> None:
    sizes = [len(batch.items) for _, batch in drained(WorkQueue(ITEMS, 3), 3)]
    assert max(sizes[:5]) == LARGEST
    assert set(sizes[-6:]) == {1}


def test_workers_share_the_repositories() -> None:
    """With as many workers as repositories, each has one, until there is nothing left of its own."""
    first = drained(WorkQueue(ITEMS, 5), 5)[:5]
    assert len({batch.repository for _, batch in first}) == 5


def test_the_batches_of_a_dead_worker_are_done_by_others() -> None:
    queue, rng, done = WorkQueue(ITEMS, 3), random.Random(0), list[int]()
    workers = [WarmWorker() for _ in range(3)]
    while (batch := queue.take(worker := rng.choice(workers))) is not None:
        if rng.random() < 0.3:
            queue.lost(batch, worker)
        else:
            done += batch.items
    assert sorted([*done, *queue.given_up]) == list(range(1000))


def test_an_answer_that_ends_every_worker_is_given_up_alone() -> None:
    queue, worker, done, deaths = WorkQueue(ITEMS, 1), WarmWorker(), list[int](), 0
    while (batch := queue.take(worker)) is not None:
        if 500 in batch.items:
            queue.lost(batch, worker)
            deaths += 1
        else:
            done += batch.items
    assert queue.given_up == [500]
    assert sorted([*done, 500]) == list(range(1000))
    assert deaths <= 9


def test_an_open_queue_takes_items_until_it_is_closed() -> None:
    queue: WorkQueue[int] = WorkQueue((), 2, is_open=True)
    worker = WarmWorker()
    assert queue.take(worker) is None
    queue.add("a", 1)
    queue.add("b", 2)
    batches = [queue.take(worker), queue.take(worker), queue.take(worker)]
    assert [batch and batch.items for batch in batches] == [(1,), (2,), None]
    queue.close()
    assert (queue.is_open, queue.is_closed) == (False, True)


def test_a_queue_says_which_items_it_gives_up() -> None:
    queue, worker = WorkQueue([("a", 1)], 1), WarmWorker()
    said = []
    while (batch := queue.take(worker)) is not None:
        said.append(tuple(queue.lost(batch, worker)))
    assert said == [(), (), (1,)]
