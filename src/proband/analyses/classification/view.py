"""Accuracy of classifiers shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import polars as pl

from proband.analyses.classification.figures import classification_figure
from proband.analyses.classification.tables import (
    classes_table,
    classification_statements,
    classification_tables,
    confusions_table,
    rates_table,
)
from proband.inference.classification.results import Classification
from proband.inference.comparisons.comparison import Standings
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import unsaid_verdicts, verdicts
from proband.report.kinds.pairs import pairs_chart
from proband.report.kinds.verdicts import rate_of_items, summary_of
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.words import Note, Sentence, counted

_MISTAKES = 10
_ACCURACIES = Sentence("methods.accuracies", "note", "Accuracies for fixed classes: {methods:parts}")


@shows(Classification)
class ClassificationView(View[Classification]):
    """Accuracies, by class, and which model is better."""

    precedence: ClassVar = {"standings": 30, "badges": 80}
    plot = staticmethod(classification_figure)

    def tables(self, found: Classification) -> Sequence[Table]:
        """Accuracies, classes and mistakes."""
        return classification_tables(found)

    def latex(self, found: Classification) -> Sequence[Table]:
        """The accuracies."""
        return [rates_table(found)]

    def notes(self, found: Classification) -> Sequence[Note]:
        """Verdicts, and what the accuracies mean."""
        return [*found.sentences(), *classification_statements(found)]

    def passages(self, found: Classification, explain: bool) -> Iterator[Passage]:
        """The tables, and which model is better."""
        told: Sequence[Note] = ()
        unsaid: Sequence[Note] = ()
        if found.comparison is not None:
            told = found.sentences() if explain else verdicts(found.comparison)
            unsaid = () if explain else unsaid_verdicts(found.comparison)
        notes = [*unsaid, *classification_statements(found)]
        yield Passage(classification_tables(found), told, notes, [found.answers])

    def frames(self, found: Classification) -> Mapping[str, pl.DataFrame]:
        """Accuracies, classes and confusions."""
        return {
            "accuracy": found.to_frame(),
            "classes": found.class_frame(),
            "confusions": found.confusion_frame(),
        }

    def figures(self, found: Classification, scene: Scene) -> Mapping[str, Draw]:
        """The accuracies."""
        return {"accuracy": lambda: classification_figure(found)}

    def sections(self, found: Classification, scene: Scene) -> Iterator[Placed]:
        """Accuracies first, then pairs of models, every class and the commonest mistakes."""
        rates = replace(rates_table(found), id="accuracies", caption="Accuracy", latex=found.to_latex())
        blocks: list[Block] = [rates]
        if found.comparison is not None:
            title = "Differences between models"
            blocks.append(pairs_chart("models-forest", "models-pairs", title, found.comparison))
        blocks += [
            Folded("Every class", (replace(classes_table(found), id="classes"),)),
            Folded("Commonest mistakes", (replace(confusions_table(found, _MISTAKES), id="mistakes"),)),
            Folded("What the accuracies mean", tuple(said(classification_statements(found)))),
        ]
        yield Placed(12, Section("classification", "Classification", tuple(blocks)))

    def algorithms(self, found: Classification) -> Sequence[str]:
        """The models, in order."""
        return found.algorithms

    def headline(self, found: Classification, scene: Scene) -> Summary | None:
        """Which model leads, or the accuracy of the only one."""
        if found.comparison is not None:
            return summary_of(found.comparison, 80)
        return Summary(rate_of_items(found.rates[0]), found.rates[0].answers, precedence=80)

    def standings(self, found: Classification) -> Standings | None:
        """The models compared."""
        return found.comparison

    def badges(self, found: Classification) -> Sequence[Badge]:
        """How many samples."""
        if found.comparison is None:
            return ()
        return (Badge(counted(found.comparison.estimates[0].facts.size, "item")),)

    def methods(self, found: Classification, text: MethodsText, scene: Scene) -> None:
        """How models were compared, and their accuracies estimated."""
        say_comparisons(text, [] if found.comparison is None else [found.comparison])
        text.say_methods(_ACCURACIES, (one.design for one in found.rates))

    def metrics(self, found: Classification) -> Sequence[CardMetric]:
        """Every accuracy."""
        return [
            CardMetric(
                one.facts.algorithm,
                "classification",
                one.measure,
                str(one.answers.of),
                one.value,
                one.low,
                one.high,
                one.confidence_level,
                str(one.answers.varying),
                None,
                {"samples": one.facts.n_items, "classes": len(found.classes)},
            )
            for one in found.rates
        ]
