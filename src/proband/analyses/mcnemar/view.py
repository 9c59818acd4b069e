"""Views of McNemar's test by set of probes and pair, as in Table 4 of Beveridge et al. 2001."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.inference.comparisons.mcnemar_table import McNemarRow, McNemarTable
from proband.inference.comparisons.testing.mcnemar import BESIDE_MID_P
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, difference_label, values
from proband.report.charts.spec import Chart
from proband.report.notes import answered
from proband.report.tables.table import Cell, ShareOf, Table
from proband.report.view import View, shows
from proband.results.base import Answers
from proband.words import Note, Sentence, count, counted

_TESTED = Sentence(
    "mcnemar.tested", "note", "First: {first}. Second: {second}. Success: rank {rank} or better"
)
_NOT_INDEPENDENT = Sentence(
    "mcnemar.not-independent",
    "caution",
    "{probes:count probe} come from {people:count person/people} and are not independent, so this test rejects too "
    "often; use compare, which accounts for several probes per person",
)
_COUNTED = {
    "ss": "Probes recognised by both.",
    "sf": "Probes recognised only by the first.",
    "fs": "Probes recognised only by the second.",
    "ff": "Probes recognised by neither.",
}


@shows(McNemarTable)
class McNemarView(View[McNemarTable]):
    """Pairs of algorithms and the probes on which they differ: one row per pair and set of probes."""

    section = ("mcnemar", "McNemar's test", 45)
    meaning = "Notes on the tests"

    def tables(self, tests: McNemarTable) -> Sequence[Table]:
        return [_rows(tests)]

    def charts(self, tests: McNemarTable) -> Mapping[str, Sequence[Chart]]:
        return {"mcnemar": [_differences(tests)]}

    def notes(self, tests: McNemarTable) -> Sequence[Note]:
        beside = BESIDE_MID_P(alpha=1 - tests.confidence_level)
        return [*(tests.notes if len(tests.rows) > 1 else _of_one(tests)), beside, answered(tests.answers)]

    def answers(self, tests: McNemarTable) -> Sequence[Answers]:
        return [tests.answers]


def _of_one(tests: McNemarTable) -> list[Note]:
    """What was tested where there is one test alone, and what to beware of."""
    (row,) = tests.rows
    said = [_TESTED(first=row.first, second=row.second, rank=tests.rank)]
    if row.n_people < row.counts.n:
        said.append(_NOT_INDEPENDENT(probes=row.counts.n, people=row.n_people))
    return [*said, *tests.cautions]


def _rows(tests: McNemarTable) -> Table:
    """A row for each set of probes and pair of algorithms; without probes there is nothing to say."""
    return col.table_of(
        "McNemar's test by probe set",
        tests.rows,
        col.name("probes of", lambda row: row.probe_set),
        col.name("first", lambda row: row.first),
        col.name("second", lambda row: row.second),
        col.cell(
            "first\nCorr/Total",
            lambda row: _correct(row.n_correct_first, row),
            "Number of probes recognised.",
        ),
        col.rate("first\nrate", lambda row: row.rate_first, "Recognition rate."),
        col.cell(
            "second\nCorr/Total",
            lambda row: _correct(row.n_correct_second, row),
            "Number of probes recognised.",
        ),
        col.rate("second\nrate", lambda row: row.rate_second, "Recognition rate."),
        *col.each(_COUNTED, _counted),
        col.effect(
            "difference, points",
            lambda row: None if row.difference is None else row.difference.value,
            "First minus second.",
        ),
        col.effect_interval(
            col.at_level(tests.confidence_level),
            lambda row: col.ends(row.difference),
            "Tango's interval of the difference.",
            answers=tests.answers,
        ),
        col.p(
            "one-sided\np",
            lambda row: None if row.test is None else row.test.p_greater,
            "Exact one-sided test that the first is better, as printed by Beveridge et al. (2001).",
        ),
        col.p("two-sided\np", lambda row: None if row.test is None else row.test.p_value, "Exact."),
        col.p(
            "two-sided\nmid-p",
            lambda row: None if row.test is None else row.test.p_mid,
            "The observed outcome has half weight: less conservative, no longer exact.",
        ),
        col.p(
            "adjusted p",
            lambda row: None if row.test is None else row.test.p_adjusted,
            "Two-sided exact test, adjusted for all tests in the table (Holm).",
            when=len(tests.rows) > 1,
        ),
        id="mcnemar-tests",
    )


def _correct(n: int, row: McNemarRow) -> Cell:
    """A count out of a total, as printed in papers."""
    return Cell(f"{count(n)}/{count(row.counts.n)}", ShareOf(n, row.counts.n))


def _counted(which: str) -> col.ColumnOf[McNemarRow]:
    return col.count(
        which.upper(), lambda row: None if row.test is None else getattr(row.counts, which), _COUNTED[which]
    )


def _differences(tests: McNemarTable) -> Chart:
    """The difference of two rates with Tango's interval, a row for each set of probes and pair; a set without probes has no row."""
    first = tests.rows[0]
    several = len({(row.first, row.second) for row in tests.rows}) > 1
    drawn = [
        Valued(
            f"{row.probe_set}: {row.first} − {row.second}" if several else row.probe_set,
            row.difference.value,
            row.difference.low,
            row.difference.high,
        )
        for row in tests.rows
        if row.difference is not None
    ]
    left = len(tests.rows) - len(drawn)
    label = difference_label(True) if several else f"{first.first} − {first.second} (percentage points)"
    return values(
        drawn,
        label,
        "points",
        tests.confidence_level,
        id="mcnemar-chart",
        title="Differences of rates",
        notes=(f"Not shown, for lack of probes: {counted(left, 'test')}.",) if left else (),
        answers=tests.answers,
    )
