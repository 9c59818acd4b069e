"""Tables of rates, and the sentences that belong beneath them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.inference import cluster_statistics
from proband.inference.estimation import CHOSEN, DEPENDENCE
from proband.inference.evaluation import CENSORED_AT, Entry, Evaluation
from proband.measures import MedianCensoredRank
from proband.measures.compared import metrics_statement
from proband.report.grids import Grid, in_markdown
from proband.words import Note, as_sentence, counted

if TYPE_CHECKING:
    from rich.table import Table

_FEW = 4  # up to so many algorithms, a table shows every rank of every set of probes
TIES = {
    "pessimistic": "a tied non-mate stands before the mate",
    "optimistic": "a tied non-mate stands behind the mate",
    "mean": "ties are broken at random, and rates are expectations",
}


def _interval(entry: Entry, rank: int) -> str:
    found = entry.interval(rank)
    return "" if found is None else f"[{found.low:.3f}, {found.high:.3f}]"


def _cells(entry: Entry, ranks: tuple[int, ...], between: str) -> list[str]:
    """The cells of a row, with `between` a rate and its interval."""
    facts = entry.curve.facts
    median = MedianCensoredRank(CENSORED_AT)(entry.outcomes).value
    shown = f"≥ {CENSORED_AT}" if median >= CENSORED_AT else f"{median:g}"
    return [
        entry.algorithm,
        *(f"{entry.curve.at(t):.4f}{between}{_interval(entry, t)}" for t in ranks),
        shown,
        f"{facts.n_probes:,}",
        f"{facts.n_gallery_subjects:,}",
    ]


def _header(ranks: tuple[int, ...]) -> list[str]:
    return ["algorithm", *(f"rank {t}" for t in ranks), "median rank", "probes", "gallery"]


def evaluation_table(evaluation: Evaluation) -> Table:
    """Make a table for the terminal, the best rate of each set of probes in bold.

    A block of rows for each set of probes; with many algorithms one row each, and the rate at the first rank for every
    set of probes.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if len(evaluation.categories) > 1 and len(evaluation.algorithms) > _FEW:
        return _wide_table(evaluation)
    several = len(evaluation.categories) > 1
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(_header(evaluation.ranks)):
        table.add_column(name, justify="right" if place else "left", no_wrap=place > 0)
    for category in evaluation.categories:
        entries = evaluation.of(category)
        if several:
            table.add_section()
            table.add_row(Text(category, style="italic"))
        best = [max(entry.curve.at(t) for entry in entries) for t in evaluation.ranks]
        for entry in entries:
            cells = [Text(cell) for cell in _cells(entry, evaluation.ranks, "\n")]
            for cell, t, top in zip(cells[1:], evaluation.ranks, best, strict=False):
                if entry.curve.at(t) == top and len(entries) > 1:
                    cell.stylize("bold", 0, cell.plain.find("\n"))
            table.add_row(Text("  " if several else "") + cells[0], *cells[1:])
    return table


def _wide_table(evaluation: Evaluation) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rank = evaluation.ranks[0]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"rank {rank}", title_justify="left")
    table.add_column("algorithm")
    best = []
    for category in evaluation.categories:
        entries = evaluation.of(category)
        table.add_column(Text(f"{category}\n{entries[0].curve.facts.n_probes:,} probes"), justify="right")
        best.append(max(entry.curve.at(rank) for entry in entries))
    for name in evaluation.algorithms:
        cells = []
        own = [entry for entry in evaluation.entries if entry.algorithm == name]
        for entry, top in zip(own, best, strict=True):
            rate = Text(f"{entry.curve.at(rank):.4f}", style="bold" if entry.curve.at(rank) == top else "")
            cells.append(Text.assemble(rate, f"\n{_interval(entry, rank)}"))
        table.add_row(Text(name), *cells)
    return table


