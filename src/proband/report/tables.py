"""Tables of rates, and the sentences that belong beneath them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.inference import cluster_statistics
from proband.inference.estimates.case import DEPENDENCE
from proband.inference.estimates.estimation import CHOSEN
from proband.inference.estimates.evaluation import CENSORED_AT, Entry, Evaluation, probes_called
from proband.measures import MedianCensoredRank
from proband.report.grids import Grid
from proband.results.compared import metrics_statement
from proband.words import Note, Sentence, Target, count, counted, fixed, given, interval

if TYPE_CHECKING:
    from rich.table import Table

_FEW = 4  # up to so many algorithms, a table shows every rank of every set of probes
TIES = {
    "pessimistic": "a tied non-mate stands before the mate",
    "optimistic": "a tied non-mate stands behind the mate",
    "mean": "ties are broken at random, and rates are expectations",
}
_GALLERY = Sentence(
    "evaluation.gallery", "note", "Gallery: {images:count image} of {people:count person/people} ({rule})"
)
_PROBES = Sentence(
    "evaluation.probes-scored",
    "note",
    "Probes scored: {images:count image} of {people:count person/people} ({rule}); a rate is a share of these",
)
_OPEN = Sentence(
    "evaluation.open-universe",
    "note",
    "Open universe: {n:count more probe has/more probes have} no mate in the gallery; without one there is no rank, so "
    "identification rates leave it out",
)
_CLOSED = Sentence(
    "evaluation.closed-universe", "note", "Closed universe: every probe has a mate in the gallery"
)
_MARKED = (
    "Failures to acquire: {probes:count probe} and {images:count gallery image} are marked in the table; scored probes "
    "without a rank, by these marks or by failed comparisons, count as misses: "
)
_FAILED = Sentence("evaluation.failures-to-acquire", "note", _MARKED + "{missed:counts}")
_FAILED_ALIKE = Sentence("evaluation.failures-to-acquire-alike", "note", _MARKED + "{missed:count}")
_AS_SCORED = Sentence(
    "evaluation.failures-as-scored",
    "note",
    "Failures to acquire: marked, but every score is taken at its word",
)
_TIED = Sentence(
    "evaluation.ties",
    "note",
    "Ranks count gallery {counting}; {rule} (probes with such a tie: {tied:counts})",
)
_UNTIED = Sentence(
    "evaluation.no-ties", "note", "Ranks count gallery {counting}; {rule} (no probe has such a tie)"
)
_INTERVALS = Sentence(
    "evaluation.intervals",
    "note",
    "Intervals: {level:level} at each rank. Varying: {varying}. Fixed: {fixed}. Assuming: {assuming}",
)
_METHOD = Sentence("evaluation.method", "note", "Method: {method}")
_DEPENDENCE = Sentence("evaluation.dependence", "note", "Dependence, at rank 1 for {algorithm}: {effect}")


def _interval(entry: Entry, rank: int) -> str:
    found = entry.interval(rank)
    return "" if found is None else interval(found.low, found.high)


def _cells(entry: Entry, ranks: tuple[int, ...], between: str) -> list[str]:
    """The cells of a row, with `between` a rate and its interval."""
    facts = entry.curve.facts
    median = MedianCensoredRank(CENSORED_AT)(entry.outcomes).value
    shown = f"≥ {CENSORED_AT}" if median >= CENSORED_AT else given(median)
    return [
        entry.algorithm,
        *(f"{fixed(entry.curve.at(t))}{between}{_interval(entry, t)}" for t in ranks),
        shown,
        count(facts.n_probes),
        count(facts.n_gallery_subjects),
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
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for place, name in enumerate(_header(evaluation.ranks)):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    for category in evaluation.categories:
        entries = evaluation.of(category)
        if several:
            table.add_section()
            table.add_row(Text(probes_called(category), style="italic"))
        best = [max(entry.curve.at(t) for entry in entries) for t in evaluation.ranks]
        for entry in entries:
            cells = [Text(cell) for cell in _cells(entry, evaluation.ranks, "\n")]
            for cell, t, top in zip(cells[1:], evaluation.ranks, best, strict=False):
                if entry.curve.at(t) == top and len(entries) > 1:
                    cell.stylize("bold", 0, len(fixed(top)))
            table.add_row(Text("  " if several else "") + cells[0], *cells[1:])
    return table


def _wide_table(evaluation: Evaluation) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rank = evaluation.ranks[0]
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, title=f"rank {rank}", title_justify="left"
    )
    table.add_column("algorithm")
    best = []
    for category in evaluation.categories:
        entries = evaluation.of(category)
        table.add_column(
            Text(f"{probes_called(category)}\n{counted(entries[0].curve.facts.n_probes, 'probe')}"),
            justify="right",
        )
        best.append(max(entry.curve.at(rank) for entry in entries))
    for name in evaluation.algorithms:
        cells = []
        own = [entry for entry in evaluation.entries if entry.algorithm == name]
        for entry, top in zip(own, best, strict=True):
            rate = Text(fixed(entry.curve.at(rank)), style="bold" if entry.curve.at(rank) == top else "")
            cells.append(Text.assemble(rate, f"\n{_interval(entry, rank)}"))
        table.add_row(Text(name), *cells)
    return table


def evaluation_grids(evaluation: Evaluation) -> list[Grid]:
    """Make a table as text for each set of probes."""
    return [
        Grid(
            probes_called(category),
            tuple(_header(evaluation.ranks)),
            tuple(tuple(_cells(entry, evaluation.ranks, "\n")) for entry in evaluation.of(category)),
        )
        for category in evaluation.categories
    ]


def metrics_of(evaluation: Evaluation) -> Note:
    """What the scores of an evaluation's algorithms are."""
    entries = evaluation.of(evaluation.categories[0])
    return metrics_statement((entry.algorithm, entry.curve.facts.metric) for entry in entries)


