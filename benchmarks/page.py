"""The table of one run as a page of the documentation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from benchmarks.job import HEADER, Row
from proband.report.tables.cells import table, text_cell
from proband.report.tables.formats import as_markdown, in_markdown
from proband.report.tables.table import Column

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

HEAD = """# Performance

Speed is told as ratios of times in one run on one machine, each beside a check that the answers are the same. Absolute times differ
from machine to machine; ratios differ less. This page is made by `python -m benchmarks --write` and holds what it measured, whether or not a
goal was reached.
"""

READING = """- **ours** is the time of Proband, the least of several runs. **naive** is the way that first comes to mind, **competent peer** the
  fastest other way we know or other software, and the columns beside them are their time over ours: above 1 we are faster.
- **goal** is what we set out to reach, and whether this run did. **equal** is whether the answers agree, and where a tolerance or another
  definition matters, in what.
- Slow ways are timed on a part of the work and scaled; the text of the job says so.
- Other packages run in processes and environments of their own, on one thread, and are given the same arrays. Their time is the CPU time of
  the call alone, without imports, reading or what prepares their input. "Not installed" says that one was not on the machine.
"""

RUNNING = """## On your machine

```console
$ make bench                                  # every job; peers that are there
$ make bench-peers                            # sets up the environments of the peers first, in .venv/peers
$ python -m benchmarks roc start_up           # some jobs
$ python -m benchmarks --write                # every job, and this page
```

R's package survey is used where `Rscript` finds it (Debian: `r-base-core`, `r-cran-survey`).
"""


def as_page(
    rows: Sequence[Row], jobs: Sequence[ModuleType], left_out: Sequence[str], where: Mapping[str, str]
) -> str:
    """The whole page: where it was measured, the table made of the rows, what each job is and which were left out."""
    heads = tuple(Column(title) for title in HEADER)
    made = table("benchmarks", "", heads, (map(text_cell, row.cells()) for row in rows))
    return "\n".join(
        [
            HEAD,
            "## Where this was measured\n",
            *(f"- {what}: {in_markdown(found)}" for what, found in where.items()),
            "\n## What was measured\n",
            as_markdown(made),
            "",
            READING,
            "## The jobs\n",
            *(f"- `{job.__name__.rpartition('.')[2]}`: {_told(job)}" for job in jobs),
            *(f"- `{name}`: not in this run" for name in left_out),
            "",
            RUNNING,
        ]
    )


def _told(job: ModuleType) -> str:
    """What a job says of itself, on one line."""
    return " ".join((inspect.getdoc(job) or "").split())
