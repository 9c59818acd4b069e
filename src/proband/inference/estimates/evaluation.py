"""Results of several algorithms on several sets of probes: outcomes, curves, bands and rates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import polars as pl

from proband.designs import Clustered
from proband.designs.resampling import BOOTSTRAP
from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.errors import unknown_name
from proband.inference.estimates.case import Case, clusters_of
from proband.inference.estimates.weighting import BY_DEFAULT, Supposed
from proband.inference.proportions import Interval
from proband.measures import Curve, MedianCensoredRank, Outcomes, RecognitionRate
from proband.measures.base import Weights
from proband.results.about import RestsOn, Who
from proband.results.band import Band
from proband.results.base import Answers, Confidence, Rank, Rate, Result
from proband.results.estimate import Clusters, Estimate
from proband.results.serializing import Written
from proband.results.sides import limits_of, opened, two_sided_level
from proband.results.targets import OTHER_PEOPLE
from proband.words import Note, Target, counted, fixed, interval

_ALL_PROBES = Target("all-probes", "all probes")
CENSORED_AT = 10


def probes_called(category: str | None) -> str:
    """Return the name of a set of probes: that of its category, or "all probes"."""
    return str(_ALL_PROBES) if category is None else category


class OfProbes:
    """A mixin for results of one set of probes: of a category, or of all probes (None)."""

    category: str | None

    @property
    def probe_set(self) -> str:
        """The name of the set of probes."""
        return probes_called(self.category)


@published
@dataclass(frozen=True, eq=False)
class Entry(OfProbes, Result):
    """One algorithm on one set of probes: its outcomes, its curve with a band, and the ranks shown in tables.

    The category is None for all probes.

    Attributes
    ----------
    algorithm, category
        The algorithm and the category of probes.
    outcomes, curve, band
        The outcomes of the probes, the rate at every rank, and its intervals.
    ranks
        The ranks shown in tables.
    weights
        What is weighted equally in the rates: probes or people.
    supposed
        The assumed correlation within people if errors are too few to estimate it.
    population
        The size of the population from which the tested people were drawn; None for an infinite population.
    """

    written = Written(
        {
            "category": "probe_set",
            "cmc": "curve.values",
            "cmc_low": "band.low",
            "cmc_high": "band.high",
            "method": "band.method",
            "seed": "band.seed",
            "varying": "band.answers.varying",
            "said": "band.notes",
            "side": "band.side",
            "facts": "curve.facts",
        },
        also=("estimates",),
        without=("outcomes", "curve", "band", "ranks", "weights", "supposed", "population"),
        if_any=("side",),
    )

    algorithm: str
    category: str | None
    outcomes: Outcomes
    curve: Curve
    band: Band
    ranks: tuple[Rank, ...]
    weights: Weights = "probe"
    supposed: Supposed = BY_DEFAULT
    population: int | None = None

    def __repr__(self) -> str:
        ends, beside = self.interval(1), self._by_person(1)
        told = "" if ends is None else f" {interval(*ends)}"
        told += f" at {self.weighted_rate(1)}"
        told += "" if beside is None else f"; {beside.person_weighted}"
        return f"{self.algorithm}, {probes_called(self.category)}: {fixed(self.curve.at(1))}{told}"

    def weighted_rate(self, rank: int) -> str:
        """The name of the rate at a rank, with its weights if they matter.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        str
            Such as ``rank 1`` or ``rank 1 (probe-weighted)``.
        """
        unequal = self.weights == "person" or self._by_person(rank) is not None
        return f"rank {rank} ({self.weights}-weighted)" if unequal else f"rank {rank}"

    @cached_property
    def by_person(self) -> dict[Rank, Estimate | None]:
        """The person-weighted rates; empty if all people have the same number of probes, or if the rates are already person-weighted."""
        return {rank: self._person_weighted(rank) for rank in self.ranks}

    @cached_property
    def median_rank(self) -> float:
        """The median rank, censored."""
        return MedianCensoredRank(CENSORED_AT)(self.outcomes).value

    def clusters(self, rank: int) -> Clusters:
        """The correlation of outcomes within people, at a rank.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        Clusters
            The intraclass correlation, the design effect and derived numbers, with what the interval supposes.
        """
        measure, method = RecognitionRate(rank, self.weights), self.band.method
        shown = clusters_of(measure, self.outcomes)
        over_people = self.band.answers.varying.key == OTHER_PEOPLE.key
        bootstrapped = method.key == BOOTSTRAP and over_people and shown.nothing_varies
        if not bootstrapped and method.key != Clustered().as_method.key:
            return shown
        level = self.band.confidence_level
        case = Case(measure, self.outcomes, level, 0, self.population, self.supposed)
        return case.supposing(case.over_people) or shown

    def _by_person(self, rank: int) -> Estimate | None:
        return self.by_person[rank] if rank in self.ranks else self._person_weighted(rank)

    def _person_weighted(self, rank: int) -> Estimate | None:
        measure, side = RecognitionRate(rank, self.weights), self.band.side
        level = two_sided_level(self.band.confidence_level, side)
        made = Case(measure, self.outcomes, level, 0, self.population, self.supposed).by_person
        if made is None or side is None:
            return made
        ends = opened(Interval(made.low, made.high), side, limits_of(True))
        return replace(made, low=ends.low, high=ends.high)

    @cached_property
    def estimates(self) -> dict[Rank, Estimate]:
        """The rate at each rank shown in tables, with its interval."""
        return {rank: self.at(rank) for rank in self.ranks}

    def at(self, rank: Rank) -> Estimate:
        """Return the rate at a rank with its interval.

        Parameters
        ----------
        rank
            From 1; beyond the last rank, the last value of the curve.

        Returns
        -------
        Estimate
            The ends are NaN if the band does not reach the rank. Sizes and policies are in `curve.facts`.

        Examples
        --------
        >>> from proband import Experiment, Samples, Scores, evaluate
        >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
        >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity", name="net")
        >>> evaluation = evaluate({"net": scores}, Experiment(samples, gallery="session == 1"))
        >>> first = evaluation["net"].at(1)
        >>> first.value, round(first.low, 4), round(first.high, 4)
        (0.5, 0.0945, 0.9055)
        """
        low, high = self.interval(rank) or (nan, nan)
        measure = RecognitionRate(rank, self.weights)
        events = float(self.outcomes.success(rank).sum()) if self.weights == "probe" else None
        beside = self._by_person(rank)
        whose = Who(algorithm=self.algorithm, category=self.probe_set)
        return Estimate(
            who=whose,
            value=self.curve.at(rank),
            low=low,
            high=high,
            confidence_level=self.band.confidence_level,
            rests_on=RestsOn.measured(self.curve.facts, events),
            method=self.band.method,
            seed=self.band.seed,
            answers=replace(self.band.answers, of=measure.estimand),
            side=self.band.side,
            by_person=None if beside is None else replace(beside, who=whose),
        )

    @property
    def rates(self) -> dict[Rank, Rate]:
        """The rate at each rank shown in tables."""
        return {rank: self.curve.at(rank) for rank in self.ranks}

    @property
    def intervals(self) -> dict[Rank, Interval | None]:
        """The interval of the rate at each rank shown in tables."""
        return {rank: self.interval(rank) for rank in self.ranks}

    def interval(self, rank: Rank) -> Interval | None:
        """Return the interval of the rate at a rank; None if the band does not reach it.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        Interval or None
            The lower and the upper end.
        """
        at = min(rank, len(self.curve.values)) - 1
        return (
            Interval(float(self.band.low[at]), float(self.band.high[at])) if at < len(self.band.low) else None
        )


@published
@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """The results of every algorithm on every set of probes.

    Attributes
    ----------
    entries
        One entry for each category and algorithm, in the given order.
    ranks
        The ranks shown in tables.
    weights
        What is weighted equally in the rates: probes or people.
    empty
        Notes on sets of probes: sets without probes, and sets with separate galleries.

    Examples
    --------
    >>> from proband import Experiment, Samples, Scores, evaluate
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity", name="net")
    >>> found = evaluate([scores], Experiment(samples, gallery="session == 1"))
    >>> (entry,) = found.of(None)
    >>> entry.curve.at(1), [round(end, 4) for end in entry.interval(1)]
    (0.5, [0.0945, 0.9055])
    >>> found.curves_frame().select("algorithm", "rank", "value").rows()
    [('net', 1, 0.5), ('net', 2, 1.0)]
    """

    written = Written(
        {"results": "entries"},
        also=("confidence_level", "answers", "notes"),
        without=("empty",),
        versioned=True,
    )

    entries: tuple[Entry, ...]
    ranks: tuple[Rank, ...]
    weights: Weights = "probe"
    empty: tuple[Note, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order."""
        return tuple(dict.fromkeys(entry.algorithm for entry in self.entries))

    @property
    def categories(self) -> tuple[str | None, ...]:
        """The sets of probes, in order: None for all probes, the others by the names of their categories."""
        return tuple(dict.fromkeys(entry.category for entry in self.entries))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes: everything that was left out or decided, once each."""
        noted = (note for entry in self.entries for note in entry.outcomes.notes)
        return tuple(dict.fromkeys((*noted, *self.empty)))

    @property
    def answers(self) -> Answers:
        """What the numbers measure, what varies behind them, what is held fixed and what is assumed."""
        return self.entries[0].band.answers

    @property
    def confidence_level(self) -> Confidence:
        """The level of every interval."""
        return self.entries[0].band.confidence_level

    def __getitem__(self, algorithm: str) -> Entry:
        """Return the entry of one algorithm on the first set of probes."""
        entries = {entry.algorithm: entry for entry in self.of(self.categories[0])}
        if algorithm not in entries:
            raise unknown_name("algorithm", algorithm, entries)
        return entries[algorithm]

    def of(self, category: str | None) -> tuple[Entry, ...]:
        """The entries of one set of probes: of a category, or of all probes.

        Parameters
        ----------
        category
            The category of the probes; None for all probes.

        Returns
        -------
        tuple of Entry
            An entry for each algorithm; empty if nothing was measured on these probes.
        """
        return tuple(entry for entry in self.entries if entry.category == category)

    def curves(self, category: str | None = None) -> list[Curve]:
        """The curves of one set of probes (by default the first), one for each algorithm.

        Parameters
        ----------
        category
            The category of the probes; by default the first of `categories`.

        Returns
        -------
        list of Curve
            A curve for each algorithm.
        """
        return [entry.curve for entry in self.of(category or self.categories[0])]

    def bands(self, category: str | None = None) -> list[Band]:
        """The same curves with their bands.

        Parameters
        ----------
        category
            The category of the probes; by default the first of `categories`.

        Returns
        -------
        list of Band
            A band for each algorithm.
        """
        return [entry.band for entry in self.of(category or self.categories[0])]

    def __repr__(self) -> str:
        first = self.of(self.categories[0])
        return (
            f"Evaluation({counted(len(self.algorithms), 'algorithm')}, "
            f"{counted(len(self.categories), 'set of probes', 'sets of probes')}; "
            f"{first[0].weighted_rate(1)}: {', '.join(f'{e.algorithm} {fixed(e.curve.at(1))}' for e in first[:6])})"
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm, set of probes and rank; with `wide` one for each algorithm and set of probes."""
        if not wide:
            return super()._frame(wide)
        rows = []
        for entry in self.entries:
            facts = entry.curve.facts
            rows.append(
                {
                    "category": probes_called(entry.category),
                    "algorithm": entry.algorithm,
                    **self._rates(entry),
                    f"median_rank_censored_at_{CENSORED_AT}": entry.median_rank,
                    "probes": facts.n_probes,
                    "probe_subjects": facts.n_probe_subjects,
                    "gallery_images": facts.n_gallery_images,
                    "gallery_subjects": facts.n_gallery_subjects,
                    "failed_probes": facts.n_failed,
                    "failed_gallery": facts.n_gallery_failed,
                    "unmated_probes": facts.n_unmated,
                    "tied_probes": facts.n_tied,
                }
            )
        return frame_of_rows(rows)

    def _rates(self, entry: Entry) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for t in self.ranks:
            low, high = entry.interval(t) or (None, None)
            found |= {f"rank_{t}": entry.curve.at(t), f"rank_{t}_low": low, f"rank_{t}_high": high}
        for t, one in entry.by_person.items():
            if one is not None:
                name = f"rank_{t}_by_person"
                found |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
        return found

    def curves_frame(self) -> pl.DataFrame:
        """Return every point of every curve: category, algorithm, rank, value, low, high.

        Returns
        -------
        polars.DataFrame
            A row for each point; no ends if a band does not reach the rank.
        """
        return pl.concat(
            entry.curve.to_frame()
            .join(
                entry.band.to_frame().drop("value"),
                on=["algorithm", "rank"],
                how="left",
                maintain_order="left",
            )
            .select(pl.lit(probes_called(entry.category)).alias("category"), pl.all())
            for entry in self.entries
        )
