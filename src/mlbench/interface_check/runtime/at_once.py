"""Run work that a candidate hands to the standard library at once, in this process, so that its calls are seen.

Threads, pools, executors and processes of the candidate's own code run their work when they get it. Those of other code
do not change.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import itertools
import multiprocessing.context
import multiprocessing.pool
import queue
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Wrap = Callable[[Any], Any]

_CALLING = (map, filter, itertools.starmap, functools.reduce)
_NAMED = {("asyncio.threads", "to_thread"), ("timeit", "timeit"), ("timeit", "repeat")}


def calls_its_first(function: Any) -> bool:
    """Whether a function of the standard library calls its first argument."""
    if any(function is each for each in _CALLING):
        return True
    return type(function) is types.FunctionType and (function.__module__, function.__name__) in _NAMED


@contextlib.contextmanager
def at_once(mine: Callable[[], bool], wrap: Wrap) -> Iterator[None]:
    """A context in which handed-over work runs at once.

    Args:
        mine: whether the candidate's own code is the caller.
        wrap: returns the callable to call instead of a handed-over one.
    """
    kept: list[tuple[Any, str, Any]] = []

    def put(holder: Any, name: str, value: Any) -> None:
        kept.append((holder, name, vars(holder).get(name, _ABSENT)))
        setattr(holder, name, value)

    def either(own: Any, original: Any) -> Any:
        """Return a class that makes `own` for the candidate, and `original` for other code."""
        return lambda *args, **named: own(*args, **named) if mine() else original(*args, **named)

    executor = type("Executor", (_Executor,), {"wrap": staticmethod(wrap)})
    pool = type("Pool", (_Pool,), {"wrap": staticmethod(wrap)})
    task = type("Process", (_Process,), {"wrap": staticmethod(wrap)})

    class Thread(threading.Thread):
        _done = False

        def start(self) -> None:
            if not mine():
                super().start()
                return
            self._target = wrap(getattr(self, "_target", None))
            self._done = True
            with contextlib.suppress(SystemExit):
                self.run()

        def join(self, timeout: float | None = None) -> None:
            if not self._done:
                super().join(timeout)

        def is_alive(self) -> bool:
            return not self._done and super().is_alive()

    put(threading, "Thread", Thread)
    for name in ("ThreadPoolExecutor", "ProcessPoolExecutor"):
        put(concurrent.futures, name, executor)
    put(multiprocessing.pool, "ThreadPool", either(pool, multiprocessing.pool.ThreadPool))
    put(multiprocessing.pool, "Pool", either(pool, multiprocessing.pool.Pool))
    made = {"Pool": pool, "Queue": _Queue, "SimpleQueue": _Queue, "JoinableQueue": _Queue, "Manager": _Manager}
    for name, kind in made.items():
        put(multiprocessing, name, kind)
        put(multiprocessing.context.BaseContext, name, _method(kind))
    put(multiprocessing, "Process", task)
    for name in ("DefaultContext", "ForkContext", "SpawnContext", "ForkServerContext"):
        put(getattr(multiprocessing.context, name), "Process", task)
    try:
        yield
    finally:
        for holder, name, value in reversed(kept):
            delattr(holder, name) if value is _ABSENT else setattr(holder, name, value)


_ABSENT = object()


def _method(kind: Any) -> Any:
    return lambda context, *args, **named: kind(*args, **named)


class _Executor(concurrent.futures.Executor):
    wrap: Wrap

    def __init__(
        self, max_workers: Any = None, *options: Any, initializer: Any = None, initargs: Any = (), **more: Any
    ) -> None:
        if initializer is not None:
            self.wrap(initializer)(*initargs)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(self.wrap(fn)(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Later:
    """The result of a pool's asynchronous methods. The work is done."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self, timeout: Any = None) -> Any:
        return self._value

    def wait(self, timeout: Any = None) -> None:
        pass

    def ready(self) -> bool:
        return True

    successful = ready


class _Pool:
    wrap: Wrap

    def __init__(self, processes: Any = None, initializer: Any = None, initargs: Any = (), *more: Any) -> None:
        if initializer is not None:
            self.wrap(initializer)(*initargs)

    def apply(self, func: Any, args: Any = (), kwds: Any = types.MappingProxyType({})) -> Any:
        return self.wrap(func)(*args, **kwds)

    def map(self, func: Any, iterable: Iterable[Any], chunksize: Any = None) -> list[Any]:
        return [self.wrap(func)(one) for one in iterable]

    def starmap(self, func: Any, iterable: Iterable[Any], chunksize: Any = None) -> list[Any]:
        return [self.wrap(func)(*one) for one in iterable]

    def imap(self, func: Any, iterable: Iterable[Any], chunksize: Any = 1) -> Iterator[Any]:
        return iter(self.map(func, iterable))

    imap_unordered = imap

    def _later(self, value: Any, callback: Any) -> _Later:
        if callback is not None:
            callback(value)
        return _Later(value)

    def apply_async(
        self, func: Any, args: Any = (), kwds: Any = types.MappingProxyType({}), callback: Any = None, *more: Any
    ) -> _Later:
        return self._later(self.apply(func, args, kwds), callback)

    def map_async(self, func: Any, iterable: Any, chunksize: Any = None, callback: Any = None, *more: Any) -> _Later:
        return self._later(self.map(func, iterable), callback)

    def starmap_async(
        self, func: Any, iterable: Any, chunksize: Any = None, callback: Any = None, *more: Any
    ) -> _Later:
        return self._later(self.starmap(func, iterable), callback)

    def close(self) -> None:
        pass

    join = terminate = close

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class _Process:
    wrap: Wrap
    exitcode, pid, ident = 0, 0, 0

    def __init__(
        self, group: Any = None, target: Any = None, name: Any = None, args: Any = (), kwargs: Any = None, **more: Any
    ) -> None:
        self.name, self.daemon = name or "Process-1", bool(more.get("daemon"))
        self._target, self._args, self._kwargs = target, args, dict(kwargs or {})

    def run(self) -> None:
        if self._target is not None:
            self.wrap(self._target)(*self._args, **self._kwargs)

    def start(self) -> None:
        with contextlib.suppress(SystemExit):
            self.run()

    def join(self, timeout: Any = None) -> None:
        pass

    def is_alive(self) -> bool:
        return False

    def close(self) -> None:
        pass

    terminate = kill = close


class _Queue(queue.Queue):  # type: ignore[type-arg]
    """A queue whose producer has finished."""

    def __init__(self, maxsize: int = 0, **more: Any) -> None:
        super().__init__()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        return super().get(block=False)

    def close(self) -> None:
        pass

    join = join_thread = cancel_join_thread = close


class _Manager:
    dict, list, Queue, Namespace = dict, list, _Queue, types.SimpleNamespace
    Lock, RLock, Event = threading.Lock, threading.RLock, threading.Event

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def start(self) -> None:
        pass

    shutdown = start
