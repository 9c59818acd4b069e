"""Where work runs: blocks of it over local threads, with progress, the same result at any number of threads."""

from proband.engine.files.files import written_whole
from proband.engine.local import default_threads, one_blas_thread, run_blocks, slices, uninterrupted
from proband.engine.progress import Progress, Silent

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
