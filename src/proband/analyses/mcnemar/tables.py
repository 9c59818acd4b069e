"""McNemar's tests as people read them: by set of probes and pair, as Table 4 of Beveridge et al. 2001."""

from __future__ import annotations

from proband.inference.comparisons.mcnemar_table import McNemarRow, McNemarTable
from proband.report import cells
from proband.report.cells import (
    count_cell,
    effect_cell,
    effect_interval_cell,
    empty_cell,
    p_cell,
    rate_cell,
    text_cell,
)
from proband.report.notes import answered
from proband.report.table import Cell, Column, Table
from proband.results.base import Answers
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PROBES, PROBES_ALIKE
from proband.words import Note, Sentence, Target, percent

ANSWERS = Answers(
    Target("difference-of-rates", "difference of rates"), OTHER_PROBES, ALGORITHMS_AND_GALLERY, PROBES_ALIKE
)
"""What the difference of two rates means where probes are the units."""

_TESTED = Sentence(
    "mcnemar.tested", "note", "First: {first}. Second: {second}. Success: rank {rank} or better"
)
_NOT_INDEPENDENT = Sentence(
    "mcnemar.not-independent",
    "caution",
    "{probes:count probe} are of {people:count person/people} and are not independent, so this test rejects too often: "
    "use compare, which accounts for people",
)


def mcnemar_rows(found: McNemarTable, id: str = "") -> Table:
    """A row for each set of probes and pair of algorithms."""
    heads = (
        Column("probes of", "name"),
        Column("first", "name"),
        Column("second", "name"),
        Column("probes", "number"),
        Column("first recognises", "number", "Its recognition rate."),
        Column("second recognises", "number", "Its recognition rate."),
        Column("SS", "number", "Probes that both recognise."),
        Column("SF", "number", "Probes that only the first recognises."),
        Column("FS", "number", "Probes that only the second recognises."),
        Column("FF", "number", "Probes that neither recognises."),
        Column("difference, points", "number", "The first less the second."),
        Column(f"{percent(found.confidence_level)} interval", "interval", "Tango's, of the difference."),
        Column("p, first better", "number", "One-sided, exact."),
        Column("p, two-sided", "number", "Exact."),
        Column("adjusted p", "number", "The two-sided one, for all tests of the table together (Holm)."),
    )
    return cells.table(id, "McNemar's test by probe set", heads, [_row(one) for one in found.rows])


def _row(one: McNemarRow) -> list[Cell]:
    counts, test = one.counts, one.test
    named = [text_cell(one.probe_set), text_cell(one.first), text_cell(one.second), count_cell(counts.n)]
    if test is None or one.interval is None or one.difference is None:
        return [*named, *(empty_cell() for _ in range(11))]
    return [
        *named,
        rate_cell(one.rate_first),
        rate_cell(one.rate_second),
        *map(count_cell, (counts.ss, counts.sf, counts.fs, counts.ff)),
        effect_cell(one.difference),
        effect_interval_cell(*one.interval, True, ANSWERS),
        p_cell(test.p_greater, None),
        p_cell(test.p_two_sided, None),
        p_cell(one.p_adjusted, None),
    ]


def mcnemar_statements(found: McNemarTable) -> list[Note]:
    """What was tested, what p-values are adjusted for and what to beware of, a note each."""
    return [*found.notes, answered(ANSWERS)]


def statements_of_one(found: McNemarTable) -> list[Note]:
    """What was tested where there is one test alone, and what to beware of."""
    (row,) = found.rows
    said = [_TESTED(first=row.first, second=row.second, rank=found.rank)]
    if row.n_people < row.counts.n:
        said.append(_NOT_INDEPENDENT(probes=row.counts.n, people=row.n_people))
    return said
