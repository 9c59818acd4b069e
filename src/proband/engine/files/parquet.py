"""Parquet and Arrow files, read in a child process, since a corrupt file may crash the reader."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any

import polars as pl

from proband.engine.files import parquet_child
from proband.engine.files.files import refused, require_regular
from proband.errors import InputError, Said, UsageError
from proband.words import count, digits

COLUMNAR = {".parquet": "Parquet", ".pq": "Parquet", ".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow"}
"""Files of columns by their endings: Parquet, and Arrow's own format (IPC), which is also Feather's."""
MEMORY_VARIABLE = "PROBAND_PARQUET_GIB"
_GIB = 1 << 30
_LEAST_MEMORY, _MEMORY_PER_BYTE = 2 * _GIB, 64
_LEAST_SECONDS, _BYTES_PER_SECOND = 120, 1_000_000
_PATIENCE = 10  # additional time for reading a file from a slow disk
# Threads and allocator arenas reserve addresses, which count as memory; this number reads as fast as a disk.
_ENVIRONMENT = {"POLARS_MAX_THREADS": str(min(8, os.cpu_count() or 1)), "MALLOC_ARENA_MAX": "2"}


def parquet_columns(path: Path) -> list[str]:
    """Return the names of the columns."""
    found: list[str] = _ask(path, None, None)["columns"]
    if not found:
        raise InputError(f"{path.name} has no columns.", file=Said(path.name))
    return found


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read a table, or some of its columns, from Parquet or (by extension) Arrow.

    Memory is limited to 64 times the size of the file, and at least 2 GiB; ``PROBAND_PARQUET_GIB`` sets another limit.
    """
    # A mapping outlives the file, except on Windows, where the file is read instead.
    with tempfile.TemporaryDirectory(prefix="proband-", ignore_cleanup_errors=True) as folder:
        table = Path(folder) / "table.arrow"
        _ask(path, table, columns)
        frame = pl.read_ipc(table if sys.platform != "win32" else table.read_bytes())
    if not frame.width:
        raise InputError(f"{path.name} has no columns.", file=Said(path.name))
    return frame


def _ask(path: Path, out: Path | None, columns: Sequence[str] | None) -> dict[str, Any]:
    """Run a task in the child, and raise an error with the reason if it failed."""
    require_regular(path)
    kind = COLUMNAR.get(path.suffix.lower(), "Parquet")
    with refused(f"{path.name} cannot be read as {kind}", file=Said(path.name)):
        size = path.stat().st_size
        memory, seconds = _memory(size), _LEAST_SECONDS + size // _BYTES_PER_SECOND
        task = {
            "file": str(path.resolve()),
            "kind": kind,
            "out": None if out is None else str(out),
            "columns": None if columns is None else list(columns),
            "memory": memory,
            "seconds": seconds,
        }
        answer, end = _CHILD.ask(task, _PATIENCE * seconds)
    if answer is None:
        raise InputError(
            f"{path.name} cannot be read as {kind}: its reader {end}.",
            f"it is damaged, or needs more than {digits(memory / _GIB)} GiB or {count(seconds)} s to read; if it is sound, set "
            f"{MEMORY_VARIABLE} to a larger number.",
            file=Said(path.name),
        )
    if answer["error"] is not None:
        raise InputError(
            f"{path.name} cannot be read as {kind}: {answer['error'].rstrip('.')}.", file=Said(path.name)
        )
    return answer


def _memory(size: int) -> int:
    asked = os.environ.get(MEMORY_VARIABLE)
    if not asked:
        return max(_LEAST_MEMORY, _MEMORY_PER_BYTE * size)
    try:
        memory = int(float(asked) * _GIB)
    except (ValueError, OverflowError):
        memory = 0
    if memory <= 0:
        raise UsageError(f"{MEMORY_VARIABLE} must be a number of GiB above 0, got {asked!r}.")
    return memory


class _Child:
    """The reading process, started on first use and restarted after a crash."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._complaints: IO[bytes] | None = None

    def ask(self, task: dict[str, Any], seconds: float) -> tuple[dict[str, Any] | None, str]:
        """Return the answer to a task, or None and how the process ended."""
        with self._lock:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            timer = Timer(seconds, process.kill)
            timer.start()
            line, end = b"", ""
            try:
                process.stdin.write(json.dumps(task).encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:  # a broken pipe, which is another error on Windows
                pass
            finally:
                timer.cancel()
                # Without a complete answer the process is unusable, whether it crashed or was interrupted.
                if not line.endswith(b"\n"):
                    end = self._stop()
            return (None, end) if end else (json.loads(line), "")

    def _running(self) -> subprocess.Popen[bytes]:
        # A forked process must not share the pipes of its parent.
        if self._process is None or self._process.poll() is not None or self._owner != os.getpid():
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process ends
            # Isolated and without site packages: it uses only the import path of this process.
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and our own file
                [sys.executable, "-I", "-S", parquet_child.__file__, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env={**os.environ, **_ENVIRONMENT},
            )
            self._owner = os.getpid()
        return self._process

    def _stop(self) -> str:
        """Stop the process if it is running, and return how it ended."""
        process, complaints = self._process, self._complaints
        if process is None or complaints is None or self._owner != os.getpid():
            return ""
        self._process = self._complaints = None
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        try:
            code = process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with complaints:
            complaints.seek(0)
            said = complaints.read(400).decode(errors="replace").strip().splitlines()
        return _ended(code) + (f" ({said[0][:200].rstrip('.')})" if said else "")


def _ended(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was terminated by {signal.Signals(-code).name}"
    except ValueError:
        return f"was terminated by signal {-code}"


_CHILD = _Child()
atexit.register(_CHILD._stop)
