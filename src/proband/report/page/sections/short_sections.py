"""Shorter answers: accuracy over folds, McNemar's test, exact means over choices of images, training sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.inference.comparisons.mcnemar_table import McNemarTable
from proband.report import cells
from proband.report.analyses.evaluation import overlap_tables
from proband.report.analyses.mcnemar import mcnemar_rows, mcnemar_statements
from proband.report.analyses.measures import measures_statements, measures_table, with_replicates
from proband.report.leading import looks
from proband.report.page.charts.distributions import spread_charts
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.table import Table
from proband.words import as_sentence

if TYPE_CHECKING:
    from proband.study.findings import Findings

_RANKS = 10


@section("measures", 25)
def measures_section(found: Findings) -> Section | None:
    """Other measures that were asked for, a row for each algorithm and set of probes."""
    if not found.measured:
        return None
    shown = measures_table(found.measured, found.confidence_level)
    told = Folded("What the measures mean", tuple(said(measures_statements(found.measured))))
    drawn = spread_charts(with_replicates(found.measured), looks(found))
    spread = (Folded("How they are spread over replicates", tuple(drawn)),) if drawn else ()
    return Section("measures", "Other measures", (shown, *spread, told))


@section("overlap", 27)
def overlap_section(found: Findings) -> Section | None:
    """Images and people that gallery and probe sets have in common."""
    if found.overlap is None:
        return None
    notes = [as_sentence(note) for note in found.overlap.notes]
    return Section("overlap", "What the sets share", (*overlap_tables(found.overlap), *said(notes)))


@section("folds", 50)
def folds_section(found: Findings) -> Section | None:
    """Accuracy over the folds of listed pairs, one row for each algorithm."""
    if not found.folds:
        return None
    rows = [
        [
            cells.text_cell(one.name),
            cells.rate_cell(one.mean),
            cells.rate_cell(one.standard_error),
            cells.count_cell(len(one.accuracies)),
            cells.count_cell(one.n_pairs),
        ]
        for one in found.folds
    ]
    heads = cells.columns("algorithm", "accuracy", "standard error", "folds", "pairs")
    notes = [
        "Each fold's threshold is chosen on the other folds. The standard error is the protocol's own, over folds; it says nothing of "
        "people who are in several pairs.",
        *(as_sentence(note) for one in found.folds for note in one.notes),
    ]
    return Section(
        "folds", "Accuracy over folds", (cells.table("folds", "Accuracy over folds", heads, rows, notes),)
    )


@section("mcnemar", 45)
def mcnemar_section(found: Findings) -> Section | None:
    """Two algorithms by the probes on which they differ."""
    one = found.mcnemar
    if one is None:
        return None
    if isinstance(one, McNemarTable):
        return Section(
            "mcnemar", "McNemar's test", (mcnemar_rows(one, "mcnemar"), *said(mcnemar_statements(one)))
        )
    rows = [
        [cells.text_cell(name), cells.count_cell(n)]
        for name, n in (
            ("both", one.counts.ss),
            (f"only {one.first}", one.counts.sf),
            (f"only {one.second}", one.counts.fs),
            ("neither", one.counts.ff),
        )
    ]
    table = cells.table(
        "mcnemar", "Probes by who recognises them", cells.columns("recognised by", "probes"), rows
    )
    test = one.test
    told = [
        f"McNemar's exact test: p {cells.p_value(test.p_two_sided)} (two-sided), {cells.p_value(test.p_greater)} (first better), "
        f"{cells.p_value(test.p_less)} (second better); mid-p {cells.p_value(test.p_mid)}.",
        f"Difference of rates {cells.effect(one.difference)} points {cells.effect_interval(*one.interval)} (Tango).",
        *map(str, one.sentences()),
    ]
    return Section("mcnemar", "McNemar's test", (table, *said(told)))


@section("exact-choices", 55)
def exact_choices_section(found: Findings) -> Section | None:
    """Mean rates over all choices of images, computed and not drawn."""
    if not found.exact_choices:
        return None
    ranks = range(1, min(_RANKS, max(len(one.cmc) for one in found.exact_choices.values())) + 1)
    rows = [
        [
            cells.text_cell(name),
            *(cells.rate_cell(float(one.cmc[min(rank, len(one.cmc)) - 1])) for rank in ranks),
            cells.empty_cell() if one.variance_rank_1 is None else cells.rate_cell(one.variance_rank_1**0.5),
        ]
        for name, one in found.exact_choices.items()
    ]
    heads = cells.columns("algorithm", *(f"rank {rank}" for rank in ranks), "standard deviation at rank 1")
    notes = ["Every person's pair drawn independently, all pairs equally likely; nothing is simulated."]
    notes += [] if found.pool is None else [as_sentence(note) for note in found.pool.notes]
    table = cells.table("exact-choices", "Mean rates over choices of images", heads, rows, notes)
    return Section("exact-choices", "Choice of images, exactly", (table,))


@section("trainings", 60)
def trainings_section(found: Findings) -> Section | None:
    """How much training sets matter."""
    made = found.trainings
    if made is None or made.replicates is None:
        return None
    rows = [
        [cells.text_cell(name), cells.rate_cell(float(value))]
        for name, value in zip(found.trained, made.replicates, strict=True)
    ]
    blocks: list[Block] = [
        *said([repr(made), *(as_sentence(note) for note in made.notes)]),
        cells.table(
            "trainings", "The rate with each training set", cells.columns("trained as", "rate"), rows
        ),
    ]
    return Section("trainings", "Training sets", tuple(blocks))


def sizes_table(found: Findings) -> Table | None:
    """Open-set errors that smaller galleries would give."""
    rows = [
        [
            cells.text_cell(row["algorithm"]),
            cells.count_cell(row["gallery"]),
            cells.rate_cell(row["fpir"]),
            cells.rate_cell(row["fnir"]),
        ]
        for frame in found.by_gallery_size
        for row in frame.iter_rows(named=True)
    ]
    heads = cells.columns("algorithm", "people enrolled", "FPIR", "FNIR")
    return cells.table("search-sizes", "Smaller galleries, enrolled at random", heads, rows) if rows else None