def evaluation_grids(evaluation: Evaluation) -> list[Grid]:
    """Make a table as text for each set of probes."""
    return [
        Grid(
            category,
            tuple(_header(evaluation.ranks)),
            tuple(tuple(_cells(entry, evaluation.ranks, "\n")) for entry in evaluation.of(category)),
        )
        for category in evaluation.categories
    ]


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Write the same tables as Markdown."""
    lines: list[str] = []
    header = _header(evaluation.ranks)
    for category in evaluation.categories:
        lines += [
            f"### {in_markdown(category)}",
            "",
            "| " + " | ".join(header) + " |",
            "|---" + "|--:" * (len(header) - 1) + "|",
        ]
        lines += [
            "| " + " | ".join(map(in_markdown, _cells(entry, evaluation.ranks, " "))) + " |"
            for entry in evaluation.of(category)
        ]
        lines.append("")
    return "\n".join(lines)


def metrics_of(evaluation: Evaluation) -> Note:
    """What the scores of an evaluation's algorithms are."""
    entries = evaluation.of(evaluation.categories[0])
    return metrics_statement((entry.algorithm, entry.curve.facts.metric) for entry in entries)


def statements(evaluation: Evaluation) -> list[str]:
    """Say what the numbers mean and what was left out, a sentence each."""
    entries = evaluation.of(evaluation.categories[0])
    first = entries[0].curve.facts
    said = [
        f"Gallery: {counted(first.n_gallery_images, 'image')} of "
        f"{counted(first.n_gallery_subjects, 'person', 'people')} ({first.gallery_rule}).",
        f"Probes scored: {counted(first.n_probes, 'image')} of {counted(first.n_probe_subjects, 'person', 'people')} "
        f"({first.probe_rule}); a rate is a share of these.",
        as_sentence(metrics_of(evaluation)),
    ]
    if first.n_unmated:
        have = "has" if first.n_unmated == 1 else "have"
        said.append(
            f"Open universe: {counted(first.n_unmated, 'more probe')} {have} no mate in the gallery; without one there is "
            "no rank, so identification rates leave it out."
        )
    else:
        said.append("Closed universe: every probe has a mate in the gallery.")
    without = {entry.algorithm: entry.curve.facts.n_failed for entry in entries if entry.curve.facts.n_failed}
    if without or first.n_gallery_failed:
        flagged = int(
            entries[0].outcomes.experiment.samples.failed[entries[0].outcomes.experiment.probes].sum()
        )
        counts = set(without.values())
        alike = len(counts) == 1 and len(without) == len(entries)
        lost = (
            f"{counts.pop():,}"
            if alike
            else ", ".join(f"{name} {n:,}" for name, n in without.items()) or "none"
        )
        said.append(
            f"Failures to acquire: {counted(flagged, 'probe')} and {counted(first.n_gallery_failed, 'gallery image')} are marked "
            f"in the table; scored probes without a rank, by these marks or by failed comparisons, count as misses: {lost}."
        )
    elif first.on_failure == "as_scored" and entries[0].outcomes.experiment.samples.failed.any():
        said.append("Failures to acquire: marked, but every score is taken at its word.")
    said.append(f"Ranks count gallery {first.counting}; {TIES[first.ties]} ({_tied(entries)}).")
    answers = evaluation.answers
    said.append(
        f"Intervals: {evaluation.confidence_level:.0%} at each rank. Varying: {answers.varying}. Fixed: {answers.fixed}. "
        f"Assuming: {answers.assuming}."
    )
    said += _dependence(entries)
    return said + [as_sentence(note) for note in evaluation.notes]


def _dependence(entries: tuple[Entry, ...]) -> list[str]:
    """What the intervals rest on, and the algorithm for which shared people matter most."""
    chosen = [note for entry in entries for note in entry.band.notes if note.code in CHOSEN]
    said = [f"Method: {note}." for note in chosen[:1]]
    shared = [
        (cluster_statistics(entry.outcomes.success(1), entry.outcomes.subjects).design_effect, entry, note)
        for entry in entries
        for note in entry.band.notes
        if note.code in DEPENDENCE
    ]
    if shared:
        _, worst, note = max(shared, key=lambda one: one[0])
        said.append(f"Dependence, at rank 1 for {worst.algorithm}: {note}.")
    return said


def _tied(entries: tuple[Entry, ...]) -> str:
    counts = [
        f"{entry.algorithm} {entry.curve.facts.n_tied:,}" for entry in entries if entry.curve.facts.n_tied
    ]
    return "probes with such a tie: " + ", ".join(counts) if counts else "no probe has such a tie"
