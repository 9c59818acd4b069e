"""The process that reads Parquet and Arrow for `proband.engine.files.parquet`: isolated, limited, and allowed to crash.

It is run as a script and imports nothing of Proband, which would take longer than reading most files.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main(path: list[str]) -> None:
    """Read tasks line by line until there are no more, and answer each with a line."""
    sys.path[:] = path
    import polars as pl

    for line in sys.stdin.buffer:
        task = json.loads(line)
        _limit(task["memory"], task["seconds"])
        answer: dict[str, Any] = {"columns": None, "error": None}
        try:
            arrow = task["kind"] == "Arrow"
            if task["out"] is None:
                answer["columns"] = (
                    list(pl.read_ipc_schema(task["file"]))
                    if arrow
                    else pl.scan_parquet(task["file"], glob=False).collect_schema().names()
                )
            else:
                frame = (
                    pl.read_ipc(task["file"], columns=task["columns"])
                    if arrow
                    else pl.read_parquet(task["file"], columns=task["columns"], glob=False)
                )
                frame.write_ipc(task["out"], compression="uncompressed")
                del frame
        except BaseException as error:  # polars panics in addition to the usual exceptions
            answer["error"] = (str(error).splitlines() or [type(error).__name__])[0][:200]
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _limit(memory: int, seconds: int) -> None:
    """Limit further memory and time, if the system supports it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set(resource, resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - pathlib would take a third of the time
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # macOS, where address space does not reflect memory
        return
    _set(resource, resource.RLIMIT_AS, taken + memory)


def _set(resource: Any, which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
