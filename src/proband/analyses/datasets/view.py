"""Views of comparisons over several data sets: ranks, every pair of algorithms, and every data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from proband.engine.limits import Inches, Title
from proband.errors import unknown_name
from proband.inference.datasets.results import DatasetComparison, DatasetPair
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.mpl import printed
from proband.report.charts.spec import Chart
from proband.report.figures.style import laid_out
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.scene import Scene
from proband.report.tables.cells import text_cell
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Summary, View, shows
from proband.results.difference import Difference
from proband.words import Note, Sentence, fixed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = ("ranks", "differences")
_LINE = 0.22  # inches of height for a name
_MOST_SAID = 3  # sentences beneath the table; all of them if everything is explained
_MEDIANS = "Bars: exact intervals of the median (Hodges and Lehmann), unadjusted; none with few data sets. Verdicts are those of the table, adjusted by Holm."
_DATASETS = Sentence("methods.datasets", "note", "Every pair of algorithms was compared by {methods:parts}")
_ALL = Sentence(
    "datasets.all",
    "note",
    "All {k:count algorithm} together: Friedman's chi-square {chi:small} (p {chi_p:p}), Iman and Davenport's F {f:small} (p {p:p})",
)
_SAME = Sentence(
    "datasets.all-alike",
    "note",
    "All {n:count data set} rank the {k:count algorithm} in the same order: p {p:p}",
)
_METHOD = Sentence("datasets.method", "note", "Method: {method}")
_POOLED = Sentence(
    "datasets.pooled",
    "note",
    "Means over data sets are by random effects (Paule and Mandel, Hartung and Knapp); another data set is expected within the last interval",
)


def datasets_figure(
    result: DatasetComparison, which: str = "ranks", width: Inches = 7.16, title: Title | None = None
) -> Figure:
    """Draw average ranks, with bars over algorithms not significantly different (signed ranks, Holm), or the differences in every data set.

    Parameters
    ----------
    which
        ``ranks`` or ``differences``.
    """
    if which == "differences":
        return _differences(result, width, title)
    if which != "ranks":
        raise unknown_name("figure", which, FIGURES)
    names, ranks = result.algorithms, result.average_ranks
    half = (len(names) + 1) // 2
    bars = len(result.groups)
    height = _LINE * (half + bars + 3)
    with laid_out((width, height), title) as figure:
        axis = figure.subplots()
        axis.set_xlim(0.5, len(names) + 0.5)
        axis.set_ylim(-(half + bars + 0.7), 0.4)
        axis.xaxis.set_ticks_position("top")
        axis.xaxis.set_label_position("top")
        axis.set_xlabel("average rank (1 is the best)")
        axis.set_yticks([])
        for side in ("left", "right", "bottom"):
            axis.spines[side].set_visible(False)
        for line, group in enumerate(result.groups):
            ends = [ranks[names.index(name)] for name in (group[0], group[-1])]
            axis.plot(
                [ends[0] - 0.04, ends[1] + 0.04],
                [-0.5 - line] * 2,
                color="0.25",
                linewidth=3,
                solid_capstyle="butt",
            )
        for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            left = place < half
            line = bars + (place if left else len(names) - 1 - place)
            end = 0.5 if left else len(names) + 0.5
            axis.plot([rank, rank, end], [0, -line - 0.5, -line - 0.5], color="0.5", linewidth=0.8)
            axis.text(
                end, -line - 0.45, f"{name} {fixed(rank, 2)}", ha="left" if left else "right", va="bottom", fontsize="small"
            )  # fmt: skip
    return figure


def _differences(result: DatasetComparison, width: float, title: str | None) -> Figure:
    """Every difference with its interval, a panel for each pair: every data set, their mean, and another data set."""
    charts = []
    for pair in result.pairs:
        own = [one for one in result.by_dataset if (one.first, one.second) == (pair.first, pair.second)]
        rows = [_about(one) for one in own]
        if pair.pooled is not None:
            mean = pair.pooled
            rows.append(Valued("mean", mean.difference.value, mean.difference.low, mean.difference.high))
            if mean.prediction_low is not None:
                ends = mean.prediction_low, mean.prediction_high
                rows.append(Valued("another data set", mean.difference.value, *ends, False))
        charts.append(
            values(rows, "difference (percentage points)", "points", title=f"{pair.first} − {pair.second}")
        )
    return printed(charts, title, width, columns=1)


def _about(pair: Difference) -> Valued:
    reach = 0.0 if pair.standard_error is None else 1.96 * pair.standard_error
    return Valued(pair.who.dataset, pair.value, pair.value - reach, pair.value + reach)


@shows(DatasetComparison)
class DatasetsView(View[DatasetComparison]):
    """Ranks, every pair of algorithms, and every data set."""

    section = ("datasets", "Several data sets", 15)
    meaning = "Notes on the comparison"
    plot = staticmethod(datasets_figure)

    def tables(self, found: DatasetComparison) -> Sequence[Table]:
        return [_ranks(found), _pairs(found)]

    def page_tables(self, found: DatasetComparison) -> Sequence[Table]:
        return [*self.tables(found), _by_dataset(found)]

    def charts(self, found: DatasetComparison) -> Mapping[str, Sequence[Chart]]:
        return {"datasets_medians": [_medians(found)]}

    def verdicts(self, found: DatasetComparison) -> Sequence[Note]:
        return found.sentences()

    def notes(self, found: DatasetComparison) -> Sequence[Note]:
        said = [answered(found.answers), _METHOD(method=found.method)]
        k, chi, f = len(found.algorithms), found.friedman, found.iman_davenport
        if chi is not None and f is not None:
            said.append(
                _SAME(n=len(found.datasets), k=k, p=f.p_value)
                if f.statistic is None
                else _ALL(k=k, chi=chi.statistic, chi_p=chi.p_value, f=f.statistic, p=f.p_value)
            )
        if any(pair.pooled is not None for pair in found.pairs):
            said.append(_POOLED())
        return [*said, *found.notes]

    def passages(self, found: DatasetComparison, explain: bool) -> Iterator[Passage]:
        told = found.sentences()
        most = len(told) if explain else _MOST_SAID
        yield Passage(self.tables(found), told[:most], [*self.notes(found), *told[most:]], [found.answers])

    def frames(self, found: DatasetComparison) -> Mapping[str, pl.DataFrame]:
        return {"datasets": found.to_frame(), "datasets_differences": found.differences_frame()}

    def figures(self, found: DatasetComparison, scene: Scene) -> Mapping[str, Draw]:
        return {f"datasets_{which}": partial(datasets_figure, found, which) for which in FIGURES}

    def headline(self, found: DatasetComparison, scene: Scene) -> Summary | None:
        return Summary(found.sentences()[0], found.answers, precedence=130)

    def methods(self, found: DatasetComparison, text: MethodsText, scene: Scene) -> None:
        text.say_methods(_DATASETS, [found.method])


def _ranks(found: DatasetComparison) -> Table:
    """Every algorithm, the best average rank first: its rank, its mean accuracy and that in each data set."""
    accuracies = {(one.dataset, one.algorithm): one.accuracy for one in found.accuracies}
    ranks = dict(zip(found.algorithms, found.average_ranks, strict=True))
    return col.table_of(
        "",
        found.algorithms,
        col.name("algorithm", str),
        col.fixed("average\nrank", ranks.get, "Average over data sets; 1 is best."),
        col.rate(
            "mean\naccuracy",
            lambda name: sum(accuracies[place, name] for place in found.datasets) / len(found.datasets),
            "Every data set weighted equally.",
        ),
        *col.each(found.datasets, lambda place: col.rate(place, lambda name: accuracies[place, name])),
        id="datasets-ranks",
        on_page="Average ranks and accuracies",
    )


def _pairs(found: DatasetComparison) -> Table:
    """Every pair of algorithms: data sets won, median difference, its test, and the mean with its intervals."""
    pooled = any(pair.pooled is not None for pair in found.pairs)
    return col.table_of(
        "Every two",
        found.pairs,
        col.cell(
            "pair",
            lambda pair: text_cell(_called(pair), "good" if pair.difference.told_apart else "plain"),
            kind="name",
        ),
        col.text(
            "better/\nequal/worse",
            lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}",
            "Data sets in which the first is better, equal and worse.",
        ),
        col.difference(
            "median\ndifference",
            lambda pair: _with_ends(pair.difference),
            "Hodges–Lehmann estimate, in points.",
        ),
        col.p("p", lambda pair: pair.difference.p_value, "Wilcoxon's signed-rank test, unadjusted."),
        col.p("p, Holm", lambda pair: pair.difference.p_adjusted, "Adjusted for all pairs."),
        col.difference(
            "mean over\ndata sets",
            lambda pair: None if pair.pooled is None else _with_ends(pair.pooled.difference),
            "By random effects, in points.",
            when=pooled,
        ),
        col.effect_interval(
            "in another\ndata set",
            _predicted,
            "Prediction interval for the difference in another data set, in points.",
            when=pooled,
        ),
        id="datasets-pairs",
    )


def _called(pair: DatasetPair | Difference) -> str:
    return f"{pair.first} − {pair.second}"


def _with_ends(pair: Difference) -> tuple[float, tuple[float, float] | None]:
    return pair.value, col.ends(pair)


def _predicted(pair: DatasetPair) -> tuple[float, float] | None:
    """Where the difference in another data set is expected."""
    one = pair.pooled
    if one is None or one.prediction_low is None or one.prediction_high is None:
        return None
    return one.prediction_low, one.prediction_high


def _by_dataset(found: DatasetComparison) -> Table:
    """Every difference in every data set, with its standard error where that is known."""
    return col.table_of(
        "By data set",
        found.by_dataset,
        col.name("data set", lambda pair: pair.who.dataset),
        col.name("pair", _called),
        col.effect("difference", lambda pair: pair.value),
        col.effect("standard error", lambda pair: pair.standard_error),
        col.count("people", lambda pair: pair.rests_on.n_units),
        id="datasets-differences",
        on_page="Every data set",
    )


def _medians(found: DatasetComparison) -> Chart:
    """The median difference over data sets of every two algorithms; without an interval the median alone."""
    rows = [
        Valued(_called(pair), median.value, median.low, median.high, median.has_interval)
        for pair in found.pairs
        for median in (pair.difference,)
    ]
    return values(
        rows,
        "median difference over data sets",
        "points",
        found.confidence_level,
        id="datasets-forest",
        title="Differences over data sets",
        notes=(_MEDIANS,),
        answers=found.answers,
    )
