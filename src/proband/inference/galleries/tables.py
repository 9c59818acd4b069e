"""What was found over several galleries of different people: each gallery, each cell, each algorithm, and all of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from proband._version import __version__
from proband.engine.frames import frame_of_rows
from proband.engine.rendering import Drawn
from proband.inference.galleries.places import Heterogeneity, Spread
from proband.inference.proportions import Interval
from proband.results.base import Answers
from proband.words import Method, Note, Target, count, fixed, plain


@dataclass(frozen=True)
class GalleryFacts:
    """One gallery: its number, people, enrolled images, probes and how many people those are of; mean age; its span."""

    number: int
    people: int
    images: int
    probes: int
    probe_people: int
    mean_age: float | None
    first: Any
    last: Any

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; dates as text."""
        return {**asdict(self), "first": _plain(self.first), "last": _plain(self.last)}


@dataclass(frozen=True)
class GalleryCell:
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

    algorithm: str
    gallery: int
    rate: float | None
    interval: Interval | None
    place: int | None
    place_interval: tuple[int, int] | None
    probes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        low, high = self.interval or (None, None)
        place_low, place_high = self.place_interval or (None, None)
        return {
            "algorithm": self.algorithm,
            "gallery": self.gallery,
            "rate": self.rate,
            "low": low,
            "high": high,
            "place": self.place,
            "place_low": place_low,
            "place_high": place_high,
            "probes": self.probes,
        }


@dataclass(frozen=True)
class GalleryRow:
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

    algorithm: str
    spread: Spread
    least_place: int | None
    greatest_place: int | None
    test: Heterogeneity | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        low, high = self.spread.interval or (None, None)
        return {
            "algorithm": self.algorithm,
            "mean": self.spread.mean,
            "low": low,
            "high": high,
            "standard_deviation": self.spread.standard_deviation,
            "range": self.spread.range,
            "least_place": self.least_place,
            "greatest_place": self.greatest_place,
            **plain(self.test or Heterogeneity()),
        }

    def to_row(self) -> dict[str, Any]:
        """Return what a row of a table holds: why there is no test in words."""
        declined = None if self.test is None else self.test.declined
        return {**self.to_dict(), "declined": None if declined is None else str(declined)}


@dataclass(frozen=True, eq=False)
class GalleryVariation(Drawn):
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
    """

    estimand: Target
    category: str | None
    design: Method
    size: int
    galleries: tuple[GalleryFacts, ...]
    cells: tuple[GalleryCell, ...]
    rows: tuple[GalleryRow, ...]
    averages: tuple[float | None, ...]
    average: GalleryRow
    confidence_level: float
    seed: int
    answers: Answers
    notes: tuple[Note, ...]

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
        return f"GalleryVariation({self.estimand}{probes}, {len(self.galleries)} galleries of {count(self.size)} people: {means})"

    def to_frame(self) -> pl.DataFrame:
        """One row for each algorithm and gallery."""
        about = {
            one.number: {
                field: getattr(one, field) for field in ("people", "images", "mean_age", "first", "last")
            }
            for one in self.galleries
        }
        rows = [{**cell.to_dict(), **about[cell.gallery]} for cell in self.cells]
        return _framed(rows)

    def summary_frame(self) -> pl.DataFrame:
        """One row for each algorithm, and the average over them last."""
        rows = [row.to_row() for row in (*self.rows, self.average)]
        return _framed(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "proband": __version__,
            "estimand": self.estimand.to_dict(),
            "category": self.category,
            "design": self.design.to_dict(),
            "size": self.size,
            "confidence_level": self.confidence_level,
            "seed": self.seed,
            "galleries": [one.to_dict() for one in self.galleries],
            "cells": [cell.to_dict() for cell in self.cells],
            "algorithms": [row.to_dict() for row in self.rows],
            "averages": list(self.averages),
            "average": self.average.to_dict(),
            "answers": self.answers.to_dict(),
            "notes": plain(self.notes),
        }


# A column keeps its type where all of it is missing.
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("rate", "low", "high", "mean_age", "mean", "standard_deviation", "range"), pl.Float64),
    **dict.fromkeys(("statistic", "p_value", "between"), pl.Float64),
    **dict.fromkeys(("place", "place_low", "place_high", "least_place", "greatest_place"), pl.Int64),
    "degrees_of_freedom": pl.Int64,
    "declined": pl.String,
}


def _framed(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return frame_of_rows(rows, {name: _TYPES.get(name) for name in rows[0]})


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
