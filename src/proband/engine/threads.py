"""Threads of this machine."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any, TypeVar

from proband.errors import UsageError

Block = TypeVar("Block")
Result = TypeVar("Result")

THREADS_VARIABLE = "PROBAND_THREADS"


def default_threads() -> int:
    """The number of threads to use: ``PROBAND_THREADS``, or all cores available to this process."""
    asked = os.environ.get(THREADS_VARIABLE)
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise UsageError(f"{THREADS_VARIABLE} must be a whole number of at least 1, got {asked!r}.")
        return int(asked)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def in_threads(
    function: Callable[[Block], Result], blocks: Iterable[Block], threads: int | None = None
) -> Iterator[Result]:
    """Yield ``function(block)`` for each block, in order, computed by several threads, which is faster where the GIL is released."""
    workers = threads if threads is not None else default_threads()
    if workers < 1:
        raise UsageError(f"The number of threads must be at least 1, got {workers}.")
    if workers == 1:
        yield from map(function, blocks)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for block in blocks:
                waiting.append(pool.submit(function, block))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def slices(length: int, step: int, start: int = 0) -> Iterator[slice]:
    """Cut a range into runs of `step`.

    Examples
    --------
    >>> list(slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for begin in range(start, length, step):
        yield slice(begin, min(begin + step, length))


def uninterrupted(function: Callable[[Block], Result], block: Block) -> Result:
    """Call a function without interruption: a keyboard interrupt of the main thread waits until it is done."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, block).result()


class _BlasThreads:
    """The number of BLAS threads is global to the process: the first user limits it, and the last restores it."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit = ExitStack()
        self._libraries: Any = None
        self._n_modules = 0

    def enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit.enter_context(self._found().limit(limits=1, user_api="blas"))
            self._inside += 1

    def _found(self) -> Any:
        """The BLAS libraries of this process; the slow search is repeated only after further imports."""
        from threadpoolctl import ThreadpoolController

        if self._libraries is None or self._n_modules != len(sys.modules):
            self._libraries, self._n_modules = ThreadpoolController(), len(sys.modules)
        return self._libraries

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.close()


_BLAS = _BlasThreads()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while we run several of our own, since both at once double the cost."""
    _BLAS.enter()
    try:
        yield
    finally:
        _BLAS.leave()
