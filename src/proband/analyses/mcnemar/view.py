"""McNemar's test shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.mcnemar.tables import ANSWERS, mcnemar_rows, mcnemar_statements
from proband.inference.comparisons.mcnemar_table import McNemarTable, as_table
from proband.inference.comparisons.testing.mcnemar import McNemarOfOutcomes
from proband.report import cells
from proband.report.figures.identification import mcnemar_figure
from proband.report.page.model import Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Placed, View, shows
from proband.results.base import Answers
from proband.words import Note


@shows(McNemarTable)
class McNemarView(View[McNemarTable]):
    """Pairs of algorithms by the probes on which they differ."""

    plot = staticmethod(mcnemar_figure)

    def tables(self, found: McNemarTable) -> Sequence[Table]:
        """A row for each pair and set of probes."""
        return [mcnemar_rows(found)]

    def notes(self, found: McNemarTable) -> Sequence[Note]:
        """What is to be known of the tests."""
        return mcnemar_statements(found)

    def answers(self, found: McNemarTable) -> Sequence[Answers]:
        """Probes vary."""
        return [ANSWERS]

    def frames(self, found: McNemarTable) -> Mapping[str, pl.DataFrame]:
        """A row for each pair and set of probes."""
        return {"mcnemar": found.to_frame()}

    def figures(self, found: McNemarTable, scene: Scene) -> Mapping[str, Draw]:
        """Differences of every pair."""
        return {"mcnemar": lambda: mcnemar_figure(found)}

    def sections(self, found: McNemarTable, scene: Scene) -> Iterator[Placed]:
        """The table, and what it means."""
        blocks = (mcnemar_rows(found, "mcnemar"), *said(mcnemar_statements(found)))
        yield Placed(45, Section("mcnemar", "McNemar's test", blocks))

    def algorithms(self, found: McNemarTable) -> Sequence[str]:
        """The algorithms, in order."""
        return found.algorithms


@shows(McNemarOfOutcomes)
class McNemarOfTwoView(View[McNemarOfOutcomes]):
    """Two algorithms by the probes on which they differ."""

    def tables(self, found: McNemarOfOutcomes) -> Sequence[Table]:
        """One row."""
        return [mcnemar_rows(as_table(found))]

    def notes(self, found: McNemarOfOutcomes) -> Sequence[Note]:
        """What is to be known of the test."""
        return found.sentences()

    def answers(self, found: McNemarOfOutcomes) -> Sequence[Answers]:
        """Probes vary."""
        return [ANSWERS]

    def frames(self, found: McNemarOfOutcomes) -> Mapping[str, pl.DataFrame]:
        """One row."""
        return {"mcnemar": as_table(found).to_frame()}

    def sections(self, found: McNemarOfOutcomes, scene: Scene) -> Iterator[Placed]:
        """Who recognises which probes, and the tests."""
        yield Placed(45, _of_two(found))

    def algorithms(self, found: McNemarOfOutcomes) -> Sequence[str]:
        """Both."""
        return found.algorithms


def _of_two(one: McNemarOfOutcomes) -> Section:
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
