"""Tables 4 to 6 of Mery et al. (2016) next to those for synthetic people, and what single runs show about two classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proband.papers.mery2016 import (
    ATTRIBUTES,
    CLASSIFIERS,
    FACES,
    SHARES,
    Mery2016,
    accuracies,
    column_of,
    found,
    mean_over,
)
from proband.protocols.running.mixing import SingleRuns, order_of_runs
from proband.protocols.running.results import ProtocolRun
from proband.report.tables.cells import columns, fixed_cell, text_cell
from proband.report.tables.table import Beside, Cell, Table
from proband.words import counted, fixed, given, percent, signed

STATISTICS = ("max", "mean", "min", "std")
_NOTHING = "–"


@dataclass(frozen=True)
class Published:
    """A block of the paper's tables: percentages by classifier and statistic, in the order of the columns."""

    data: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[tuple[float, ...], ...]]

    def at(self, classifier: str, statistic: str, column: str) -> float | None:
        """A published percentage; None if the paper has no such column."""
        if column not in self.columns:
            return None
        return self.rows[classifier][STATISTICS.index(statistic)][self.columns.index(column)]


TABLE_4 = Published(
    "AR, 100 people",
    FACES,
    {
        "LBP": (
            (100.0, 99.8, 98.9, 99.9, 99.5, 98.0),
            (99.6, 99.1, 97.3, 99.7, 99.1, 97.2),
            (98.8, 98.1, 95.5, 99.4, 98.5, 96.0),
            (0.28, 0.36, 0.69, 0.10, 0.23, 0.46),
        ),
        "SRC": (
            (98.4, 96.6, 92.0, 97.4, 95.5, 92.1),
            (97.0, 94.5, 90.8, 96.8, 94.7, 90.8),
            (95.6, 92.7, 89.1, 96.0, 93.3, 89.2),
            (0.69, 0.81, 0.80, 0.30, 0.44, 0.61),
        ),
    },
)
TABLE_4_HALF = Published(
    "AR, 50 people",
    FACES,
    {
        "LBP": (
            (100.0, 100.0, 99.7, 99.9, 100.0, 99.5),
            (99.8, 99.3, 98.0, 99.7, 99.3, 98.0),
            (99.2, 97.8, 94.6, 99.5, 98.7, 95.9),
            (0.27, 0.57, 0.93, 0.13, 0.31, 0.64),
        ),
        "SRC": (
            (100.0, 98.2, 95.5, 98.7, 97.7, 95.2),
            (98.1, 96.4, 93.5, 97.9, 96.5, 93.4),
            (95.2, 93.6, 90.9, 96.0, 94.8, 91.9),
            (0.91, 1.09, 1.04, 0.52, 0.67, 0.76),
        ),
    },
)
TABLE_5 = Published(
    "JAFFE, 10 people",
    (*ATTRIBUTES, "LOSO"),
    {
        "LBP": (
            (100.0, 100.0, 90.5, 93.0, 90.6, 82.8, 72.7),
            (90.7, 86.7, 69.6, 90.7, 86.7, 69.6, 45.4),
            (66.7, 54.8, 54.6, 87.0, 80.8, 59.2, 25.0),
            (7.02, 6.33, 6.27, 1.47, 2.41, 5.16, 17.78),
        ),
        "SRC": (
            (100.0, 100.0, 85.2, 93.4, 93.4, 82.6, 72.7),
            (90.6, 88.3, 72.4, 90.6, 88.3, 72.4, 44.9),
            (66.7, 71.4, 59.0, 84.2, 83.6, 61.5, 19.1),
            (6.05, 5.33, 5.22, 1.67, 2.05, 4.50, 16.27),
        ),
    },
)
TABLE_6 = Published(
    "FERET, 1,000 people",
    ATTRIBUTES,
    {
        "LBP": (
            (90.0, 87.5, 83.2, 82.1, 82.4, 82.7),
            (81.2, 81.2, 81.1, 81.2, 81.2, 81.1),
            (71.0, 74.5, 78.0, 80.5, 80.1, 79.9),
            (3.36, 2.53, 1.18, 0.44, 0.61, 0.67),
        ),
        "SRC": (
            (98.0, 93.0, 90.4, 90.1, 90.7, 88.9),
            (88.6, 88.7, 87.3, 88.7, 88.7, 87.3),
            (80.0, 82.0, 83.8, 87.2, 86.8, 85.3),
            (3.21, 2.16, 1.34, 0.69, 0.86, 0.74),
        ),
    },
)


def single_runs(run: ProtocolRun) -> tuple[SingleRuns, ...]:
    """Compare the two classifiers run by run, under every protocol except LOSO, whose runs are people."""
    drawn = [one for one in run.results if one.protocol.kind != "leave-one-subject-out"]
    columns = list(dict.fromkeys(map(column_of, drawn)))
    better, worse = sorted(
        CLASSIFIERS, key=lambda name: -sum(found(run, name, column).spread.mean for column in columns)
    )
    return tuple(
        order_of_runs(
            column, better, worse, *(accuracies(found(run, name, column)) for name in (better, worse))
        )
        for column in columns
    )


