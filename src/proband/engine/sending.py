"""Work sent to workers: a task is packed once with its arrays, except for those in files."""

from __future__ import annotations

import io
import mmap
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from proband.engine.files.mapping import mapped_at, reference_to
from proband.engine.source_digest import code_digest
from proband.engine.threads import one_blas_thread
from proband.errors import EngineError, InputError, ProbandError, Said

Integers = npt.NDArray[np.integer[Any]]

_ALIGNED = 64
_MOST_OPEN = 2
_OPEN: OrderedDict[str, Any] = OrderedDict()
_LOCK = Lock()

working: ContextVar[bool] = ContextVar("working", default=False)
"""Whether this is a worker, which shares nothing out further."""


_WORTH_SHORTENING = 1 << 20  # bytes of integers
_LOOKED_AT = 1000


class _Packer(pickle.Pickler):
    """Pickles arrays in files by reference, and large integer arrays in fewer bytes."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, np.memmap):
            found = reference_to(thing)
            return NotImplemented if found is None else (mapped_at, found)
        if type(thing) is np.ndarray and thing.ndim == 1 and thing.dtype.kind == "i":
            return _shortened(thing) if thing.nbytes >= _WORTH_SHORTENING else NotImplemented
        return NotImplemented


def _shortened(numbers: Integers) -> Any:
    """A compact form of integers: steps that are mostly equal, or a narrower type."""
    steps = np.diff(numbers)  # overflow here is reversed by overflow in the sum
    usual = int(np.median(steps[:: 1 + len(steps) // _LOOKED_AT]))
    others = np.flatnonzero(steps != usual)
    if 4 * (others.nbytes + steps.itemsize * len(others)) <= numbers.nbytes:
        return _of_steps, (numbers[0], len(numbers), usual, others, steps[others], numbers.flags.writeable)
    narrow = np.result_type(np.min_scalar_type(numbers.min()), np.min_scalar_type(numbers.max()))
    if 2 * narrow.itemsize <= numbers.itemsize:
        return _widened, (numbers.astype(narrow), numbers.dtype, numbers.flags.writeable)
    return NotImplemented


def _of_steps(
    first: np.integer[Any], n: int, usual: int, at: Integers, steps: Integers, writeable: bool
) -> Integers:
    """Rebuild integers from the first and the steps, which are `usual` with exceptions."""
    numbers = np.full(n, usual, dtype=first.dtype)
    numbers[0] = first
    numbers[at + 1] = steps
    np.cumsum(numbers, out=numbers)
    numbers.flags.writeable = writeable
    return numbers


def _widened(narrow: Integers, kind: np.dtype[Any], writeable: bool) -> Integers:
    """Restore integers to their original type."""
    numbers = narrow.astype(kind)
    numbers.flags.writeable = writeable
    return numbers


class Span(NamedTuple):
    """The location of a piece in a parcel, and whether it is read-only, for which kernels are compiled separately."""

    start: int
    stop: int
    readonly: bool


@dataclass(frozen=True)
class Parcel:
    """A packed task, in a file visible to workers, or in memory."""

    key: str
    program: str
    spans: tuple[Span, ...]
    path: str | None = None
    content: bytes | None = None

    @property
    def n_bytes(self) -> int:
        """The size in bytes."""
        return self.spans[-1].stop

    def opened(self) -> Any:
        """The task, unpacked once per process for all blocks, and forgotten after other tasks."""
        with _LOCK:
            if self.key not in _OPEN:
                _OPEN[self.key] = self._unpacked()
                while len(_OPEN) > _MOST_OPEN:
                    _OPEN.popitem(last=False)
            return _OPEN[self.key]

    def _unpacked(self) -> Any:
        if self.program != code_digest():
            raise EngineError(
                "A worker runs a different version of Proband.",
                "install the same version on every machine, and restart the workers.",
            )
        content = memoryview(self._content())
        pieces = [
            content[one.start : one.stop].toreadonly() if one.readonly else content[one.start : one.stop]
            for one in self.spans
        ]
        try:
            return pickle.loads(pieces[0], buffers=pieces[1:])  # noqa: S301 - what this program packed
        except (AttributeError, ImportError, TypeError, pickle.UnpicklingError) as error:
            raise EngineError(
                f"A worker cannot load its task: {error}.",
                "define your code in a module that the workers can import, not in the script that you run.",
            ) from None

    def _content(self) -> mmap.mmap | bytearray:
        """The bytes; those of a file are mapped copy-on-write."""
        if self.path is None:
            return bytearray(self.content or b"")
        try:
            with Path(self.path).open("rb") as file:
                return mmap.mmap(file.fileno(), self.n_bytes, access=mmap.ACCESS_COPY)
        except (OSError, ValueError) as error:
            raise InputError(
                f"A worker cannot read the task in {self.path}: {error}.",
                f"set {SHARED_VARIABLE} to a directory that all workers can read.",
                file=Said(self.path),
            ) from None


SHARED_VARIABLE = "PROBAND_SHARED"


def packed(task: Any) -> tuple[Parcel, list[memoryview]]:
    """Pack a task: return the parcel, still without content, and the pieces of its content in order."""
    written, buffers = io.BytesIO(), []

    def beside(one: pickle.PickleBuffer) -> None:
        buffers.append(one.raw())

    try:
        _Packer(written, protocol=5, buffer_callback=beside).dump(task)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise EngineError(
            f"The work cannot be sent to other processes: {error}.",
            "define your code in a module, not within a function; or leave the engine out.",
        ) from None
    pieces = [written.getbuffer().toreadonly(), *buffers]
    spans, end = [], 0
    for piece in pieces:
        start = -(-end // _ALIGNED) * _ALIGNED
        end = start + piece.nbytes
        spans.append(Span(start, end, piece.readonly))
    return Parcel(uuid4().hex, code_digest(), tuple(spans)), pieces


def write(file: Any, parcel: Parcel, pieces: Sequence[memoryview]) -> None:
    """Write the pieces at their spans."""
    for span, piece in zip(parcel.spans, pieces, strict=True):
        file.write(b"\0" * (span.start - file.tell()))
        file.write(piece)


@dataclass(frozen=True)
class Run:
    """A run of blocks, opaque to engines."""

    blocks: list[Any]


class Done(NamedTuple):
    """The result of a run of blocks: the results up to the first error, if any, and the time in seconds."""

    results: list[Any]
    error: ProbandError | None
    seconds: float


def work(parcel: Parcel, run: Run) -> Done:
    """Process a run of blocks, as a worker."""
    begun, results = perf_counter(), []
    token = working.set(True)
    try:
        task: Callable[[Any], Any] = parcel.opened()
        with one_blas_thread():
            for block in run.blocks:
                results.append(task(block))  # noqa: PERF401 - those before an error count
    except ProbandError as error:
        return Done(results, error, perf_counter() - begun)
    finally:
        working.reset(token)
    return Done(results, None, perf_counter() - begun)


def forget(key: str) -> None:
    """Forget a finished task."""
    with _LOCK:
        _OPEN.pop(key, None)


def sees(path: str, content: str) -> bool:
    """Whether a worker sees a file with the expected content."""
    try:
        return Path(path).read_text(encoding="ascii") == content
    except OSError:
        return False
