"""What was found over several galleries of different people: each gallery, each cell, each algorithm, and all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.inference.estimates.evaluation import OfProbes
from proband.inference.galleries.consistency import Tally
from proband.inference.galleries.places import Heterogeneity, Spread
from proband.inference.proportions import Interval
from proband.results.base import Answers, Confidence, Count, Rank, Record, Result
from proband.results.frames import rows_of
from proband.results.serializing import Written
from proband.words import Method, Note, Target, counted, fixed


@dataclass(frozen=True)
class GalleryFacts:
    """One gallery.

    Attributes
    ----------
    number, people, images
        The gallery's number from 1, and who and what is enrolled in it.
    probes, probe_people
        Probes, and how many people they are of.
    mean_age
        The mean time between probe and mate; None where it was not asked for or is not known.
    first, last
        Where the gallery begins and ends in the ordering column; None where people were dealt at random.
    """

    number: int
    people: Count
    images: Count
    probes: Count
    probe_people: int
    mean_age: float | None
    first: Any
    last: Any


@dataclass(frozen=True)
class GalleryCell(Record):
    """One algorithm in one gallery.

    Attributes
    ----------
    rate, interval
        The rate, and its interval over other people searched for in this gallery; None in an empty cell.
    place, place_interval
        One more than the number of algorithms with a higher rate in this gallery, and between which places it lies when the
        gallery's people are drawn anew, the same for all algorithms.
    probes
        How many were scored.
    """

    written = Written(
        {"low": "interval.low", "high": "interval.high"},
        also=("best_place", "worst_place"),
        without=("interval", "place_interval"),
    )

    algorithm: str
    gallery: int
    rate: float | None
    interval: Interval | None
    place: int | None
    place_interval: tuple[int, int] | None
    probes: Count

    @property
    def best_place(self) -> Rank | None:
        """The best place that the interval holds."""
        return None if self.place_interval is None else self.place_interval[0]

    @property
    def worst_place(self) -> Rank | None:
        """The worst place that the interval holds."""
        return None if self.place_interval is None else self.place_interval[1]


@dataclass(frozen=True)
class GalleryRow(Record):
    """One algorithm over all galleries that have probes.

    Attributes
    ----------
    spread
        Mean over galleries with its interval, standard deviation, range.
    least_place, greatest_place
        The best and the worst place in any gallery.
    test
        Whether the galleries differ by more than chance. None for the average over algorithms.
    """

    written = Written(
        {
            "mean": "spread.mean",
            "low": "spread.interval.low",
            "high": "spread.interval.high",
            "standard_deviation": "spread.standard_deviation",
            "range": "spread.range",
        },
        without=("spread",),
        spread=("test",),
    )

    algorithm: str
    spread: Spread
    least_place: int | None
    greatest_place: int | None
    test: Heterogeneity | None


@published
@dataclass(frozen=True, eq=False)
class GalleryVariation(OfProbes, Result):
    """Several algorithms over several galleries of different people.

    Attributes
    ----------
    galleries, cells
        What each gallery holds, and each algorithm in each gallery (algorithms as given, galleries in order).
    rows
        Each algorithm over the galleries.
    averages, average
        The mean rate of the algorithms in each gallery (None where none has one), and those means over the galleries.
    size
        People in each gallery.
    answers, notes
        The four answers of the means over galleries, and what else a reader should know.
    estimand, category, design
        What is measured, of which probes, and how people were dealt.
    confidence_level, seed
        Of the intervals, and of the draws behind places.
    tallies
        Each person's successes in each gallery with probes.
    """

    written = Written({"category": "probe_set", "algorithms": "rows"}, without=("tallies",), versioned=True)

    estimand: Target
    category: str | None
    design: Method
    size: int
    galleries: tuple[GalleryFacts, ...]
    cells: tuple[GalleryCell, ...]
    rows: tuple[GalleryRow, ...]
    averages: tuple[float | None, ...]
    average: GalleryRow
    confidence_level: Confidence
    seed: int
    answers: Answers
    notes: tuple[Note, ...]
    tallies: tuple[Tally, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order."""
        return tuple(row.algorithm for row in self.rows)

    def of(self, algorithm: str) -> tuple[GalleryCell, ...]:
        """The cells of one algorithm, gallery by gallery."""
        return tuple(cell for cell in self.cells if cell.algorithm == algorithm)

    def __repr__(self) -> str:
        means = ", ".join(
            f"{row.algorithm} {fixed(row.spread.mean)} (range {fixed(row.spread.range)}, places {row.least_place}–{row.greatest_place})"
            for row in self.rows[:6]
        )
        probes = "" if self.category is None else f" of {self.category} probes"
        return f"GalleryVariation({self.estimand}{probes}, {counted(len(self.galleries), 'gallery', 'galleries')} of {counted(self.size, 'person', 'people')}: {means})"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm and gallery."""
        about = {
            one.number: {
                field: getattr(one, field) for field in ("people", "images", "mean_age", "first", "last")
            }
            for one in self.galleries
        }
        return _framed([{**row, **about[row["gallery"]]} for cell in self.cells for row in rows_of(cell)])

    def summary_frame(self) -> pl.DataFrame:
        """One row for each algorithm, and the average over them last."""
        rows = (*self.rows, self.average)
        return _framed([{**row.to_dict(), "declined": _why(row)} for row in rows])


# A column keeps its type where all of it is missing.
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("rate", "low", "high", "mean_age", "mean", "standard_deviation", "range"), pl.Float64),
    **dict.fromkeys(("statistic", "p_value", "between"), pl.Float64),
    **dict.fromkeys(("place", "best_place", "worst_place", "least_place", "greatest_place"), pl.Int64),
    "degrees_of_freedom": pl.Int64,
    "declined": pl.String,
}


def _why(row: GalleryRow) -> str | None:
    """Why there is no test, in words."""
    declined = None if row.test is None else row.test.declined
    return None if declined is None else str(declined)


def _framed(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return frame_of_rows(rows, {name: _TYPES.get(name) for name in rows[0]})
