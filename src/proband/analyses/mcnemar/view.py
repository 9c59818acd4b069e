"""McNemar's test shown: by set of probes and pair, as Table 4 of Beveridge et al. 2001."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.inference.comparisons.mcnemar import McNemarOfOutcomes
from proband.inference.comparisons.mcnemar_table import McNemarRow, McNemarTable, as_table
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, difference_label, values
from proband.report.charts.spec import Chart
from proband.report.notes import answered
from proband.report.page.model import Block, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import View, shows
from proband.results.base import Answers
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PROBES, PROBES_ALIKE
from proband.words import Note, Target, counted, effect, effect_interval, p_value

ANSWERS = Answers(
    Target("difference-of-rates", "difference of rates"), OTHER_PROBES, ALGORITHMS_AND_GALLERY, PROBES_ALIKE
)
"""What the difference of two rates means where probes are the units."""
_COUNTED = {
    "ss": "Probes that both recognise.",
    "sf": "Probes that only the first recognises.",
    "fs": "Probes that only the second recognises.",
    "ff": "Probes that neither recognises.",
}


@shows(McNemarTable)
class McNemarView(View[McNemarTable]):
    """Pairs of algorithms by the probes on which they differ: a row for each pair and set of probes."""

    section = ("mcnemar", "McNemar's test", 45)
    meaning = "What the tests mean"

    def tables(self, found: McNemarTable) -> Sequence[Table]:
        return [_rows(found)]

    def charts(self, found: McNemarTable) -> Mapping[str, Sequence[Chart]]:
        return {"mcnemar": [_differences(found)]}

    def notes(self, found: McNemarTable) -> Sequence[Note]:
        return [*found.notes, answered(ANSWERS)]

    def answers(self, found: McNemarTable) -> Sequence[Answers]:
        return [ANSWERS]


@shows(McNemarOfOutcomes)
class McNemarOfTwoView(View[McNemarOfOutcomes]):
    """Two algorithms by the probes on which they differ."""

    section = ("mcnemar", "McNemar's test", 45)

    def tables(self, found: McNemarOfOutcomes) -> Sequence[Table]:
        return [_rows(as_table(found))]

    def notes(self, found: McNemarOfOutcomes) -> Sequence[Note]:
        return found.sentences()

    def answers(self, found: McNemarOfOutcomes) -> Sequence[Answers]:
        return [ANSWERS]

    def frames(self, found: McNemarOfOutcomes) -> Mapping[str, pl.DataFrame]:
        return {"mcnemar": as_table(found).to_frame()}

    def blocks(self, found: McNemarOfOutcomes, scene: Scene) -> Iterator[Block]:
        """Who recognises which probes, and the tests."""
        counts, test = found.counts, found.test
        named = {
            "both": counts.ss,
            f"only {found.first}": counts.sf,
            f"only {found.second}": counts.fs,
            "neither": counts.ff,
        }
        yield col.table_of(
            "Probes by who recognises them",
            named,
            col.name("recognised by", str),
            col.count("probes", named.get),
            id="mcnemar",
        )
        yield from said(
            [
                f"McNemar's exact test: p {p_value(test.p_two_sided)} (two-sided), {p_value(test.p_greater)} (first better), "
                f"{p_value(test.p_less)} (second better); mid-p {p_value(test.p_mid)}.",
                f"Difference of rates {effect(found.difference)} points {effect_interval(*found.interval)} (Tango).",
                *map(str, found.sentences()),
            ]
        )


def _rows(found: McNemarTable) -> Table:
    """A row for each set of probes and pair of algorithms; without probes there is nothing to say."""
    return col.table_of(
        "McNemar's test by probe set",
        found.rows,
        col.name("probes of", lambda one: one.probe_set),
        col.name("first", lambda one: one.first),
        col.name("second", lambda one: one.second),
        col.count("probes", lambda one: one.counts.n),
        col.rate("first recognises", lambda one: one.rate_first, "Its recognition rate."),
        col.rate("second recognises", lambda one: one.rate_second, "Its recognition rate."),
        *col.each(_COUNTED, _counted),
        col.effect("difference, points", lambda one: one.difference, "The first less the second."),
        col.effect_interval(
            col.at_level(found.confidence_level),
            lambda one: one.interval,
            "Tango's, of the difference.",
            answers=ANSWERS,
        ),
        col.p(
            "p, first better",
            lambda one: None if one.test is None else one.test.p_greater,
            "One-sided, exact.",
        ),
        col.p("p, two-sided", lambda one: None if one.test is None else one.test.p_two_sided, "Exact."),
        col.p(
            "adjusted p",
            lambda one: one.p_adjusted,
            "The two-sided one, for all tests of the table together (Holm).",
        ),
        id="mcnemar-tests",
    )


def _counted(which: str) -> col.ColumnOf[McNemarRow]:
    return col.count(
        which.upper(), lambda one: None if one.test is None else getattr(one.counts, which), _COUNTED[which]
    )


def _differences(tests: McNemarTable) -> Chart:
    """The difference of two rates with Tango's interval, a row for each set of probes and pair; a set without probes has no row."""
    first = tests.rows[0]
    several = len({(one.first, one.second) for one in tests.rows}) > 1
    found = [
        Valued(
            f"{one.probe_set}: {one.first} − {one.second}" if several else one.probe_set,
            one.difference,
            *one.interval,
        )
        for one in tests.rows
        if one.interval is not None and one.difference is not None
    ]
    left = len(tests.rows) - len(found)
    label = difference_label(True) if several else f"{first.first} − {first.second} (percentage points)"
    return values(
        found,
        label,
        "points",
        tests.confidence_level,
        id="mcnemar-chart",
        title="Differences of rates",
        notes=(f"Without probes, and not drawn: {counted(left, 'test')}.",) if left else (),
        answers=ANSWERS,
    )
