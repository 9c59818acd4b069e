"""Several algorithms, measured together: rates and whole curves with their intervals, by probe category."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from proband.engine import Engine, Progress, on_engine
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Level, Threads
from proband.errors import UsageError
from proband.inference.estimates.case import Case, supposed_by
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.estimates.cmc_bands import closed_band
from proband.inference.estimates.weighting import BY_DEFAULT, Supposed
from proband.inference.proportions import Interval
from proband.measures import CMC, Curve, MedianCensoredRank, Outcomes, RecognitionRate, rank
from proband.measures.base import Weights
from proband.measures.outcomes import Counting, FailurePolicy, TiePolicy
from proband.results.band import Band
from proband.results.base import Answers, Confidence, Rank, Rate, Result
from proband.results.estimate import ByPerson, Clusters
from proband.results.serializing import Written
from proband.results.sides import ONE_SIDED, Side, limits_of, opened, two_sided_level
from proband.samples import Category, EmptyCategoryError, Experiment
from proband.samples.categories import probe_groups
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Note, Sentence, Target, counted, fixed, interval

_ALL_PROBES = Target("all-probes", "all probes")
ALTERED_FROM = "altered_from"  # the column that says of an altered copy which sample it was made from
CENSORED_AT = 10
_EMPTY = Sentence("evaluation.empty-category", "caution", "left out: {why}")
_OWN_GALLERY = Sentence(
    "evaluation.own-gallery",
    "note",
    "{category}: searched for in a gallery of its own, {people:count person/people}: {rule}",
)
_ALTERED = Sentence(
    "evaluation.altered-copies",
    "caution",
    "{name}: {n:count} of {of:count} are digitally altered copies (column '{column}'), so the pooled rate depends on how many "
    "copies were made; it is not a rate of photographs",
)


def probes_called(category: str | None) -> str:
    """Return what people call a set of probes: the name of its category, or all probes where there is none."""
    return str(_ALL_PROBES) if category is None else category


class OfProbes:
    """What is of one set of probes: of a category, or of all probes where that is None."""

    category: str | None

    @property
    def probe_set(self) -> str:
        """What people call the set of probes."""
        return probes_called(self.category)


@dataclass(frozen=True, eq=False)
class Entry(OfProbes, Result):
    """One algorithm on one set of probes: its outcomes, its curve, the band around it, and the ranks that tables show.

    The category is None for all probes.

    Attributes
    ----------
    algorithm, category
        Whose entry it is, on which probes.
    outcomes, curve, band
        What became of the probes, the rate at every rank, and its intervals.
    ranks
        The ranks that tables show.
    weights
        What weighs the same in the rates: probes or people.
    supposed
        How alike a person's probes are supposed to be where errors are too few to show it.
    """

    written = Written(
        {
            "category": "probe_set",
            "cmc": "curve.values",
            "cmc_low": "band.low",
            "cmc_high": "band.high",
            "design": "band.design",
            "seed": "band.seed",
            "varying": "band.answers.varying",
            "said": "band.notes",
            "side": "band.side",
            "facts": "curve.facts",
        },
        also=("rates", "intervals", "by_person"),
        without=("outcomes", "curve", "band", "ranks", "weights", "supposed"),
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

    def __repr__(self) -> str:
        ends, beside = self.interval(1), self._by_person(1)
        told = "" if ends is None else f" {interval(*ends)}"
        told += f" at {self.weighted_rate(1)}"
        told += "" if beside is None else f"; {beside}"
        return f"{self.algorithm}, {probes_called(self.category)}: {fixed(self.curve.at(1))}{told}"

    def weighted_rate(self, rank: int) -> str:
        """What people call the rate at a rank, with its weights where others would give another rate."""
        unequal = self.weights == "person" or self._by_person(rank) is not None
        return f"rank {rank} ({self.weights}-weighted)" if unequal else f"rank {rank}"

    @cached_property
    def by_person(self) -> dict[Rank, ByPerson | None]:
        """The rates with people weighing the same; none where all have as many probes, or where these are the rates themselves."""
        return {rank: self._person_weighted(rank) for rank in self.ranks}

    @cached_property
    def median_rank(self) -> float:
        """The median rank, censored."""
        return MedianCensoredRank(CENSORED_AT)(self.outcomes).value

    @cached_property
    def _clusters(self) -> dict[int, Clusters]:
        return {}

    def clusters(self, rank: int) -> Clusters:
        """How alike the outcomes of one person's probes are, at a rank."""
        if rank not in self._clusters:
            found = cluster_statistics(self.outcomes.success(rank), self.outcomes.subjects)
            self._clusters[rank] = found
        return self._clusters[rank]

    def _by_person(self, rank: int) -> ByPerson | None:
        return self.by_person[rank] if rank in self.ranks else self._person_weighted(rank)

    def _person_weighted(self, rank: int) -> ByPerson | None:
        measure, side = RecognitionRate(rank, self.weights), self.band.side
        level = two_sided_level(self.band.confidence_level, side)
        made = Case(measure, self.outcomes, level, 0, supposed=self.supposed).by_person
        if made is None or side is None:
            return made
        ends = opened(Interval(made.low, made.high), side, limits_of(True))
        return replace(made, low=ends.low, high=ends.high)

    @property
    def rates(self) -> dict[Rank, Rate]:
        """The rate at each rank that tables show."""
        return {rank: self.curve.at(rank) for rank in self.ranks}

    @property
    def intervals(self) -> dict[Rank, Interval | None]:
        """Their intervals."""
        return {rank: self.interval(rank) for rank in self.ranks}

    def interval(self, rank: Rank) -> Interval | None:
        """Return the interval of the rate at a rank; None where the band does not reach it."""
        at = min(rank, len(self.curve.values)) - 1
        return (
            Interval(float(self.band.low[at]), float(self.band.high[at])) if at < len(self.band.low) else None
        )


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """What became of every algorithm on every set of probes.

    Attributes
    ----------
    entries
        One for each category and algorithm, categories in the order asked for, algorithms as given.
    ranks
        The ranks that tables show.
    weights
        What weighs the same in the rates: probes or people.
    empty
        What is to be said of sets of probes: those that no probe falls into, and those with galleries of their own.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity", name="net")
    >>> found = evaluate([scores], Experiment(samples, gallery="session == 1"))
    >>> (entry,) = found.of(None)
    >>> entry.curve.at(1), [round(end, 4) for end in entry.interval(1)]
    (0.5, [0.0945, 0.9055])
    >>> found.curves_frame().select("algorithm", "rank", "rate").rows()
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
        """What a reader should know: all that was left out or decided, once each."""
        noted = (note for entry in self.entries for note in entry.outcomes.notes)
        return tuple(dict.fromkeys((*noted, *self.empty)))

    @property
    def answers(self) -> Answers:
        """What the numbers are of, what varies behind them, what is fixed and what is assumed."""
        return self.entries[0].band.answers

    @property
    def confidence_level(self) -> Confidence:
        """The level of every interval."""
        return self.entries[0].band.confidence_level

    def of(self, category: str | None) -> tuple[Entry, ...]:
        """The entries of one set of probes: of a category, or of all probes."""
        return tuple(entry for entry in self.entries if entry.category == category)

    def curves(self, category: str | None = None) -> list[Curve]:
        """The curves of one set of probes (by default the first), one for each algorithm."""
        return [entry.curve for entry in self.of(category or self.categories[0])]

    def bands(self, category: str | None = None) -> list[Band]:
        """The same curves with their bands."""
        return [entry.band for entry in self.of(category or self.categories[0])]

    def __repr__(self) -> str:
        first = self.of(self.categories[0])
        return (
            f"Evaluation({counted(len(self.algorithms), 'algorithm')}, "
            f"{counted(len(self.categories), 'set of probes', 'sets of probes')}; "
            f"{first[0].weighted_rate(1)}: {', '.join(f'{e.algorithm} {fixed(e.curve.at(1))}' for e in first[:6])})"
        )

    def to_frame(self) -> pl.DataFrame:
        """One row for each algorithm and set of probes."""
        rows = []
        for entry in self.entries:
            facts = entry.curve.facts
            median = MedianCensoredRank(CENSORED_AT)(entry.outcomes)
            rows.append(
                {
                    "category": probes_called(entry.category),
                    "algorithm": entry.algorithm,
                    **self._rates(entry),
                    f"median_rank_censored_at_{CENSORED_AT}": median.value,
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
        """Every point of every curve: category, algorithm, rank, rate, low, high."""
        return pl.concat(
            entry.curve.to_frame()
            .join(
                entry.band.to_frame().drop("rate"),
                on=["algorithm", "rank"],
                how="left",
                maintain_order="left",
            )
            .select(pl.lit(probes_called(entry.category)).alias("category"), pl.all())
            for entry in self.entries
        )


@on_engine
def evaluate(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment,
    *,
    categories: Category | Sequence[Category] = (),
    by: str | Sequence[str] = (),
    pooled: Category | None = None,
    ranks: Sequence[Rank] = (1, 5, 10),
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    confidence_level: Level = 0.95,
    weights: Weights = "probe",
    one_sided: Side | None = None,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Evaluation:
    """Measure several algorithms in one experiment: the rate at every rank with its interval, by category of probes.

    Other people vary, searched for in this gallery; `estimate_cmc` has the formulas.

    Parameters
    ----------
    scores
        Those of one algorithm or of several, whose names must differ; a mapping names them.
    experiment
        The gallery and probes, the same for all.
    categories
        Probe categories to report one by one, besides all probes together. A probe's rank does not depend on the
        other probes, so each algorithm is ranked once, and once more for each category with a gallery of its own. A
        category that no probe falls into is noted and left out.
    by
        Columns whose values make more categories, such as the sex of the person.
    pooled
        Which probes make the first set; all of them by default.
    ranks
        The ranks that tables show; whole curves are always computed.
    confidence_level
        Of the intervals, which speak of other people (``auto`` of `estimate_cmc`).
    weights
        What weighs the same: every ``probe``, the plain share, beside which the rate with people weighing the same is given where
        they have different numbers of probes; or every ``person``.
    one_sided
        ``lower`` or ``upper``: bounds from below or above instead of intervals.
    ties, counting, on_failure, check_orientation, threads, progress
        As in `rank`.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity", name="net")
    >>> found = evaluate([scores], Experiment(samples, gallery="session == 1"), ranks=[1, 2])
    >>> found.to_frame().select("algorithm", "rank_1", "rank_2", "probes").rows()
    [('net', 0.5, 1.0, 2)]
    """
    algorithms = by_name(scores)
    experiment.samples.require_people()
    two_sided_level(confidence_level, one_sided)
    categories = categories_by(experiment, categories, by)
    _check_ranks(ranks)
    _sets(experiment, categories, pooled)  # what is wrong with them is said before anything is ranked

    def ranked(within: Experiment) -> list[Outcomes]:
        checked = check_orientation and within is experiment
        return [
            rank(
                one,
                within,
                ties=ties,
                counting=counting,
                on_failure=on_failure,
                check_orientation=checked,
                threads=threads,
                progress=progress,
            )
            for one in algorithms.values()
        ]

    return evaluate_outcomes(
        ranked(experiment),
        experiment,
        categories=categories,
        pooled=pooled,
        ranks=ranks,
        confidence_level=confidence_level,
        weights=weights,
        rank_in=ranked,
        one_sided=one_sided,
    )


def categories_by(
    experiment: Experiment, categories: Category | Sequence[Category], by: str | Sequence[str]
) -> tuple[Category, ...]:
    """Return all categories: those given, and one for each value of some columns."""
    given = (categories,) if isinstance(categories, Category) else tuple(categories)
    columns = (by,) if isinstance(by, str) else tuple(by)
    return (*given, *(one for column in columns for one in probe_groups(experiment, column)))


def probe_sets(
    experiment: Experiment, by: str | Category | Sequence[Category]
) -> tuple[dict[str | None, Experiment], tuple[Note, ...]]:
    """Return the experiment over all probes (None) and over each category, and notes on categories that no probe falls into."""
    named = isinstance(by, str)
    return _sets(experiment, categories_by(experiment, () if named else by, by if named else ()), None)  # type: ignore[arg-type]


def evaluate_outcomes(
    ranked: Sequence[Outcomes],
    experiment: Experiment,
    *,
    categories: Sequence[Category] = (),
    pooled: Category | None = None,
    ranks: Sequence[int] = (1, 5, 10),
    confidence_level: float = 0.95,
    weights: Weights = "probe",
    rank_in: Callable[[Experiment], Sequence[Outcomes]] | None = None,
    one_sided: Side | None = None,
) -> Evaluation:
    """Measure algorithms whose probes are ranked already, all in one experiment; as `evaluate` otherwise.

    `rank_in` ranks the same algorithms in another experiment, for categories with galleries of their own.
    """
    _check_ranks(ranks)
    sets, notes = ranked_sets(ranked, experiment, categories, rank_in, pooled)
    return evaluate_sets(
        ranked, sets, notes, ranks, confidence_level=confidence_level, weights=weights, one_sided=one_sided
    )


def ranked_sets(
    ranked: Sequence[Outcomes],
    experiment: Experiment,
    categories: Sequence[Category] = (),
    rank_in: Callable[[Experiment], Sequence[Outcomes]] | None = None,
    pooled: Category | None = None,
) -> tuple[dict[str | None, list[Outcomes]], tuple[Note, ...]]:
    """Return what became of the pooled probes (None: all of them) and of those of each category, and notes on the categories.

    Outcomes are restricted to the probes of a category; `rank_in` ranks again in those that have galleries of their own.
    """
    sets, notes = _sets(experiment, categories, pooled)
    made: dict[str | None, list[Outcomes]] = {}
    for name, part in sets.items():
        if part is experiment:
            made[name] = list(ranked)
        elif rank_in is not None and not np.array_equal(part.gallery, experiment.gallery):
            made[name] = list(rank_in(part))
        else:
            made[name] = [outcomes.restricted(part) for outcomes in ranked]
    return made, notes


def evaluate_sets(
    ranked: Sequence[Outcomes],
    sets: Mapping[str | None, Sequence[Outcomes]],
    notes: tuple[Note, ...],
    ranks: Sequence[int],
    *,
    confidence_level: float = 0.95,
    weights: Weights = "probe",
    one_sided: Side | None = None,
) -> Evaluation:
    """Measure algorithms on sets of probes that `ranked_sets` made of `ranked`; as `evaluate` otherwise."""
    _check_ranks(ranks)
    supposed = supposed_by(ranked)
    entries = []
    for name, part in sets.items():
        for own in part:
            curve = CMC(weights=weights)(own)
            band = closed_band(curve, own, two_sided_level(confidence_level, one_sided), weights, supposed)
            band = _bounded(band, one_sided, confidence_level)
            entries.append(Entry(own.algorithm, name, own, curve, band, tuple(ranks), weights, supposed))
    return Evaluation(tuple(entries), tuple(ranks), weights, notes)


def _bounded(band: Band, side: Side | None, confidence_level: float) -> Band:
    """A band whose lower or upper end alone is a bound, at each rank."""
    if side is None:
        return band
    low, high = (
        (band.low, np.ones_like(band.high)) if side == "lower" else (np.zeros_like(band.low), band.high)
    )
    said = ONE_SIDED(side=side, level=confidence_level, both=band.confidence_level)
    return replace(
        band, low=low, high=high, confidence_level=confidence_level, side=side, notes=(*band.notes, said)
    )


def _check_ranks(ranks: Sequence[int]) -> None:
    if not ranks:
        raise UsageError("Ranks are whole numbers of at least 1; got none.")


def _sets(
    experiment: Experiment, categories: Sequence[Category], pooled: Category | None
) -> tuple[dict[str | None, Experiment], tuple[Note, ...]]:
    """The experiment over the pooled probes and over each category, and notes on copies among the former and categories without any."""
    name, whole = (None, experiment) if pooled is None else (pooled.name, pooled.of(experiment))
    sets = {name: whole}
    notes = _altered(probes_called(name), whole)
    for category in categories:
        if category.name in sets:
            raise UsageError(f"The category {category.name!r} is defined twice.")
        if pooled is None and category.name == probes_called(None):
            raise UsageError(
                f"The category {category.name!r} is called as all probes together are, so nobody could tell the two apart.",
                "give it another name.",
            )
        try:
            part = sets[category.name] = category.of(experiment)
        except EmptyCategoryError as none:
            notes.append(_EMPTY(why=f"{none.message[0].lower()}{none.message[1:].rstrip('.')}"))
            continue
        notes += _altered(category.name, part)
        if len(part.gallery) < len(experiment.gallery):
            own = {"people": part.n_gallery_subjects, "rule": category.gallery}
            notes.append(_OWN_GALLERY(category=category.name, **own))
    return sets, tuple(notes)


def _altered(name: str, experiment: Experiment) -> list[Note]:
    """Say that copies which were altered digitally are counted together with photographs."""
    frame = experiment.samples.frame
    if ALTERED_FROM not in frame.columns:
        return []
    n = int(frame[ALTERED_FROM][experiment.probes].is_not_null().sum())
    if n in (0, len(experiment.probes)):
        return []
    return [_ALTERED(name=name, n=n, of=len(experiment.probes), column=ALTERED_FROM)]
