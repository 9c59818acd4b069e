"""Write one run as a page of the documentation: a chart of ratios, the goals, and a section for each job."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType

from matplotlib.figure import Figure

from benchmarks.job import HEADER, Growth, Row, times
from proband.report.tables.cells import table, text_cell
from proband.report.tables.formats import as_markdown, in_markdown
from proband.report.tables.table import Column

PAGE = Path(__file__).parents[1] / "docs" / "understand" / "performance.md"
CHART = "../images/performance.svg"
NOT_INSTALLED = "not installed"
BOUNDS = ("bare sgemm", "loading the libraries", "bare Python", "a run", "threads", "ours with one thread")
"""References for our time that are not other solutions of the job."""

HEAD = """# Performance

How fast is Proband, compared with a naive solution and with other software? Each row below compares times measured in one
run on one machine, and checks that the answers are equal. Absolute times differ between machines; ratios differ less.
`python -m benchmarks --write` writes this page, with all results, whether or not a goal was reached.
"""

READING = """How to read the tables:

- **ours**: the time of Proband, the minimum of several runs.
- **naive**: the obvious solution. **competent peer**: the fastest other solution we know, or other software. The columns
  next to them are their time divided by ours: above 1, Proband is faster; below 1, slower.
- **goal**: the target, and whether this run reached it.
- **equal**: whether the answers are equal; if with a tolerance or under another definition, what was compared.
- Slow solutions are timed on a part of the work and scaled; the description of the job says so.
- Other packages run on one thread, in processes and environments of their own, on the same arrays. Their time is the CPU
  time of the call alone, without imports, reading or preparing the input.
"""

RUNNING = """## On your machine

```console
$ make bench                              # all jobs, with the peers that are installed
$ make bench-peers                        # installs the peers in .venv/peers first
$ python -m benchmarks roc start_up       # some jobs
$ python -m benchmarks --write            # all jobs, and this page
```

R's survey package is used if `Rscript` finds it (Debian: `r-base-core`, `r-cran-survey`).
"""


def as_page(
    measured: Mapping[ModuleType, Sequence[Row | Growth]],
    left_out: Sequence[str],
    where: Mapping[str, str],
    details: Mapping[ModuleType, str] = MappingProxyType({}),
) -> str:
    """The whole page: the chart, the goals, a table for each job, and where it was measured."""
    rows = [row for several in measured.values() for row in several]
    absent = sorted(
        {row.peer_name.partition(":")[0] for row in rows if isinstance(row, Row) and _is_missing(row)}
    )
    return "\n".join(
        [
            HEAD,
            f"![Times of others over ours, on a logarithmic axis]({CHART})\n",
            f"{reached_of([row for row in rows if not _is_missing(row)])}\n",
            READING,
            *(line for job, several in measured.items() for line in _section(job, several, details.get(job))),
            "## Where this was measured\n",
            *(f"- {what}: {in_markdown(found)}" for what, found in where.items()),
            *([f"- not on this machine: {', '.join(absent)}"] if absent else []),
            *([f"- not in this run: {', '.join(f'`{name}`' for name in left_out)}"] if left_out else []),
            "",
            RUNNING,
        ]
    )


def _section(job: ModuleType, rows: Sequence[Row | Growth], details: str | None) -> Iterator[str]:
    """What a job measures, its table, and further details."""
    name = job.__name__.rpartition(".")[2]
    yield f"## {getattr(job, 'TITLE', name.replace('_', ' ').capitalize())}\n"
    for paragraph in (inspect.getdoc(job) or "").split("\n\n"):
        yield f"{' '.join(paragraph.split())}\n"
    cells = without_repeats([row for row in rows if not _is_missing(row)])
    used = [k for k in range(len(HEADER)) if any(row[k] not in ("", "–", "–: –") for row in cells)]
    heads = tuple(Column(HEADER[k]) for k in used)
    yield as_markdown(
        table("benchmarks", "", heads, (map(text_cell, [row[k] for k in used]) for row in cells))
    )
    yield ""
    if details is not None:
        yield details


def _is_missing(row: Row | Growth) -> bool:
    return isinstance(row, Row) and row.peer_name.endswith(NOT_INSTALLED)


def without_repeats(rows: Sequence[Row | Growth]) -> list[list[str]]:
    """The cells of every row; the job and our time stand once where several others did the same job."""
    made: list[list[str]] = []
    before: list[str] = []
    for row in rows:
        cells = row.cells()
        made.append(["", "", *cells[2:]] if cells[:2] == before else cells)
        before = cells[:2]
    return made


def reached_of(rows: Sequence[Row | Growth]) -> str:
    """How many goals were reached, and which were not."""
    judged = [row for row in rows if row.reached is not None]
    missed = [row for row in judged if not row.reached]
    text = f"{len(judged) - len(missed)} of {len(judged)} goals were reached in this run."
    return "\n".join([text, *(["", "Missed:", ""] if missed else []), *map(_missed, missed)])


def _missed(row: Row | Growth) -> str:
    """What was measured, and what the goal was."""
    cells = dict(zip(HEADER, row.cells(), strict=True))
    if isinstance(row, Growth):
        return f"- {in_markdown(row.job)}: {cells['ours']}, goal {cells['goal']}"
    other = f", {row.peer_name} {row.peer:.3g} s ({cells['peer/ours']})" if row.peer is not None else ""
    return (
        f"- {in_markdown(_plain(row.job))}: {cells['ours']}{in_markdown(other)}; goal {in_markdown(row.goal)}"
    )


def chart(rows: Sequence[Row | Growth]) -> Figure:
    """How many times as long others take, a mark for each on a logarithmic axis."""
    shown = [
        row for row in rows if isinstance(row, Row) and row.peer is not None and row.peer_name not in BOUNDS
    ]
    figure = Figure(figsize=(10, 1 + 0.25 * len(shown)), layout="constrained")
    axis = figure.subplots()
    for place, row in enumerate(shown):
        assert row.peer is not None  # as they were chosen
        ratio = row.peer / row.ours
        axis.plot([1, ratio], [place, place], color="#9AA7B5", linewidth=2, zorder=1)
        axis.plot(ratio, place, "o", color="#1F5FA8" if ratio >= 1 else "#B4472B", zorder=2)
        axis.annotate(
            times(ratio),
            (max(ratio, 1), place),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axis.axvline(1, color="#222222", linewidth=0.8)
    axis.set_xscale("log")
    axis.margins(x=0.12, y=0.02)
    axis.xaxis.set_major_formatter(lambda ratio, _: f"{ratio:g}×")
    axis.set_yticks(
        range(len(shown)),
        [f"{_plain(row.job)} · {_plain(row.peer_name)}" for row in shown],
        fontsize=7,
    )
    axis.invert_yaxis()
    axis.set_xlabel("times as long as Proband")
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(left=False)
    return figure


def _plain(text: str) -> str:
    """What was measured, without the numbers of this run in brackets and what follows a comma or semicolon too many."""
    return re.sub(r" \([^)]*\)", "", text).partition("; ")[0]
