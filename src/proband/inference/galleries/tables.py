"""Results over several galleries of different people: by gallery, by cell, by algorithm, and overall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.inference.estimates.evaluation import OfProbes
from proband.inference.galleries.consistency import GalleryTally
from proband.results.base import Answers, Confidence, Count, Rank, Record, Result
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.test import Test
from proband.words import Method, Note, Target, counted, fixed


@dataclass(frozen=True)
class GalleryFacts:
    """One gallery.

    Attributes
    ----------
    number, people, images
        The number of the gallery, from 1, and the numbers of people and images enrolled.
    probes, probe_people
        The numbers of probes and of their people.
    mean_age
        The mean time between probe and mate; None if not requested or unknown.
    first, last
        The first and last value of the ordering column; None if people were assigned at random.
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
    estimate
        The rate with its interval for new people searched in this gallery; None in an empty cell.
    place, place_interval
        One plus the number of algorithms with a higher rate in this gallery, and its interval when the people of the gallery
        are resampled, jointly for all algorithms.
    probes
        The number of scored probes.
    """

    written = Written(also=("best_place", "worst_place"), without=("place_interval",))

    algorithm: str
    gallery: int
    estimate: Estimate | None
    place: int | None
    place_interval: tuple[int, int] | None
    probes: Count

    @property
    def rate(self) -> float | None:
        """The rate; None in an empty cell."""
        return None if self.estimate is None else self.estimate.value

    @property
    def best_place(self) -> Rank | None:
        """The best place in the interval."""
        return None if self.place_interval is None else self.place_interval[0]

    @property
    def worst_place(self) -> Rank | None:
        """The worst place in the interval."""
        return None if self.place_interval is None else self.place_interval[1]


@dataclass(frozen=True)
class GalleryRow:
    """One algorithm over all galleries that have probes.

    Attributes
    ----------
    mean
        The mean rate over galleries, with Student's interval.
    standard_deviation, range
        The standard deviation and the range (largest minus smallest rate) over galleries.
    least_place, greatest_place
        The best and the worst place in any gallery.
    test
        The test whether galleries differ by more than chance; notes explain a missing p-value. None for the average over algorithms.
    between
        The standard deviation between galleries beyond chance, 0 if none; None without a test.
    """

    algorithm: str
    mean: Estimate
    standard_deviation: float | None
    range: float
    least_place: int | None = None
    greatest_place: int | None = None
    test: Test | None = None
    between: float | None = None


@published
@dataclass(frozen=True, eq=False)
class GalleryVariation(OfProbes, Result):
    """Several algorithms over several galleries of different people.

    Attributes
    ----------
    galleries, cells
        The content of each gallery, and each algorithm in each gallery (algorithms and galleries in the given order).
    rows
        Each algorithm over the galleries.
    averages, average
        The mean rate of the algorithms in each gallery (None if no algorithm has a rate), and its mean over the galleries.
    size
        People in each gallery.
    answers, notes
        The four answers of the means over galleries, and notes.
    estimand, category, design
        The measure, the category of probes, and how people were assigned to galleries.
    confidence_level, seed
        The level of the intervals, and the seed of the resamples behind places.
    tallies
        The successes of each person in each gallery with probes.
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
    tallies: tuple[GalleryTally, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order."""
        return tuple(row.algorithm for row in self.rows)

    def of(self, algorithm: str) -> tuple[GalleryCell, ...]:
        """The cells of one algorithm, gallery by gallery.

        Parameters
        ----------
        algorithm
            The name of the algorithm.

        Returns
        -------
        tuple of GalleryCell
            A cell for each gallery; empty for an unknown name.
        """
        return tuple(cell for cell in self.cells if cell.algorithm == algorithm)

    def __repr__(self) -> str:
        means = ", ".join(
            f"{row.algorithm} {fixed(row.mean.value)} (range {fixed(row.range)}, places {row.least_place}–{row.greatest_place})"
            for row in self.rows[:6]
        )
        probes = "" if self.category is None else f" of {self.category} probes"
        return f"GalleryVariation({self.estimand}{probes}, {counted(len(self.galleries), 'gallery', 'galleries')} of {counted(self.size, 'person', 'people')}: {means})"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm and gallery."""
        about = {
            gallery.number: {
                field: getattr(gallery, field) for field in ("people", "images", "mean_age", "first", "last")
            }
            for gallery in self.galleries
        }
        return _framed([_cell_row(cell) | about[cell.gallery] for cell in self.cells])

    def summary_frame(self) -> pl.DataFrame:
        """One row for each algorithm, and the average over them last.

        Returns
        -------
        polars.DataFrame
            The rows of the summary.
        """
        return _framed([_summary_row(row) for row in (*self.rows, self.average)])


# A column keeps its type if all values are missing.
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("value", "low", "high", "mean_age", "standard_deviation", "range"), pl.Float64),
    **dict.fromkeys(("statistic", "degrees_of_freedom", "p_value", "between"), pl.Float64),
    **dict.fromkeys(("place", "best_place", "worst_place", "least_place", "greatest_place"), pl.Int64),
    "declined": pl.String,
}


def _cell_row(cell: GalleryCell) -> dict[str, Any]:
    return {
        "algorithm": cell.algorithm,
        "gallery": cell.gallery,
        **_numbers(cell.estimate),
        **{name: getattr(cell, name) for name in ("place", "best_place", "worst_place", "probes")},
    }


def _summary_row(row: GalleryRow) -> dict[str, Any]:
    test = row.test
    tested = ("statistic", "degrees_of_freedom", "p_value")
    return {
        "algorithm": row.algorithm,
        **_numbers(row.mean),
        **{
            name: getattr(row, name)
            for name in ("standard_deviation", "range", "least_place", "greatest_place")
        },
        **{name: None if test is None else getattr(test, name) for name in tested},
        "between": row.between,
        "declined": "; ".join(map(str, test.notes)) or None if test is not None else None,
    }


def _numbers(estimate: Estimate | None) -> dict[str, float | None]:
    """The value and its ends; None if missing."""
    if estimate is None or not estimate.has_interval:
        return {"value": None if estimate is None else estimate.value, "low": None, "high": None}
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _framed(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return frame_of_rows(rows, {name: _TYPES.get(name) for name in rows[0]})
