"""A description of this machine: processor, cores and system, without names of machine or user."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

from proband.words import counted

_PROCESSORS = Path("/proc/cpuinfo")
_MODEL = "model name"


def describe_machine() -> str:
    """Describe the machine in one line: processor, cores, system."""
    cores = os.cpu_count()
    parts = (
        _processor(),
        None if cores is None else counted(cores, "core"),
        f"{platform.system()} {platform.release()} {platform.machine()}".strip(),
    )
    return ", ".join(part for part in parts if part)


def _processor() -> str:
    """The processor model, from a file on Linux and from Python on other systems."""
    with suppress(OSError, UnicodeDecodeError):
        for line in _PROCESSORS.read_text(encoding="utf-8").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == _MODEL:
                return " ".join(model.split())
    return platform.processor()
