"""A process that has what Windows has: every module is imported, and the program writes a report with processes of its own."""

from __future__ import annotations

import builtins
import io
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

ABSENT = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
IMPORT, OPEN = builtins.__import__, io.open


def imported(name: str, globals: Any = None, *rest: Any, **named: Any) -> Any:
    """Import for others what there is; for Proband only what every system has."""
    if name in ABSENT and str((globals or {}).get("__name__")).startswith("proband"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return IMPORT(name, globals, *rest, **named)


def opened(file: Any, *rest: Any, **named: Any) -> Any:
    """Open what is no file of Linux alone."""
    if str(file).startswith(("/proc", "/sys")):
        raise FileNotFoundError(file)
    return OPEN(file, *rest, **named)


if __name__ in (
    "__main__",
    "__mp_main__",
):  # or in a worker that it starts; doctest imports this too, and must keep what it has
    builtins.__import__, io.open = imported, opened
    for module, names in {
        os: ("O_DIRECTORY", "fork", "getuid", "geteuid", "sched_getaffinity", "sysconf_names"),
        signal: ("SIGBUS", "SIGALRM", "pthread_sigmask"),
    }.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    os.process_cpu_count = os.cpu_count  # type: ignore[attr-defined] # as Python 3.13 on Windows has it

if __name__ == "__main__":
    import proband
    from proband.cli import main
    from proband.engine.files.memory import available_memory

    for found in walk_packages(proband.__path__, "proband."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    assert available_memory() is None
    folder = Path(sys.argv[1])
    rows = [f"{a},{b},{(a == b) + 0.1 * ((3 * a + b) % 7)}" for a in range(12) for b in range(12)]
    (folder / "pairs.csv").write_text("\n".join(["probe,reference,score", *rows]) + "\n", encoding="utf-8")
    words = "--columns subject_a=probe,subject_b=reference,score=score --orientation similarity --engine processes:2"
    main(["verify", str(folder / "pairs.csv"), *words.split(), "--report", str(folder / "report.html")])