def published_order(published: Published) -> list[str]:
    """Return the paper's classifiers, the worse first by the mean over the columns of hold-outs and cross-validations."""
    return sorted(published.rows, key=lambda name: sum(published.rows[name][1][:6]))


def published_overlap(published: Published, column: str) -> float | None:
    """Return the overlap of the paper's classifiers under a protocol, in points; the better is the one with the higher mean over columns."""
    worse, better = published_order(published)
    low, high = published.at(worse, "max", column), published.at(better, "min", column)
    return None if low is None or high is None else low - high


def beside_table(run: ProtocolRun, published: Published, title: str) -> Table:
    """Make a block in the paper's layout: our values, with the published values in brackets."""
    found_in = list(dict.fromkeys(map(column_of, run.results)))
    rows = (
        (
            text_cell(name),
            text_cell(statistic),
            *(_beside(run, published, name, statistic, column) for column in found_in),
        )
        for name in CLASSIFIERS
        for statistic in STATISTICS
    )
    caption = f"{title}, accuracy over runs in % (in brackets: {published.data})"
    return Table(caption, columns("classifier", "over runs", *found_in, text=2), tuple(rows))


def _beside(run: ProtocolRun, published: Published, name: str, statistic: str, column: str) -> Cell:
    spread = found(run, name, column).spread
    own = {"max": spread.maximum, "mean": spread.mean, "min": spread.minimum, "std": spread.std}[statistic]
    places = 2 if statistic == "std" else 1
    both = Beside(None if own is None else 100 * own, published.at(name, statistic, column))
    here, theirs = (_NOTHING if one is None else fixed(one, places) for one in both)
    return Cell(f"{here} ({theirs})", both)


def single_table(singles: Sequence[SingleRuns], published: Published, title: str) -> Table:
    """Make a table of what single runs show about the two classifiers, a column for each protocol."""
    theirs = (published_overlap(published, one.protocol) for one in singles)
    better, worse = singles[0].better, singles[0].worse
    their_worse, their_better = published_order(published)  # on real faces the order may be the other
    rows = {
        "difference of means": (_points(100 * one.gap) for one in singles),
        f"best {worse} minus worst {better}": (_points(100 * one.overlap) for one in singles),
        f"best {their_worse} minus worst {their_better}, the paper": map(_points, theirs),
        f"{worse} ahead, same split": (_share(one.same_split) for one in singles),
        f"{worse} ahead, different splits": (_share(one.other_split) for one in singles),
    }
    return Table(
        f"{title}, one run of {better} and one of {worse} (points; shares of runs)",
        columns("one run of each", *(one.protocol for one in singles)),
        tuple((text_cell(name), *cells) for name, cells in rows.items()),
    )


def _points(value: float | None) -> Cell:
    return Cell(_NOTHING) if value is None else Cell(signed(value, 1), value)


def _share(value: float) -> Cell:
    return Cell(percent(value), value)


def growth_table(study: Mery2016) -> Table:
    """Mean accuracy by the size of the gallery and by images per person, for growing shares of training."""
    most = max(study.images)
    rows = []
    for size, runs in study.galleries.items():
        parts = f" ({counted(len(runs), 'gallery', 'galleries')})" if len(runs) > 1 else ""
        name = f"{counted(size, 'person', 'people')} with {most} images{parts}"
        rows.append((text_cell(name), *_means(runs)))
    for count, run in study.images.items():
        if count != most:
            name = f"{counted(max(study.galleries), 'person', 'people')} with {count} images"
            rows.append((text_cell(name), *_means([run])))
    heads = columns("gallery", *(f"{name}\n{column}" for name in CLASSIFIERS for column in SHARES))
    return Table("Identity: mean accuracy over runs and galleries (%)", heads, tuple(rows))


def _means(runs: Sequence[ProtocolRun]) -> list[Cell]:
    return [fixed_cell(100 * mean_over(runs, name, column)) for name in CLASSIFIERS for column in SHARES]


def mixing_table(study: Mery2016) -> Table:
    """Expression with mixed folds and with new people, by the amount of other variation."""
    rows = []
    for difficulty, run in study.expressions.items():
        for name in CLASSIFIERS:
            mixed, alone = (100 * found(run, name, column).spread.mean for column in ("10f CV", "LOSO"))
            cells = (fixed_cell(mixed, 1), fixed_cell(alone, 1), _points(alone - mixed))
            rows.append((text_cell(f"difficulty {given(difficulty)}, {name}"), *cells))
    heads = columns("pictures", "10f CV, mixed", "LOSO", "difference")
    return Table("Expression: mean accuracy (%)", heads, tuple(rows))
