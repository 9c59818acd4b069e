"""Where work runs: blocks of it over threads, processes or a cluster, with progress, the same result on every engine."""

from proband.engine.engines import LOCAL, Engine, engine_said, on_engine, run_blocks, using
from proband.engine.files.files import written_whole
from proband.engine.kept import Kept
from proband.engine.progress import Progress, Silent
from proband.engine.threads import default_threads, one_blas_thread, slices, uninterrupted

__all__ = [
    "LOCAL",
    "Engine",
    "Kept",
    "Progress",
    "Silent",
    "default_threads",
    "engine_said",
    "on_engine",
    "one_blas_thread",
    "run_blocks",
    "slices",
    "uninterrupted",
    "using",
    "written_whole",
]
