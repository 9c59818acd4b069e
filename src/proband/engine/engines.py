"""Engines: threads of this process, or workers elsewhere, as chosen by the caller; nothing is detected automatically."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, ParamSpec, TypeVar

from proband.engine.sending import working
from proband.engine.threads import in_threads
from proband.engine.workers import Borrowed, Cluster, Processes, Workers
from proband.errors import EngineError, Hint, UsageError

Block = TypeVar("Block")
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

Engine = Any
"""``"threads"``, ``"processes"``, ``"processes:4"``, an address ``"tcp://…"``, an `Executor` or a Dask client; None for the one in use."""

LOCAL = re.compile(r"threads|processes(:[1-9][0-9]{0,3})?")
"""Engines of this machine."""
_ADDRESS = re.compile(r"(tcp|tls)://.+")
_HINT = Hint(
    "{option:engine} must be threads, processes, processes:4, or the address of a Dask scheduler: tcp://host:8786."
)
_SECONDS = 10
_in_use: ContextVar[Workers | Literal["threads"] | None] = ContextVar("engine", default=None)


def run_blocks(
    task: Callable[[Block], Result], blocks: Iterable[Block], threads: int | None = None
) -> Iterator[Result]:
    """Yield ``task(block)`` for each block, in order, on the current engine: threads, unless set by `using`.

    Only a few more blocks than workers are in progress at once, so memory is bounded for any number of blocks and any
    speed of the consumer. Workers do not distribute work further.
    """
    if working.get():
        return in_threads(task, blocks, 1)
    workers = _in_use.get()
    if workers is None or workers == "threads":
        return in_threads(task, blocks, threads)
    if threads is not None:
        raise UsageError(
            f"{threads} threads were requested, but the engine in use is not threads.",
            Hint(
                "specify the number of processes: {option:engine=processes:4}; or leave one of the two out."
            ),
        )
    return workers.run(task, blocks)


@contextmanager
def using(engine: Engine = None) -> Iterator[None]:
    """Run all blocks in this context on an engine; its workers and connections are closed at the end.

    Parameters
    ----------
    engine
        ``"threads"``; ``"processes"`` or ``"processes:4"``, processes on this machine; ``"tcp://host:8786"``, a Dask
        scheduler; any `concurrent.futures.Executor`; a `dask.distributed.Client`. None changes nothing.

    Examples
    --------
    >>> with using("threads"):
    ...     list(run_blocks(str, range(3)))
    ['0', '1', '2']
    """
    if engine is None:
        yield
        return
    with _workers(engine) as workers:
        token = _in_use.set(workers)
        try:
            yield
        finally:
            _in_use.reset(token)


def engine_said() -> bool:
    """Whether an engine was chosen."""
    return _in_use.get() is not None


def on_engine(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Add an argument `engine` to a function that determines where its blocks run."""

    @functools.wraps(verb)
    def run(*args: Parameters.args, **named: Parameters.kwargs) -> Result:
        with using(named.pop("engine", None)):
            return verb(*args, **named)

    return run


@contextmanager
def _workers(engine: Engine) -> Iterator[Workers | Literal["threads"]]:
    distributed = sys.modules.get("distributed")  # a client always has it
    if isinstance(engine, str):
        with _named(engine) as workers:
            yield workers
    elif isinstance(engine, Executor):
        yield Borrowed(engine)
    elif distributed is not None and isinstance(engine, distributed.Client):
        yield Cluster(engine)
    else:
        raise UsageError(f"{engine!r:.80} is not an engine.", _HINT)


@contextmanager
def _named(engine: str) -> Iterator[Workers | Literal["threads"]]:
    if engine == "threads":
        yield "threads"
    elif LOCAL.fullmatch(engine):
        pool = Processes(int(engine.partition(":")[2] or 0))
        try:
            yield pool
        except BaseException:
            pool.close(at_once=True)
            raise
        pool.close()
    elif _ADDRESS.fullmatch(engine):
        client = _client(engine)
        try:
            yield Cluster(client)
        finally:
            client.close()
    else:
        raise UsageError(f"There is no engine {engine!r:.80}.", _HINT)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "Dask is not installed, which is needed to connect to a scheduler.", "pip install 'proband[dask]'"
        ) from None
    try:
        return Client(address, timeout=_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise EngineError(
            f"No Dask scheduler was found at {address}: {error}.", "start one: dask scheduler"
        ) from None
