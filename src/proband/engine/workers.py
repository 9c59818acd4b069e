"""Workers: processes of this machine, any executor, or a Dask cluster."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

from proband.engine.sending import SHARED_VARIABLE, Done, Parcel, Run, forget, packed, sees, work, write
from proband.engine.threads import default_threads
from proband.errors import EngineError, UsageError
from proband.words import count

Block = TypeVar("Block")
Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)
_LEAST_SECONDS, _LONGEST_RUN = 0.1, 256
_WORTH_SAYING = 100_000_000
_MOST_BREAKS = 3
_MOST_ON_WINDOWS = 61  # processes that one thread can wait for
_LOOK_UP = 0.3  # seconds
_PATIENCE = 30  # seconds until a scheduler answers and has a worker


class Workers(ABC):
    """The workers to which runs of blocks are sent."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of concurrent runs."""

    @abstractmethod
    def submit(self, parcel: Any, run: Run) -> Any:
        """Submit a run of blocks; return a future of its result."""

    def cancel(self, future: Any) -> None:
        """Cancel a run that has not begun."""
        future.cancel()

    def result(self, future: Any) -> Done:
        """Wait for the result of a run, waking up regularly for interrupts, which libraries may block."""
        while not wait((future,), _LOOK_UP).done:
            pass
        done: Done = future.result()
        return done

    cure = "restart it with fewer workers; they died, possibly for lack of memory."

    def renew(self, error: BaseException, n_breaks: int) -> None:
        """Replace workers that died, or raise an error."""
        raise EngineError(f"The engine broke down: {error or type(error).__name__}.", self.cure) from error

    @contextmanager
    def sent(self, task: Any) -> Iterator[Any]:
        """Make a task available to workers, and remove it at the end."""
        with shared_directory() as folder:
            yield _put(task, folder)

    def run(self, task: Callable[[Block], Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """Yield ``task(block)`` for each block, in order; few runs, each of some duration, are in progress at once."""
        remaining = iter(blocks)
        first = list(islice(remaining, 2))
        if len(first) < 2:  # nothing to distribute
            yield from map(task, first)
            return
        with self.sent(task) as parcel:
            line = _Line(self, parcel)
            try:
                for one in first:
                    line.add(Run([one]))
                while True:
                    while line.has_room and (run := list(islice(remaining, line.length))):
                        line.add(Run(run))
                    if not line.waiting:
                        return
                    yield from line.next()
            finally:
                line.cancel()


class _Line:
    """The queue of submitted runs of blocks."""

    def __init__(self, workers: Workers, parcel: Any) -> None:
        self._workers, self._parcel = workers, parcel
        self._n, self._breaks = workers.n, 0
        self.waiting: deque[tuple[Run, Any]] = deque()
        self.length = 1

    @property
    def has_room(self) -> bool:
        return len(self.waiting) <= 2 * self._n

    def add(self, run: Run) -> None:
        self.waiting.append((run, None))
        with suppress(BrokenExecutor):  # it is sent when its turn comes
            self.waiting[-1] = run, self._workers.submit(self._parcel, run)

    def next(self) -> Iterator[Any]:
        """Return the result of the oldest run."""
        done = self._first()
        run, _ = self.waiting.popleft()
        each = done.seconds / max(1, len(done.results))
        if done.error is None:
            self.length = min(_LONGEST_RUN, 2 * self.length, max(1, ceil(_LEAST_SECONDS / max(each, 1e-9))))
            assert len(done.results) == len(run.blocks)
        yield from done.results
        if done.error is not None:
            raise done.error

    def _first(self) -> Done:
        while True:
            run, future = self.waiting[0]
            try:
                done = self._workers.result(future or self._workers.submit(self._parcel, run))
            except BrokenExecutor as error:
                self._breaks += 1
                self._workers.renew(error, self._breaks)
                runs = [run for run, _ in self.waiting]
                self.waiting.clear()
                for one in runs:
                    self.add(one)
            else:
                self._breaks = 0
                return done

    def cancel(self) -> None:
        for _, future in self.waiting:
            if future is not None:
                self._workers.cancel(future)


class Borrowed(Workers):
    """An executor of the caller, who also shuts it down."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    @property
    def n(self) -> int:
        return getattr(self._executor, "_max_workers", None) or default_threads()

    def submit(self, parcel: Any, run: Run) -> Any:
        return self._executor.submit(work, parcel, run)


class Processes(Workers):
    """Processes of this machine, started on first use, ended with the engine, and replaced if they die."""

    cure = (
        "start fewer processes; they died, possibly for lack of memory. In a script, put the work under if "
        "__name__ == '__main__', because every process imports the script."
    )

    def __init__(self, n: int | None = None) -> None:
        self._n = n or default_threads()
        if sys.platform == "win32":
            self._n = min(self._n, _MOST_ON_WINDOWS)
        self._pool: Any = None

    @property
    def n(self) -> int:
        return self._n

    def submit(self, parcel: Any, run: Run) -> Any:
        if self._pool is None:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            # Not forked: a fork of a process with threads may wait forever for a missing thread.
            self._pool = ProcessPoolExecutor(self._n, multiprocessing.get_context("spawn"), _begin)
        with _uninterruptible():
            return self._pool.submit(work, parcel, run)

    def renew(self, error: BaseException, n_breaks: int) -> None:
        if n_breaks > _MOST_BREAKS:
            super().renew(error, n_breaks)
        _LOG.warning("a worker died; its unfinished work is repeated.")
        self.close(at_once=True)

    def close(self, at_once: bool = False) -> None:
        """Stop the processes, with `at_once` also busy ones."""
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        for one in list((pool._processes or {}).values()) if at_once else ():
            one.terminate()
        pool.shutdown(wait=True, cancel_futures=not at_once)

    def cancel(self, future: Any) -> None:
        """Do nothing until the pool ends: a pool whose processes die must not have cancelled runs (CPython 3.11)."""


@contextmanager
def _uninterruptible() -> Iterator[None]:
    """Start processes that ignore interrupts, since the sender ends them; an interrupt is delivered here afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Start as a worker that ignores interrupts, and ends with the sender."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None  # for every process started this way

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


class Cluster(Workers):
    """The workers of a Dask scheduler."""

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise UsageError(
                "The Dask client is asynchronous; a synchronous client is needed.",
                "create it without asynchronous=True.",
            )
        self._client = client

    @property
    def n(self) -> int:
        return int(sum(self._client.nthreads().values()))

    def submit(self, parcel: Any, run: Run) -> Any:
        return self._client.submit(work, parcel, run, pure=False)

    def result(self, future: Any) -> Done:
        with _telling():
            done: Done = future.result()
            return done

    def cancel(self, future: Any) -> None:
        with suppress(Exception):  # the cluster may be gone
            future.cancel()

    @contextmanager
    def sent(self, task: Any) -> Iterator[Any]:
        """Make a task available to all workers in a shared directory, or send each a copy."""
        self._require_workers()
        with shared_directory() as folder:
            token = folder / "seen"
            token.write_text(folder.name, encoding="ascii", newline="\n")
            with _telling():
                seen = self._client.run(sees, str(token), folder.name)
            if seen and all(value is True for value in seen.values()):
                parcel = held = _put(task, folder)
            else:
                made, pieces = packed(task)
                _say_size(made, "sent to every worker, because they do not share a directory")
                parcel = replace(made, content=_joined(made, pieces))
                with _telling():
                    held = self._client.scatter(parcel, broadcast=True, hash=False)
            try:
                yield held
            finally:
                with suppress(Exception):  # lost workers hold nothing
                    self._client.run(forget, parcel.key)

    def _require_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise EngineError(
                f"The scheduler {self._client.scheduler.address} has no workers.",
                "start some: dask worker ADDRESS",
            ) from None


@contextmanager
def _telling() -> Iterator[None]:
    """Convert errors of a cluster or connection to an `EngineError`."""
    from concurrent.futures import CancelledError

    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise EngineError(
            f"Workers of the cluster died repeatedly on the same task ({error.task}).",
            "start fewer workers, or workers with more memory.",
        ) from error
    except (CommClosedError, CancelledError, FutureCancelledError, TimeoutError) as error:
        raise EngineError(
            f"The cluster no longer responds: {error or type(error).__name__}.",
            "check that its scheduler is still running.",
        ) from error
    except ImportError as error:
        raise EngineError(
            f"A worker of the cluster cannot start: {error}.", "install the same version of Proband there."
        ) from error


@contextmanager
def shared_directory() -> Iterator[Path]:
    """A directory for sent data that all workers should see: in ``PROBAND_SHARED``, or for temporary files."""
    asked = os.environ.get(SHARED_VARIABLE) or None
    if asked is not None and not Path(asked).is_dir():
        raise UsageError(f"{SHARED_VARIABLE} must be an existing directory, got {asked!r}.")
    made = tempfile.TemporaryDirectory(prefix="proband-", dir=asked, ignore_cleanup_errors=True)
    try:
        with made as folder:
            yield Path(folder).resolve()
    finally:
        # Windows cannot remove files mapped by workers, which end before the program does.
        if Path(made.name).exists():
            atexit.register(shutil.rmtree, made.name, ignore_errors=True)


def _put(task: Any, folder: Path) -> Parcel:
    parcel, pieces = packed(task)
    _say_size(parcel, f"written to {folder.parent} for the workers")
    path = folder / "task"
    try:
        with path.open("wb") as file:
            write(file, parcel, pieces)
    except OSError as error:
        raise EngineError(
            f"{count(parcel.n_bytes)} bytes cannot be written to {folder.parent}: {error.strerror}.",
            f"set {SHARED_VARIABLE} to a directory with more space that all workers can read.",
        ) from None
    return replace(parcel, path=str(path))


def _joined(parcel: Parcel, pieces: Sequence[memoryview]) -> bytes:
    from io import BytesIO

    file = BytesIO()
    write(file, parcel, pieces)
    return file.getvalue()


def _say_size(parcel: Parcel, what: str) -> None:
    if parcel.n_bytes > _WORTH_SAYING:
        _LOG.info("%s MB of arrays in memory are %s.", count(parcel.n_bytes // 1_000_000), what)
