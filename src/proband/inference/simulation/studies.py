"""The registry of studies: for every procedure, populations on which it is tried, and what it showed there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from proband.designs import (
    BRR,
    Binomial,
    Bootstrap,
    Clustered,
    ClusteredMcNemar,
    Fay,
    Galleries,
    ImageChoice,
    Jackknife,
    SignFlip,
    TrainingSets,
)
from proband.engine import Progress
from proband.errors import UsageError
from proband.inference.simulation.asking import Ask, Banding, Estimating, Searching, Validating
from proband.inference.simulation.covered import Covered, Rejected, simulate_intervals, simulate_tests
from proband.inference.simulation.other_worlds import OneRank, SplitsWorld, StrangersWorld
from proband.inference.simulation.populations import Population
from proband.inference.simulation.score_worlds import (
    ChoicesWorld,
    GalleriesWorld,
    QueriesWorld,
    TrainingsWorld,
)
from proband.inference.simulation.worlds import OutcomesWorld, PairKind, PairsWorld, World
from proband.measures import CMC, Measure, MedianCensoredRank, RecognitionRate
from proband.measures.base import OutcomeMeasure
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.results.base import Result
from proband.words import Target, given

RATE = RecognitionRate(1)
NEW_PEOPLE = Target("new-people", "new people against these rivals")
NEW_PEOPLE_PAIRS = Target("new-people-compared", "new people, compared with each other")
OTHER_GALLERIES = Target("other-galleries", "new people and other galleries")
NEW_IMAGES = Target("new-images", "new images of these people")
OTHER_CHOICES = Target("other-choices", "another choice among these images of these people")
NEW_SEARCHED = Target("new-people-searched", "new people searched for in this gallery")
FITTED_MODELS = Target("fitted-models", "these fitted models, on new people")
METHODS = Target("the-method", "the method, retrained on other people")
OTHER_TRAININGS = Target("other-trainings", "other training sets; these people and images")


@dataclass(frozen=True)
class Trial:
    """One population on which a procedure is tried.

    Attributes
    ----------
    people
        The population in words.
    world, ask
        Where data sets come from, and what is asked of each.
    level
        Whether two algorithms that do not differ are compared, instead of an interval of one.
    """

    people: str
    world: World
    ask: Ask
    level: bool = False


@dataclass(frozen=True)
class Study:
    """What a procedure claims, and where that is tried.

    Attributes
    ----------
    key
        What procedures know it by.
    question
        What the intervals are of.
    trials
        The populations; the first is the quickest.
    """

    key: str
    question: Target
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Tried(Result):
    """What one trial of a study showed.

    Attributes
    ----------
    study, question, people, measure, design
        Which trial it was.
    interval
        What became of intervals; None for a comparison.
    level
        What became of tests without a difference; None for an interval.
    n_sets, seed
        The data sets.
    """

    study: str
    question: str
    people: str
    measure: str
    design: str
    interval: Covered | None
    level: Rejected | None
    n_sets: int
    seed: int


_SOME = (1, 2, 12)
_FEW_HAVE_MANY = (1,) * 9 + (40,)


def _each(numbers: int | tuple[int, ...]) -> str:
    """Numbers of probes in words."""
    if isinstance(numbers, int):
        return str(numbers)
    said = " or ".join(map(str, sorted(set(numbers))))
    return said if len(set(numbers)) == len(numbers) else f"{said} (one in {len(numbers)})"


def _said_of(people: Population, probes: int | tuple[int, ...]) -> str:
    said = f"{people.subjects} × {_each(probes)}, rate {given(people.rate)}, icc {given(people.icc)}, {people.kind}"
    return said + (", hard people have more" if people.informative else "")


def _searched(
    subjects: int,
    probes: int | tuple[int, ...],
    rate: float,
    icc: float,
    design: Any,
    *,
    measure: OutcomeMeasure = RATE,
    level: bool = False,
    images: bool = False,
    **more: Any,
) -> Trial:
    population = Population.of(subjects, probes, rate=rate, icc=icc, **more)
    said = _said_of(population, probes)
    world = OutcomesWorld(population, measure, "images" if images else "people")
    return Trial(said, world, Estimating(measure, design), level)


def _compared(
    subjects: int, images: int | tuple[int, ...], measure: Measure, value: float, icc: float, kind: Any
) -> Trial:
    numbers = Population.of(subjects, images, rate=0.5, icc=0.0).numbers
    said = f"{subjects} × {_each(images)} images, value {given(value)}, icc {given(icc)}, {kind}"
    return Trial(said, PairsWorld(numbers, measure, value, icc, kind), Estimating(measure, "auto"))


def _curves(
    subjects: int, probes: int | tuple[int, ...], rate: float, icc: float, **more: Any
) -> tuple[Trial, ...]:
    """A band at one rank, and one over the whole curve."""
    measure = CMC(20)
    population = Population.of(subjects, probes, rate=rate, icc=icc, **more)
    said = _said_of(population, probes)
    whole = OutcomesWorld(population, measure)
    return (
        Trial(said, OneRank(whole, 5), Banding(simultaneous=False, last=20, at=5)),
        Trial(said, whole, Banding(simultaneous=True, last=20)),
    )


def _strangers(mated: int, strangers: int, each: int, fpir: float, fnir: float, kind: PairKind) -> Trial:
    said = f"{mated} enrolled and {strangers} strangers × {each}, FNIR {given(fnir)}, icc 0.2, {kind}"
    return Trial(said, StrangersWorld(mated, strangers, each, fpir, fnir, 0.2, kind), Searching(fpir))


def _split(world: SplitsWorld) -> str:
    return f"{world.people} × {world.images}, {world.repeats}×{world.folds}f CV+, nearest centroid, {given(world.apart)} apart"


def _of_people(design: Any) -> tuple[Trial, ...]:
    """The populations on which an interval of a rate over new people is tried."""
    return (
        _searched(50, 3, 0.8, 0.2, design),
        _searched(200, 5, 0.95, 0.3, design),
        _searched(100, 5, 0.9, 0.2, design, kind="normal"),
        _searched(100, 5, 0.9, 0.3, design, kind="skewed"),
        _searched(100, 5, 0.9, 0.3, design, kind="classes"),
        _searched(60, _SOME, 0.8, 0.2, design),
        _searched(60, _SOME, 0.8, 0.2, design, kind="skewed"),
        _searched(60, _SOME, 0.8, 0.2, design, informative=True),
        _searched(100, _FEW_HAVE_MANY, 0.8, 0.2, design),
        _searched(60, _FEW_HAVE_MANY, 0.9, 0.2, design, kind="skewed", informative=True),
        _searched(200, _SOME, 0.9, 0.2, design, kind="normal", informative=True),
    )


def _without_difference(design: Any) -> tuple[Trial, ...]:
    """The populations on which a test of two algorithms over people is tried."""
    return (
        _searched(60, 3, 0.8, 0.2, design, level=True),
        _searched(100, 5, 0.9, 0.3, design, level=True, kind="skewed"),
        _searched(60, _SOME, 0.8, 0.2, design, level=True),
        _searched(60, _SOME, 0.8, 0.2, design, level=True, kind="classes", informative=True),
        _searched(100, _FEW_HAVE_MANY, 0.8, 0.2, design, level=True),
    )


def _all() -> Iterable[Study]:
    yield Study(
        "rate-of-probes",
        NEW_PEOPLE,
        (
            _searched(100, 1, 0.8, 0.0, Binomial()),
            _searched(30, 1, 0.95, 0.0, Binomial()),
            _searched(400, 1, 0.99, 0.0, Binomial()),
            _searched(100, 1, 0.8, 0.0, Binomial(), level=True),
        ),
    )
    yield Study("rate-over-people", NEW_PEOPLE, _of_people(Clustered()))
    median = MedianCensoredRank(50)
    yield Study(
        "ranks-over-people",
        NEW_PEOPLE,
        (
            _searched(100, 3, 0.05, 0.1, Bootstrap("subject", n_resamples=1_000), measure=median),
            *_of_people(Bootstrap("subject", n_resamples=1_000)),
        ),
    )
    yield Study(
        "difference-of-rates",
        NEW_PEOPLE,
        (*_without_difference(SignFlip()), *_without_difference(ClusteredMcNemar())),
    )
    yield Study(
        "new-images",
        NEW_IMAGES,
        (
            _searched(50, 3, 0.8, 0.2, BRR(), images=True),
            _searched(200, 3, 0.95, 0.3, BRR(), images=True),
            _searched(100, 4, 0.8, 0.3, Fay(), images=True, kind="skewed"),
            _searched(50, 3, 0.95, 0.3, BRR(interval="logit"), images=True),
        ),
    )
    yield Study(
        "other-galleries",
        OTHER_GALLERIES,
        (
            Trial("40 people in 4 galleries", GalleriesWorld(40), Estimating(RATE, Galleries(4))),
            Trial(
                "120 people in 6 galleries, hubs",
                GalleriesWorld(120, 2, hubs=3.0),
                Estimating(RATE, Galleries(6)),
            ),
        ),
    )
    yield Study(
        "training-sets",
        OTHER_TRAININGS,
        (
            Trial("40 people, 5 training sets", TrainingsWorld(40, 5), Estimating(RATE, TrainingSets())),
            Trial("40 people, 10 training sets", TrainingsWorld(40, 10), Estimating(RATE, TrainingSets())),
        ),
    )
    yield Study(
        "choices-of-images",
        OTHER_CHOICES,
        (
            Trial("40 people × 3 images", ChoicesWorld(40, 3), Estimating(RATE, ImageChoice())),
            Trial("80 people × 4 images", ChoicesWorld(80, 4), Estimating(RATE, ImageChoice())),
        ),
    )
    yield Study(
        "pairs-of-people",
        NEW_PEOPLE_PAIRS,
        (
            _compared(40, 3, AUC(), 0.95, 0.2, "normal"),
            _compared(60, 3, AUC(), 0.995, 0.2, "normal"),
            _compared(60, 3, AUC(), 0.98, 0.2, "classes"),
            _compared(60, (2, 3, 8), AUC(), 0.98, 0.2, "skewed"),
            _compared(60, 3, FNMR(0.01), 0.1, 0.2, "normal"),
            _compared(60, 3, FNMR(0.01), 0.02, 0.2, "normal"),
            _compared(60, (2, 3, 8), FNMR(0.01), 0.1, 0.2, "skewed"),
            _compared(60, 3, EER(), 0.05, 0.2, "normal"),
            _compared(60, (2, 3, 8), EER(), 0.1, 0.2, "skewed"),
            *(
                replace(_compared(60, 3, measure, value, 0.2, "normal"), ask=Estimating(measure, design))
                for measure, value in ((AUC(), 0.95), (FNMR(0.01), 0.1), (EER(), 0.1))
                for design in (Bootstrap("subject", n_resamples=1_000), Jackknife(kind="JK1"))
                if measure.form == "area" or isinstance(design, Bootstrap)
            ),
        ),
    )
    yield Study(
        "images-of-pairs",
        NEW_IMAGES,
        tuple(
            Trial(
                f"{people} people × {queries} queries",
                QueriesWorld(people, queries, measure),
                Estimating(measure, BRR()),
            )
            for people, queries in ((30, 2), (60, 3))
            for measure in (AUC(), FNMR(0.01), EER())
        ),
    )

    yield Study(
        "curves",
        NEW_PEOPLE,
        (
            *_curves(60, 1, 0.3, 0.0),
            *_curves(100, 3, 0.5, 0.2, kind="normal"),
            *_curves(100, 3, 0.8, 0.2, kind="skewed"),
            *_curves(60, _SOME, 0.4, 0.2, informative=True),
        ),
    )
    yield Study(
        "searches-for-strangers",
        NEW_SEARCHED,
        tuple(
            _strangers(*given_)
            for given_ in (
                (40, 40, 3, 0.1, 0.2, "normal"),
                (100, 100, 3, 0.05, 0.05, "normal"),
                (100, 100, 3, 0.05, 0.1, "skewed"),
                (100, 100, 3, 0.05, 0.1, "classes"),
            )
        ),
    )
    yield Study(
        "fitted-models",
        FITTED_MODELS,
        tuple(
            Trial(_split(world), world, Validating(method=False))
            for world in (SplitsWorld(40, 3), SplitsWorld(100, 3), SplitsWorld(60, 1, repeats=5, apart=3.5))
        ),
    )
    yield Study(
        "methods-trained-anew",
        METHODS,
        tuple(
            Trial(_split(world), world, Validating(method=True))
            for world in (
                SplitsWorld(40, 3, repeats=5, about="method"),
                SplitsWorld(100, 3, repeats=5, about="method"),
                SplitsWorld(60, 1, folds=10, about="method"),
            )
        ),
    )


STUDIES = {study.key: study for study in _all()}
"""Every study, by what procedures know it by."""


def run_trial(key: str, place: int, n_sets: int, seed: int = 0, progress: Progress | None = None) -> Tried:
    """Carry out one trial of a study.

    Examples
    --------
    >>> found = run_trial("rate-of-probes", 0, 50)
    >>> found.people, found.interval.covered.n
    ('100 × 1, rate 0.8, icc 0, beta', 50)
    """
    if key not in STUDIES:
        raise UsageError(f"There is no study {key!r}.", f"there are: {', '.join(STUDIES)}.")
    study = STUDIES[key]
    one = study.trials[place]
    interval = level = None
    if one.level:
        assert isinstance(one.world, OutcomesWorld)  # as the trials above have it
        assert isinstance(one.ask, Estimating)
        level = simulate_tests(one.world, one.ask.design, 0.0, n_sets, seed=seed, progress=progress)
        method = one.ask.design.as_method
    else:
        interval, first = simulate_intervals(one.world, one.ask, n_sets, seed=seed, progress=progress)
        method = first.method
    return Tried(
        key, study.question.key, one.people, one.ask.measure, method.key, interval, level, n_sets, seed
    )