def statements(evaluation: Evaluation) -> list[Note]:
    """Say what the numbers mean and what was left out, a note each."""
    entries = evaluation.of(evaluation.categories[0])
    first = entries[0].curve.facts
    answers = evaluation.answers
    return [
        _GALLERY(images=first.n_gallery_images, people=first.n_gallery_subjects, rule=first.gallery_rule),
        _PROBES(images=first.n_probes, people=first.n_probe_subjects, rule=first.probe_rule),
        metrics_statement((entry.algorithm, entry.curve.facts.metric) for entry in entries),
        _OPEN(n=first.n_unmated) if first.n_unmated else _CLOSED(),
        *_failures(entries),
        _ties(entries),
        _INTERVALS(
            level=evaluation.confidence_level,
            varying=answers.varying,
            fixed=answers.fixed,
            assuming=answers.assuming,
        ),
        *_dependence(entries),
        *evaluation.notes,
    ]


def _failures(entries: tuple[Entry, ...]) -> list[Note]:
    """What became of failures to acquire, where there are any."""
    first, experiment = entries[0].curve.facts, entries[0].outcomes.experiment
    failed = {entry.algorithm: entry.curve.facts.n_failed for entry in entries}
    without = {name: n for name, n in failed.items() if n}
    if not without and not first.n_gallery_failed:
        as_scored = first.on_failure == "as_scored" and experiment.samples.failed.any()
        return [_AS_SCORED()] if as_scored else []
    flagged = int(experiment.samples.failed[experiment.probes].sum())
    marked = {"probes": flagged, "images": first.n_gallery_failed}
    if len(set(failed.values())) == 1:
        return [_FAILED_ALIKE(**marked, missed=first.n_failed)]
    return [_FAILED(**marked, missed=tuple(without.items()))]


def _ties(entries: tuple[Entry, ...]) -> Note:
    facts = entries[0].curve.facts
    tied = tuple((one.algorithm, one.curve.facts.n_tied) for one in entries if one.curve.facts.n_tied)
    how = {"counting": facts.counting, "rule": Target(facts.ties, TIES[facts.ties])}
    return _TIED(**how, tied=tied) if tied else _UNTIED(**how)


def _dependence(entries: tuple[Entry, ...]) -> list[Note]:
    """What the intervals rest on, and the algorithm for which shared people matter most."""
    chosen = [note for entry in entries for note in entry.band.notes if note.code in CHOSEN]
    said = [_METHOD(method=note) for note in chosen[:1]]
    shared = [
        (cluster_statistics(entry.outcomes.success(1), entry.outcomes.subjects).design_effect, entry, note)
        for entry in entries
        for note in entry.band.notes
        if note.code in DEPENDENCE
    ]
    if shared:
        _, worst, note = max(shared, key=lambda one: one[0])
        said.append(_DEPENDENCE(algorithm=worst.algorithm, effect=note))
    return said
