"""Thresholds to deploy shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.threshold.charts import bounds
from proband.analyses.threshold.figures import thresholds_figure
from proband.analyses.threshold.run import Thresholds
from proband.analyses.threshold.tables import starred, thresholds_statements, thresholds_table
from proband.inference.verification.thresholds.results import DeployedThreshold, DeployedThresholds
from proband.report import cells
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.page.charts import shown
from proband.report.page.model import Block, Chart, Folded, Section, said
from proband.report.plotting import alone, drawn_by
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, View, shows
from proband.results.base import Answers
from proband.words import Note, Sentence

_THRESHOLDS = Sentence(
    "methods.thresholds",
    "note",
    "Thresholds for new people keep the one-sided {confidence:level} upper bound of FMR over people within the target, "
    "at them and at every stricter threshold",
)


@shows(DeployedThreshold)
class ThresholdView(View[DeployedThreshold]):
    """One threshold."""

    plot = staticmethod(drawn_by(thresholds_figure, alone))

    def tables(self, found: DeployedThreshold) -> Sequence[Table]:
        """One row."""
        return [thresholds_table([found])]

    def notes(self, found: DeployedThreshold) -> Sequence[Note]:
        """What it keeps."""
        return thresholds_statements([found])


@shows(DeployedThresholds)
class SeveralThresholdsView(View[DeployedThresholds]):
    """Thresholds of several algorithms or rates."""

    plot = staticmethod(drawn_by(thresholds_figure, lambda several: several.found))

    def tables(self, found: DeployedThresholds) -> Sequence[Table]:
        """A row for each."""
        return [thresholds_table(found.found)]

    def notes(self, found: DeployedThresholds) -> Sequence[Note]:
        """What they keep."""
        return thresholds_statements(found.found)


@shows(Thresholds)
class ThresholdsView(View[Thresholds]):
    """Thresholds of every algorithm and false match rate."""

    plot = staticmethod(drawn_by(thresholds_figure, lambda found: found.thresholds))

    def tables(self, found: Thresholds) -> Sequence[Table]:
        """A row for each."""
        return [thresholds_table(found.thresholds)]

    def notes(self, found: Thresholds) -> Sequence[Note]:
        """What they keep."""
        return thresholds_statements(found.thresholds)

    def answers(self, found: Thresholds) -> Sequence[Answers]:
        """People vary."""
        return [found.thresholds[0].answers]

    def passages(self, found: Thresholds, explain: bool) -> Iterator[Passage]:
        """The first promise beneath the table, and the rest below."""
        first, *rest = DeployedThresholds(found.thresholds).sentences()
        answers = self.answers(found)
        notes = [*rest, answered(answers[0]), *starred(found.thresholds)]
        yield Passage(self.tables(found), [first], notes, answers)

    def frames(self, found: Thresholds) -> Mapping[str, pl.DataFrame]:
        """A row for each."""
        return {"thresholds": DeployedThresholds(found.thresholds).to_frame()}

    def figures(self, found: Thresholds, scene: Scene) -> Mapping[str, Draw]:
        """Rates and bounds by threshold, where there are several."""
        if not any(len(one.rates) > 1 for one in found.thresholds):
            return {}
        return {"thresholds": lambda: thresholds_figure(found.thresholds, places=scene.looks)}

    def sections(self, found: Thresholds, scene: Scene) -> Iterator[Placed]:
        """The thresholds, with the false match rate and its bound by threshold."""
        table = thresholds_table(found.thresholds)
        blocks: list[Block] = [
            cells.table("thresholds-found", "Thresholds to deploy", table.columns, table.rows),
            *([_chart(found, scene)] if self.figures(found, scene) else []),
            Folded("What the thresholds mean", tuple(said(thresholds_statements(found.thresholds)))),
        ]
        yield Placed(32, Section("thresholds", "Thresholds for new people", tuple(blocks)))

    def algorithms(self, found: Thresholds) -> Sequence[str]:
        """The algorithms, in order."""
        return [one.algorithm for one in found.thresholds]

    def methods(self, found: Thresholds, text: MethodsText, scene: Scene) -> None:
        """What a threshold keeps."""
        sure = found.thresholds[0].confidence_level
        text.say(_THRESHOLDS(confidence=sure), "bates2021", "fogliato2024", "helmers1991", "hoeffding1963")


def _chart(found: Thresholds, scene: Scene) -> Chart:
    rows = [
        [
            cells.text_cell(one.algorithm),
            cells.threshold_cell(float(at)),
            cells.small_cell(float(rate)),
            cells.small_cell(float(bound)),
        ]
        for one in found.thresholds
        for at, rate, bound in zip(one.thresholds, one.rates, one.bounds, strict=True)
    ]
    heads = cells.columns("algorithm", "threshold", "FMR", "upper bound")
    data = cells.table("thresholds-data", "Rates by threshold", heads, rows)
    return shown(bounds(found.thresholds), data, scene.looks)
