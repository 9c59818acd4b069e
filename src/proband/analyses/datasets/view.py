"""Algorithms over several data sets shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from proband.analyses.datasets.figures import FIGURES_OF_DATASETS, datasets_figure
from proband.analyses.datasets.tables import (
    datasets_statements,
    datasets_tables,
    differences_table,
    pairs_table,
    ranks_table,
)
from proband.inference.datasets.results import DatasetComparison
from proband.report.charts.makers.rows import dataset_pairs
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.words import Note, Sentence

_MOST_SAID = 3  # sentences beneath the table; all of them if everything is explained
_DATASETS = Sentence("methods.datasets", "note", "Every two algorithms were compared by {methods:parts}")


@shows(DatasetComparison)
class DatasetsView(View[DatasetComparison]):
    """Ranks, every two algorithms, and every data set."""

    plot = staticmethod(datasets_figure)

    def tables(self, found: DatasetComparison) -> Sequence[Table]:
        """Ranks, pairs and data sets."""
        return datasets_tables(found)

    def notes(self, found: DatasetComparison) -> Sequence[Note]:
        """What the comparison means."""
        return datasets_statements(found)

    def passages(self, found: DatasetComparison, explain: bool) -> Iterator[Passage]:
        """The tables, and what they show."""
        told = found.sentences()
        shown_here, unsaid = (told, []) if explain else (told[:_MOST_SAID], told[_MOST_SAID:])
        notes = [*datasets_statements(found), *unsaid]
        yield Passage(datasets_tables(found), shown_here, notes, [found.answers])

    def frames(self, found: DatasetComparison) -> Mapping[str, pl.DataFrame]:
        """Every pair, and every data set."""
        return {"datasets": found.to_frame(), "datasets_differences": found.differences_frame()}

    def figures(self, found: DatasetComparison, scene: Scene) -> Mapping[str, Draw]:
        """Average ranks, and differences in every data set."""
        return {
            f"datasets_{which}": lambda which=which: datasets_figure(found, which)  # type: ignore[misc]
            for which in FIGURES_OF_DATASETS
        }

    def sections(self, found: DatasetComparison, scene: Scene) -> Iterator[Placed]:
        """The ranks first, then the verdicts and the differences, and every data set."""
        caption = "Average ranks and accuracies"
        blocks: list[Block] = [
            replace(ranks_table(found), id="datasets-ranks", caption=caption),
            *said(found.sentences()),
            shown(dataset_pairs(found), replace(pairs_table(found), id="datasets-pairs")),
            Folded("Every data set", (replace(differences_table(found), id="datasets-differences"),)),
            Folded("What the comparison means", tuple(said(datasets_statements(found)))),
        ]
        yield Placed(15, Section("datasets", "Several data sets", tuple(blocks)))

    def algorithms(self, found: DatasetComparison) -> Sequence[str]:
        """The algorithms, in order."""
        return found.algorithms

    def headline(self, found: DatasetComparison, scene: Scene) -> Summary | None:
        """Whether they differ."""
        return Summary(found.sentences()[0], found.answers, precedence=130)

    def methods(self, found: DatasetComparison, text: MethodsText, scene: Scene) -> None:
        """How they were compared."""
        text.say_methods(_DATASETS, [found.method])
