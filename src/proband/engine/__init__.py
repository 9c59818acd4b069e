"""Where work runs: blocks of it over local threads, with progress, the same result at any number of threads."""

from proband.engine.files.files import written_whole
from proband.engine.progress import Progress, Silent
from proband.engine.threads import default_threads, one_blas_thread, run_blocks, slices, uninterrupted

__all__ = [
    "Progress",
    "Silent",
    "default_threads",
    "one_blas_thread",
    "run_blocks",
    "slices",
    "uninterrupted",
    "written_whole",
]
