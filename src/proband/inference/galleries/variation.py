"""Performance over several galleries of different people: rates, places, ages and their variation (Phillips et al. 2000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Galleries
from proband.designs.galleries import GalleryParts
from proband.engine import Engine, Progress, Silent, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Seed, Threads
from proband.errors import DesignError, Said, UsageError
from proband.inference.estimates.case import people_in
from proband.inference.estimates.estimate import estimate
from proband.inference.galleries.consistency import tally_of
from proband.inference.galleries.places import (
    heterogeneity,
    mean_age,
    place_intervals,
    places,
    spread_of,
)
from proband.inference.galleries.tables import (
    GalleryCell,
    GalleryFacts,
    GalleryRow,
    GalleryVariation as GalleryVariation,
)
from proband.inference.procedures import Question
from proband.inference.proportions import Interval
from proband.measures import OutcomeMeasure, Outcomes, RecognitionRate, rank as rank_probes
from proband.measures.base import Measure, as_measure
from proband.measures.outcomes import Counting, FailurePolicy, TiePolicy
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Facts, among
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.samples import Category, Experiment
from proband.scores import Scores, require_orientation
from proband.scores.sampling import sampled
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, Target, agreeing, counted

Floats = npt.NDArray[np.float64]
_RATES = Interval(0.0, 1.0)
_ANYTHING = Interval(-np.inf, np.inf)
AVERAGE = "average over algorithms"
_ONE_PERSON = Method("one-person", "no interval: all probes are from one person")
_OTHER_GALLERIES = Target("people-in-galleries", "new people and other galleries of this size")
_FIXED = Target("algorithm-and-images", "the algorithm and the number of images per person")
_ALIKE = Target(
    "galleries-alike",
    "galleries are independent and identically distributed groups of people, and their mean is nearly normal",
)

_MEANING = (
    Sentence(
        "galleries.meaning-of-intervals",
        "note",
        "the interval and the ranks in one gallery are for new people searched in that gallery; for ranks, "
        "people are resampled in the same way for all algorithms",
    )(),
    Sentence(
        "galleries.meaning-of-test",
        "note",
        "the test of differences between galleries assumes that the people in a gallery are independent, so "
        "one enrolled person who outranks many mates counts as a difference between galleries",
    )(),
)
_DEVIATION = Sentence("galleries.deviation", "note", "standard deviation over galleries {deviation:rate}")
_NOT_COMPARED = Sentence(
    "galleries.not-compared",
    "caution",
    "{algorithm} compared no probe of gallery {gallery} with a mate: an empty cell",
)
_UNDATED = Sentence(
    "galleries.no-age",
    "note",
    "no age for {n:count probe}: the probe or all its mates have no value in '{column}'",
)
_NO_PROBES = Sentence(
    "galleries.no-probes", "caution", "no probes in {n:word gallery/galleries} {which:names}: empty cells"
)
_NO_PROBES_OF = Sentence(
    "galleries.no-probes-of-category",
    "caution",
    "no probes in category '{category}' in {n:word gallery/galleries} {which:names}: empty cells",
)
NO_TEST = Sentence(
    "galleries.no-test", "note", "no test of differences between galleries for {algorithms:names}: {why}"
)
"""Why some algorithms have no test."""
_FEW_GALLERIES = Sentence(
    "galleries.fewer-than-three",
    "caution",
    "fewer than three galleries have probes, too few to estimate variation between galleries: the interval "
    "of the mean is not reliable",
)
_NO_VARIATION = Sentence(
    "galleries.do-not-vary",
    "caution",
    "all galleries have the same rate, so the mean has no interval",
)


@published
@on_engine
def gallery_variation(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment,
    *,
    design: Galleries,
    measure: Measure | str = "rank-1",
    category: Category | None = None,
    ages: str | None = None,
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> GalleryVariation:
    """Measure algorithms in several galleries of different people, and how much the galleries differ.

    Each probe is ranked in the gallery with its person, so no score is used in more than one gallery. The interval of the mean
    over galleries is for new people, both enrolled and searched (`spread_of`); the interval and the places in one gallery are
    for new people searched in it; `heterogeneity` tests whether galleries differ.

    Parameters
    ----------
    scores
        Scores of each algorithm, with different names.
    experiment
        The large gallery and its probes.
    design
        How people are assigned to galleries.
    measure
        A recognition rate, such as ``"rank-1"``.
    category
        Use only these probes; cells of galleries without such probes are empty.
    ages
        A column of dates or numbers, for the mean time between probe and mate in each gallery, in days for dates.
    confidence_level, seed
        The level of all intervals, and the seed of the resamples behind the intervals of places.
    ties, counting, on_failure, check_orientation, threads, progress, engine
        As in `rank`.

    Returns
    -------
    GalleryVariation
        The rate in each gallery, the variation between galleries, and the mean over galleries.

    References
    ----------
    .. [1] Phillips, P. J., Moon, H., Rizvi, S. A. and Rauss, P. J. (2000). IEEE PAMI 22, 1090-1104.

    Examples
    --------
    Nine people in three galleries by year; the first three cannot be distinguished.

    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(9)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "year": [*range(9)] * 2})
    >>> values = np.where(np.arange(9)[:, None] < 3, 0.5, np.eye(9))
    >>> scores = Scores.from_array(values, ids[9:], ids[:9], orientation="similarity", name="net")
    >>> experiment = Experiment(samples, gallery=ids[:9])
    >>> found = gallery_variation([scores], experiment, measure=RecognitionRate(1), design=Galleries(3, order="year"))
    >>> [cell.rate for cell in found.cells], round(found.rows[0].mean.value, 4), found.rows[0].range
    ([0.0, 1.0, 1.0], 0.6667, 1.0)
    """
    measure = as_measure(measure)
    if not isinstance(measure, RecognitionRate):
        raise UsageError(
            "Variation over galleries is computed for recognition rates only.",
            "for the mean of another measure over galleries, use estimate(scores, experiment, "
            "measure=measure, design=Galleries()).",
        )
    scores = tuple(by_name(scores).values())
    names = [one.name for one in scores]
    options: dict[str, Any] = {
        "ties": ties, "counting": counting, "on_failure": on_failure, "threads": threads,
    }  # fmt: skip
    within = experiment if category is None else category.of(experiment)
    parts = design.parts(within)
    ranked, noted = _ranked(scores, experiment, parts, check_orientation, progress or Silent(), options)
    facts, undated = _facts(experiment, parts, ages)
    of = category.name if category is not None else ""
    cells = _cells(measure, names, ranked, confidence_level, seed, of)
    averages = tuple(_mean_of([row[g].rate for row in cells]) for g in range(design.k))
    overall = np.array([one for one in averages if one is not None])
    answers = among(_answers(measure, parts, len(overall)), sampled(scores[0], within))

    def over(name: str, rates: Floats) -> GalleryRow:
        return _row(Who(algorithm=name, category=of), rates, design, answers, confidence_level)

    rows = tuple(
        _placed(over(name, _rates_of(own)), own, [one for one in outcomes if one is not None], measure.rank)
        for name, own, outcomes in zip(names, cells, ranked, strict=True)
    )
    average = over(AVERAGE, overall)
    flat = any(not row.mean.has_interval for row in rows)
    said = (*_about_spread(flat, len(overall)), *_declined(rows), *_MEANING)
    notes = (*parts.notes, *noted, *_empty(facts, category), *undated, *said)
    return GalleryVariation(
        estimand=measure.estimand,
        category=None if category is None else category.name,
        design=design.as_method,
        size=parts.size,
        galleries=facts,
        cells=tuple(cell for row in cells for cell in row),
        rows=rows,
        averages=averages,
        average=average,
        confidence_level=confidence_level,
        seed=seed,
        answers=answers,
        notes=tuple(dict.fromkeys(notes)),
        tallies=tuple(
            made
            for number, column in enumerate(zip(*ranked, strict=True), 1)
            if (made := tally_of(None if category is None else category.name, number, column, measure.rank))
        ),
    )


def over_galleries(question: Question) -> tuple[Estimate, ...]:
    """Estimate the mean of a measure over galleries of different people, with Student's interval; replicates are the galleries.

    x̄ ± t_{k−1} s/√k (Student 1908), for a rate on the logit scale. It is for new people, enrolled and searched, in galleries of this size.
    """
    measure, within, design = question.measure, question.within, question.design
    level = question.confidence_level
    if not isinstance(within, Experiment) or not all(isinstance(one, Scores) for one in question.data):
        raise UsageError(
            "Ranking in other galleries needs scores and an experiment.",
            "call estimate(scores, Experiment(samples, gallery=...), measure=RecognitionRate(1), "
            "design=Galleries(6)).",
        )
    if question.population is not None:
        raise UsageError("A finite population is supported with closed forms, not with several galleries.")
    return tuple(_over_galleries(measure, one, within, design, level) for one in question.data)


def _over_galleries(
    measure: OutcomeMeasure, data: Scores, within: Experiment, design: Galleries, level: float
) -> Estimate:
    parts = design.parts(within)
    ranked, noted = _ranked([data], within, parts, True, Silent(), {})
    outcomes = [one for one in ranked[0] if one is not None]
    # All probes as one unit: the measure as it is.
    values = np.array([float(measure.tally(one, np.zeros(len(one), np.intp)).value()) for one in outcomes])
    if len(values) < 2 or not np.isfinite(values).all():
        raise DesignError(
            f"{len(values)} of {design.k} galleries {agreeing(len(values), 'has', 'have')} probes, and a mean over galleries needs at least "
            "two galleries with finite values.",
            "use fewer galleries, or a measure that is finite despite failures.",
        )
    limits = _RATES if measure.in_points else _ANYTHING
    spread = spread_of(values, level, limits)
    deviation = spread.standard_deviation or 0.0
    low, high = spread.interval or limits
    facts = _pooled_facts(within, parts, outcomes)
    return Estimate(
        who=Who(algorithm=facts.algorithm),
        rests_on=RestsOn.measured(facts),
        value=spread.mean,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=deviation / float(np.sqrt(len(values))),
        degrees_of_freedom=len(values) - 1.0,
        replicates=values,
        method=design.as_method,
        seed=design.seed if design.order is None else None,
        answers=_answers(measure, parts, len(values)),
        facts=facts,
        notes=(
            _DEVIATION(deviation=deviation),
            *parts.notes,
            *noted,
            *_about_spread(spread.interval is None, len(values)),
        ),
    )


Ranked = list[list[Outcomes | None]]


def _ranked(
    scores: Sequence[Scores],
    experiment: Experiment,
    parts: GalleryParts,
    check_orientation: bool,
    progress: Progress,
    options: dict[str, Any],
) -> tuple[Ranked, tuple[Note, ...]]:
    """The outcomes of each algorithm in each gallery, None if nothing can be scored, and notes."""
    experiments = [one.experiment for one in parts.galleries]
    if not any(experiments):
        raise DesignError("No gallery has a probe of an enrolled person, so there is nothing to measure.")
    progress.begin(f"ranking in {len(experiments)} galleries", len(scores) * len(experiments))
    ranked: Ranked = []
    notes: list[Note] = []
    for one in scores:
        if check_orientation:
            require_orientation(one, experiment)  # once, where most people are
        ranked.append([])
        for number, part in enumerate(experiments, 1):
            found = None
            if part is not None:
                try:
                    found = rank_probes(one, part, check_orientation=False, **options)
                    notes.extend(found.notes)
                except DesignError:  # every genuine pair of this gallery is a don't-care cell
                    notes.append(_NOT_COMPARED(algorithm=one.name, gallery=number))
            ranked[-1].append(found)
            progress.advance(1)
        if not any(found is not None for found in ranked[-1]):
            raise DesignError(
                f"{one.name} compared no probe with a mate in any gallery.", source=Said(one.name)
            )
    return ranked, tuple(dict.fromkeys(notes))


def _facts(
    experiment: Experiment, parts: GalleryParts, ages: str | None
) -> tuple[tuple[GalleryFacts, ...], tuple[Note, ...]]:
    samples = experiment.samples
    found, undated = [], 0
    for one in parts.galleries:
        age = None
        if ages is not None:
            age, lacking = mean_age(samples, one, ages)
            undated += lacking
        people = len(np.unique(samples.codes[one.probes]))
        sizes = (len(one.people), len(one.images), len(one.probes), people)
        found.append(GalleryFacts(one.number, *sizes, age, one.first, one.last))
    return tuple(found), ((_UNDATED(n=undated, column=ages),) if undated else ())


def _cells(
    measure: RecognitionRate, names: list[str], ranked: Ranked, level: float, seed: int, category: str
) -> list[list[GalleryCell]]:
    """The cells, algorithms × galleries."""
    cells: list[list[GalleryCell]] = [[] for _ in names]
    for gallery, column in enumerate(zip(*ranked, strict=True), 1):
        filled = [one for one in column if one is not None]
        rates = np.array([float(measure(one)) for one in filled])
        placed = iter(places(rates).tolist())
        # A separate random stream for each gallery.
        own_seed = int(np.random.SeedSequence([seed, gallery]).generate_state(1)[0])
        ends = place_intervals(filled, measure.rank, level, own_seed) if filled else None
        bounds = iter(ends.T.tolist() if ends is not None else [None] * len(filled))
        for name, outcomes, row in zip(names, column, cells, strict=True):
            if outcomes is None:
                row.append(GalleryCell(name, gallery, None, None, None, 0))
                continue
            place, bound = next(placed), next(bounds)
            between = None if bound is None else (min(place, bound[0]), max(place, bound[1]))
            own = replace(
                _in_gallery(measure, outcomes, level, seed),
                who=Who(algorithm=name, category=category, gallery=str(gallery)),
            )
            row.append(GalleryCell(name, gallery, own, place, between, len(outcomes)))
    return cells


def _in_gallery(measure: RecognitionRate, outcomes: Outcomes, level: float, seed: int) -> Estimate:
    """The rate in one gallery; without an interval if all probes are of one person."""
    if people_in(outcomes) > 1:
        own = estimate(outcomes, measure=measure, confidence_level=level, seed=seed)
        return replace(own, facts=None)  # notes on the gallery are given once for all algorithms
    measured = measure(outcomes)
    return Estimate(
        who=Who(algorithm=outcomes.algorithm),
        value=float(measured),
        low=np.nan,
        high=np.nan,
        confidence_level=level,
        rests_on=RestsOn.measured(outcomes.facts, measured.events),
        method=_ONE_PERSON,
        answers=measured.answers,
    )


def _rates_of(cells: Sequence[GalleryCell]) -> Floats:
    return np.array([cell.rate for cell in cells if cell.rate is not None])


def _row(who: Who, rates: Floats, design: Galleries, answers: Answers, level: float) -> GalleryRow:
    """The mean and the variation over galleries."""
    spread, n = spread_of(rates, level, _RATES), len(rates)
    low, high = spread.interval or (np.nan, np.nan)
    deviation = spread.standard_deviation
    mean = Estimate(
        who=who,
        value=spread.mean,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=None if deviation is None else deviation / float(np.sqrt(n)),
        degrees_of_freedom=n - 1.0 if spread.interval else None,
        rests_on=RestsOn(n=n, of="gallery", n_units=n, unit="gallery"),
        method=design.as_method,
        seed=design.seed if design.order is None else None,
        answers=answers,
    )
    return GalleryRow(who.algorithm, mean, deviation, spread.range)


def _placed(
    row: GalleryRow, cells: Sequence[GalleryCell], outcomes: Sequence[Outcomes], rank: int
) -> GalleryRow:
    """The row with places, and the test whether galleries differ."""
    placed = [cell.place for cell in cells if cell.place is not None]
    test, between = heterogeneity(outcomes, rank)
    test = replace(test, who=row.mean.who)
    return replace(row, least_place=min(placed), greatest_place=max(placed), test=test, between=between)


def _mean_of(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return float(np.mean(known)) if known else None


def _answers(measure: Any, parts: GalleryParts, n_filled: int) -> Answers:
    order = parts.design.order
    of = f"mean {{}} over {counted(n_filled, 'gallery', 'galleries')} of {counted(parts.size, 'person', 'people')}"
    drift = (
        f"{_ALIKE}; galleries are ordered by {order}, so any drift over {order} is part of their variation"
    )
    return Answers(
        derived("mean-over-galleries", of, measure.estimand),
        _OTHER_GALLERIES,
        _FIXED,
        _ALIKE if order is None else Target("galleries-alike-but-for-drift", drift),
    )


def _pooled_facts(within: Experiment, parts: GalleryParts, outcomes: Sequence[Outcomes]) -> Facts:
    """The facts of all galleries together, with summed sizes."""
    each = [one.facts for one in outcomes]
    summed = (
        "n_probes", "n_probe_subjects", "n_gallery_images", "n_gallery_subjects", "n_failed", "n_gallery_failed",
        "n_tied", "n_probes_marked",
    )  # fmt: skip
    return replace(
        each[0],
        **{field: sum(getattr(one, field) for one in each) for field in summed},
        n_ranks=max(one.n_ranks for one in each),
        n_unmated=int((~within.mated).sum()),
        universe=within.universe,
        gallery_rule=f"{within.gallery_rule}; {parts.design}, {counted(parts.size, 'person', 'people')} in each",
        experiment=within.fingerprint,
        notes=tuple(dict.fromkeys(note for one in each for note in one.notes)),
    )


def _empty(facts: Sequence[GalleryFacts], category: Category | None) -> tuple[Note, ...]:
    without = tuple(str(one.number) for one in facts if not one.probes)
    if not without:
        return ()
    if category is None:
        return (_NO_PROBES(n=len(without), which=without),)
    return (_NO_PROBES_OF(category=category.name, n=len(without), which=without),)


def _declined(rows: Sequence[GalleryRow]) -> tuple[Note, ...]:
    whose: dict[Note, list[str]] = {}
    for row in rows:
        for why in () if row.test is None else row.test.notes:
            whose.setdefault(why, []).append(row.algorithm)
    return tuple(NO_TEST(algorithms=tuple(names), why=reason) for reason, names in whose.items())


def _about_spread(flat: bool, n_filled: int) -> tuple[Note, ...]:
    """Notes on the limits of few galleries, or of galleries that do not vary."""
    notes = []
    if n_filled < 3:
        notes.append(_FEW_GALLERIES())
    if flat and n_filled > 1:
        notes.append(_NO_VARIATION())
    return tuple(notes)
