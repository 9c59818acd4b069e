"""Memory limits for the claimed size of file contents."""

from __future__ import annotations

import os
from pathlib import Path

from proband.errors import InputError
from proband.words import fixed

_GIB = 1 << 30
_WORTH_ASKING = 1 << 20
_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """The number of bytes available to this process; None if the system does not report it."""
    bounds = (_free(), _left_of_group(), _left_of_limit())
    return min((bound for bound in bounds if bound is not None), default=None)


def require_memory(n_bytes: int, where: str) -> None:
    """Refuse to unpack contents larger than memory: a small file may claim any size, and the process would be killed."""
    available = available_memory() if n_bytes >= _WORTH_ASKING else None
    if available is not None and n_bytes > available:
        raise InputError(
            f"{where} needs {fixed(n_bytes / _GIB, 1)} GiB when unpacked, but {fixed(max(0, available) / _GIB, 1)} GiB are free.",
            "check the file, which may be damaged or malicious; or use a machine with more memory, or .npy, which is read in parts.",
        )


def _free() -> int | None:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" in names:  # macOS reports only installed memory
        return int(os.sysconf("SC_PHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    return None


def _left_of_group() -> int | None:
    """The memory left in a container; cached file pages count as available."""
    limit, used = (
        next(iter(_lines(_CGROUP / name)), "max").strip() for name in ("memory.max", "memory.current")
    )
    if not (limit.isdecimal() and used.isdecimal()):
        return None
    held = [line.split()[1] for line in _lines(_CGROUP / "memory.stat") if line.startswith("inactive_file ")]
    return int(limit) - int(used) + sum(map(int, held))


def _left_of_limit() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    taken = next(iter(_lines(Path("/proc/self/statm"))), "").split()
    if limit == resource.RLIM_INFINITY or not taken:
        return None
    return limit - int(taken[0]) * resource.getpagesize()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
