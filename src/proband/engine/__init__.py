"""Where computations run: in blocks on threads, processes or a cluster, with progress and the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.engine.engines import (
        LOCAL as LOCAL,
        Engine as Engine,
        engine_said as engine_said,
        on_engine as on_engine,
        run_blocks as run_blocks,
        using as using,
    )
    from proband.engine.files.files import written_whole as written_whole
    from proband.engine.kept import Kept as Kept
    from proband.engine.progress import Progress as Progress, Silent as Silent
    from proband.engine.threads import (
        default_threads as default_threads,
        one_blas_thread as one_blas_thread,
        slices as slices,
        uninterrupted as uninterrupted,
    )

__getattr__, __dir__ = lazily(
    __name__,
    {
        "engines": "LOCAL Engine engine_said on_engine run_blocks using",
        "files.files": "written_whole",
        "kept": "Kept",
        "progress": "Progress Silent",
        "threads": "default_threads one_blas_thread slices uninterrupted",
    },
)
