"""The machine on which a run was measured."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

LIBRARIES = ("proband", "numpy", "numba", "scipy", "polars")


def beginning() -> dict[str, str]:
    """The day, and how busy the machine is before a run makes it so."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"
    return {"date": time.strftime("%Y-%m-%d"), "load before the run (0 is a quiet machine)": load}


def machine() -> dict[str, str]:
    """The processor, its instructions, the kernels of BLAS and the versions of libraries."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]  # type: ignore[index]
    blas = {f"{one['internal_api']} {one['version']}, {one['architecture']}"
            for one in threadpool_info() if one["user_api"] == "blas"}  # fmt: skip
    return {
        "processor": _processor(),
        "cores": f"{os.cpu_count()}",
        "instructions that numpy uses": ", ".join((*simd["baseline"], *simd["found"])),
        "BLAS": "; ".join(sorted(blas)),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    }


def _processor() -> str:
    """The model as Linux names it; elsewhere what Python knows."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
