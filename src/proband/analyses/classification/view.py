"""Views of the accuracy of classifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from proband.analyses.classification.tables import (
    classes_table,
    classification_statements,
    classification_tables,
    confusions_table,
    rates_table,
)
from proband.engine.limits import Inches, Title
from proband.errors import unknown_name
from proband.inference.classification.results import Classification, compared_by
from proband.inference.comparisons.comparison import Standings
from proband.report.charts.makers.confusions import confusion
from proband.report.charts.makers.rows import leaderboard
from proband.report.charts.mpl import printed
from proband.report.figures.identification import comparison_figure
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import told_and_left
from proband.report.kinds.differences import difference_tables
from proband.report.kinds.estimates import metric_of
from proband.report.kinds.pairs import pairs_chart
from proband.report.kinds.verdicts import rate_of_items, summary_of
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric
from proband.report.page.charts import side_by_side
from proband.report.page.lengths import drawn, left_out
from proband.report.page.model import Badge, Block, Folded, said
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Summary, View, shows
from proband.words import Note, Sentence, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MISTAKES = 10
_ACCURACIES = Sentence("methods.accuracies", "note", "Accuracies for fixed classes: {methods:parts}")


def classification_figure(
    result: Classification,
    which: str = "accuracy",
    algorithm: str | None = None,
    width: Inches = 7.16,
    title: Title | None = None,
) -> Figure:
    """Draw the accuracies with differences from the best, or the confusion matrix of one model.

    Parameters
    ----------
    which
        ``accuracy`` or ``confusion``.
    algorithm
        Model of the confusion matrix. Default: the first.
    """
    if which == "confusion":
        return printed([confusion(result, algorithm or result.algorithms[0])], title, width)
    if which != "accuracy":
        raise unknown_name("figure", which, ("accuracy", "confusion"))
    if result.comparison is not None:
        return comparison_figure(result.comparison, width, title)
    return printed([leaderboard(result.rates[:1])], title, width)


@shows(Classification)
class ClassificationView(View[Classification]):
    """Accuracies, overall and by class, and comparisons of models."""

    precedence: ClassVar = {"standings": 30, "badges": 80}
    section = ("classification", "Classification", 12)
    meaning = "Notes on the accuracies"
    plot = staticmethod(classification_figure)

    def tables(self, found: Classification) -> Sequence[Table]:
        return classification_tables(found)

    def latex(self, found: Classification) -> Sequence[Table]:
        return [rates_table(found)]

    def notes(self, found: Classification) -> Sequence[Note]:
        return [*found.sentences(), *classification_statements(found)]

    def passages(self, found: Classification, explain: bool) -> Iterator[Passage]:
        """The tables and the verdict."""
        told, left = told_and_left(found.comparison, explain)
        notes = [*left, *classification_statements(found)]
        tables = [*classification_tables(found), *difference_tables(found.comparison)]
        yield Passage(tables, [*told, *compared_by(found)], notes, [found.answers])

    def frames(self, found: Classification) -> Mapping[str, pl.DataFrame]:
        frames = found.to_frame(), found.class_frame(), found.confusion_frame()
        return dict(zip(("accuracy", "classes", "confusions"), frames, strict=True))

    def figures(self, found: Classification, scene: Scene) -> Mapping[str, Draw]:
        matrices = partial(printed, [confusion(found, name) for name in found.algorithms])
        return {"accuracy": lambda: classification_figure(found), "confusion": matrices}

    def blocks(self, found: Classification, scene: Scene) -> Iterator[Block]:
        """Accuracies first, then pairs of models, every class and the most common errors."""
        yield replace(rates_table(found), caption="Accuracy", latex=found.to_latex())
        if found.comparison is not None:
            yield pairs_chart("models-forest", "models-pairs", "Differences between models", found.comparison)
        yield Folded("Every class", (classes_table(found),))
        leading = drawn(found.algorithms, scene.order)
        charts = [confusion(found, name, f"confusion-{place}") for place, name in enumerate(leading, 1)]
        yield Folded(
            "Confusions of classes", (*side_by_side(charts), *said(left_out(found.algorithms, leading)))
        )
        yield Folded("Most common errors", (confusions_table(found, _MISTAKES),))
        yield Folded(self.meaning, tuple(said(classification_statements(found))))

    def headline(self, found: Classification, scene: Scene) -> Summary | None:
        """The leading model, or the accuracy of a single model."""
        if found.comparison is not None:
            return summary_of(found.comparison, 80)
        return Summary(rate_of_items(found.rates[0]), found.rates[0].answers, precedence=80)

    def standings(self, found: Classification) -> Standings | None:
        return found.comparison

    def badges(self, found: Classification) -> Sequence[Badge]:
        if found.comparison is None:
            return ()
        return (Badge(counted(found.comparison.estimates[0].rests_on.n or 0, "item")),)

    def methods(self, found: Classification, text: MethodsText, scene: Scene) -> None:
        say_comparisons(text, [] if found.comparison is None else [found.comparison])
        text.say_methods(_ACCURACIES, (one.method for one in found.rates))

    def metrics(self, found: Classification) -> Sequence[CardMetric]:
        return [
            metric_of(one, "classification", one.measure, samples=one.rests_on.n, classes=len(found.classes))
            for one in found.rates
        ]
