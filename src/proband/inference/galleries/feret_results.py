"""Results of a FERET study, for each set of probes and overall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.evaluation import Evaluation, OfProbes, probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.consistency import Consistency
from proband.inference.galleries.difficulty import Difficulty
from proband.inference.galleries.orders import Orders
from proband.inference.galleries.participants import FACTS, Panel, Participant, panels_of
from proband.inference.galleries.places import places
from proband.inference.galleries.rejection import RejectionTest
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import VersionContrast
from proband.results.band import Band
from proband.results.base import Rank, Record, Result
from proband.results.serializing import Written
from proband.words import Note, counted


@dataclass(frozen=True, eq=False)
class CategoryResult(OfProbes, Record):
    """The results of the field of algorithms on one set of probes.

    Attributes
    ----------
    average
        The mean of the algorithms' curves, with an interval at each rank.
    upper_bound
        The curve of the algorithm that is best at rank 1, with its own band; `leader` is its name. It is biased upwards, since the
        algorithm was selected on these probes.
    comparison
        All pairs of algorithms at the rank of the study; None for a single algorithm.
    difficulty
        Whether the probes distinguish algorithms.
    category
        The set of probes; None for all.
    """

    written = Written(
        {
            "category": "probe_set",
            "n_probes": "average.facts.n_probes",
            "n_probe_subjects": "average.facts.n_probe_subjects",
            "n_gallery_subjects": "average.facts.n_gallery_subjects",
            "n_gallery_images": "average.facts.n_gallery_images",
        }
    )

    category: str | None
    average: Band
    upper_bound: Band
    leader: str
    comparison: Comparison | None
    difficulty: Difficulty


@published
@dataclass(frozen=True, eq=False)
class FeretStudy(Result):
    """All results of the study.

    Attributes
    ----------
    evaluation
        Every algorithm on every set of probes.
    field
        The algorithms in averages, upper bounds, places and tables of variation: all except fully automatic versions.
    rank
        The rank of tables and tests; curves have all ranks.
    results
        For each set of probes: average, current upper bound, comparison, difficulty.
    versions, improvements
        Comparisons of two versions of one algorithm.
    variation
        Rates over disjoint galleries, for each set of probes and each order of people.
    sizes
        Expected rates in smaller galleries, for each set of probes and algorithm.
    rejection
        Searches for people who are not enrolled, if requested.
    notes
        Notes on what could not be done, and why.
    participants
        The participants: every algorithm with its date, metric, training and version, if known.
    consistency
        How often each algorithm is ahead of each other algorithm: over categories, and over galleries for each order of people.
    orders
        The order by identification compared with that by verification, for each set of probes, if requested.
    """

    written = Written(
        {"categories": "results", "confidence_level": "evaluation.confidence_level"}, versioned=True
    )

    evaluation: Evaluation
    field: tuple[str, ...]
    rank: Rank
    results: tuple[CategoryResult, ...]
    versions: tuple[VersionContrast, ...]
    improvements: tuple[VersionContrast, ...]
    variation: tuple[GalleryVariation, ...]
    sizes: tuple[SizeCurve, ...]
    rejection: RejectionTest | None
    notes: tuple[Note, ...] = ()
    participants: tuple[Participant, ...] = ()
    consistency: tuple[Consistency, ...] = ()
    orders: tuple[Orders, ...] = ()

    @property
    def told_of_participants(self) -> bool:
        """Whether there is information on any participant."""
        return any(getattr(one, name) is not None for one in self.participants for name in FACTS)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The algorithms by test date, earliest first; one panel if dates are unknown."""
        return panels_of(self.participants)

    def __repr__(self) -> str:
        leaders = ", ".join(f"{probes_called(one.category)}: {one.leader}" for one in self.results[:4])
        return (
            f"FeretStudy({counted(len(self.evaluation.algorithms), 'algorithm')}, {counted(len(self.results), 'set of probes', 'sets of probes')}; "
            f"best at rank 1 on {leaders})"
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """The leaderboard: a row for each set of probes and algorithm with its places, and one for the average."""
        held = {
            (one.category, name): (place, *reach)
            for one in self.results
            for name, (place, reach) in places_of(self, one).items()
        }
        entries, nowhere = self.evaluation.entries, (None, None, None)
        placed = frame_of_rows(
            (held.get((entry.category, entry.algorithm), nowhere) for entry in entries),
            dict.fromkeys(("place", "best_place", "worst_place"), pl.Int64),
        )
        board = pl.concat([self.evaluation.to_frame(wide=True), placed], how="horizontal")
        if any(one.date is not None for one in self.participants):
            dates = {one.algorithm: one.date for one in self.participants}
            board = board.with_columns(
                date=pl.Series([dates[one.algorithm] for one in entries], dtype=pl.String)
            )
        averages = frame_of_rows([self._average_row(one) for one in self.results])
        sets = [*(entry.category for entry in entries), *(one.category for one in self.results)]
        order = [self.evaluation.categories.index(one) for one in sets]
        return pl.concat([board, averages], how="diagonal_relaxed")[np.argsort(order, kind="stable")]

    def _average_row(self, one: CategoryResult) -> dict[str, Any]:
        band, facts = one.average, one.average.facts
        row: dict[str, Any] = {"category": probes_called(one.category), "algorithm": facts.algorithm}
        for t in self.evaluation.ranks:
            at = min(t, len(band.values)) - 1
            row |= {
                f"rank_{t}": band.at(t),
                f"rank_{t}_low": float(band.low[at]),
                f"rank_{t}_high": float(band.high[at]),
            }
        return row | {
            "probes": facts.n_probes,
            "probe_subjects": facts.n_probe_subjects,
            "gallery_images": facts.n_gallery_images,
            "gallery_subjects": facts.n_gallery_subjects,
        }


def places_of(study: FeretStudy, one: CategoryResult) -> dict[str, tuple[int, tuple[int, int]]]:
    """Return the place of each algorithm on a set of probes (ties share a place), and its possible places by the tests.

    By the tests, an algorithm is behind those that are significantly better and ahead of those that it beats.
    """
    rates = {
        entry.algorithm: entry.curve.at(study.rank)
        for entry in study.evaluation.of(one.category)
        if entry.algorithm in study.field
    }
    reach = dict.fromkeys(rates, (1, 1)) if one.comparison is None else one.comparison.places()
    own = places(np.array(list(rates.values()))).tolist()
    return {name: (place, reach[name]) for name, place in zip(rates, own, strict=True)}
