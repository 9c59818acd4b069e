"""Probes divided by difficulty shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from proband.analyses.covariates import charts as makers
from proband.analyses.covariates.figures import partition_figure, partition_figures
from proband.analyses.covariates.tables import partition_statements, partition_table
from proband.inference.covariates.difficulty import Partition
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Placed, View, shows
from proband.words import Note, Sentence

_DIVIDED = Sentence(
    "methods.partition",
    "note",
    "Probes were divided into {parts:count part} by how close they are to their mates; every algorithm is judged on parts made without it",
)


@shows(Partition)
class PartitionView(View[Partition]):
    """Rates by difficulty, and what selection does."""

    plot = staticmethod(partition_figure)

    def tables(self, found: Partition) -> Sequence[Table]:
        """A row for each algorithm and part."""
        return [partition_table(found)]

    def notes(self, found: Partition) -> Sequence[Note]:
        """How the parts were made."""
        return partition_statements(found)

    def frames(self, found: Partition) -> Mapping[str, pl.DataFrame]:
        """Rates, and the part of every probe."""
        return {"partition": found.to_frame(), "partition_probes": found.probes}

    def figures(self, found: Partition, scene: Scene) -> Mapping[str, Draw]:
        """Rates by difficulty, and what selection does."""
        return {f"partition_{name}": draw for name, draw in partition_figures(found, scene.looks).items()}

    def sections(self, found: Partition, scene: Scene) -> Iterator[Placed]:
        """Rates by difficulty on parts made without the algorithm, and what selection does."""
        table, notes = partition_table(found), partition_statements(found)
        blocks: list[Block] = [
            *said([note for note in notes if note.level == "caution"]),
            shown(makers.parts(found), replace(table, id="partition-data"), scene.looks),
            shown(makers.selection(found), replace(table, id="partition-selection-data")),
            Folded("How the parts were made", tuple(said(one for one in notes if one.level != "caution"))),
        ]
        yield Placed(46, Section("partition", "Difficulty", tuple(blocks)))

    def algorithms(self, found: Partition) -> Sequence[str]:
        """The algorithms, in order."""
        return found.algorithms

    def methods(self, found: Partition, text: MethodsText, scene: Scene) -> None:
        """How probes were divided."""
        text.say(_DIVIDED(parts=len(found.parts)), "phillips2011")
