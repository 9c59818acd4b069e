"""McNemar's test shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.mcnemar.tables import ANSWERS, mcnemar_rows, mcnemar_statements, statements_of_one
from proband.inference.comparisons.mcnemar_table import McNemarTable
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
        return statements_of_one(found) if len(found.rows) == 1 else mcnemar_statements(found)

    def answers(self, found: McNemarTable) -> Sequence[Answers]:
        """Probes vary."""
        return [ANSWERS]

    def frames(self, found: McNemarTable) -> Mapping[str, pl.DataFrame]:
        """A row for each pair and set of probes."""
        return {"mcnemar": found.to_frame()}

    def figures(self, found: McNemarTable, scene: Scene) -> Mapping[str, Draw]:
        """Differences of every pair; one alone needs none."""
        return {} if len(found.rows) == 1 else {"mcnemar": lambda: mcnemar_figure(found)}

    def sections(self, found: McNemarTable, scene: Scene) -> Iterator[Placed]:
        """The table, and what it means; of one test who recognises which probes."""
        if len(found.rows) == 1:
            yield Placed(45, _of_two(found))
            return
        blocks = (mcnemar_rows(found, "mcnemar"), *said(mcnemar_statements(found)))
        yield Placed(45, Section("mcnemar", "McNemar's test", blocks))

    def algorithms(self, found: McNemarTable) -> Sequence[str]:
        """The algorithms, in order."""
        return found.algorithms


def _of_two(found: McNemarTable) -> Section:
    (row,) = found.rows
    counts, test = row.counts, row.test
    assert test is not None  # of all probes, and there are some
    assert row.interval is not None
    assert row.difference is not None
    rows = [
        [cells.text_cell(name), cells.count_cell(n)]
        for name, n in (
            ("both", counts.ss),
            (f"only {row.first}", counts.sf),
            (f"only {row.second}", counts.fs),
            ("neither", counts.ff),
        )
    ]
    table = cells.table(
        "mcnemar", "Probes by who recognises them", cells.columns("recognised by", "probes"), rows
    )
    told = [
        f"McNemar's exact test: p {cells.p_value(test.p_two_sided)} (two-sided), {cells.p_value(test.p_greater)} (first better), "
        f"{cells.p_value(test.p_less)} (second better); mid-p {cells.p_value(test.p_mid)}.",
        f"Difference of rates {cells.effect(row.difference)} points {cells.effect_interval(*row.interval)} (Tango).",
        *map(str, statements_of_one(found)),
    ]
    return Section("mcnemar", "McNemar's test", (table, *said(told)))
