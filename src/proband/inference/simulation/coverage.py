"""Simulated coverage and width of intervals, and power of tests, for a user's design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np

from proband.designs import Design
from proband.designs.base import as_design
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Seed, Share, Within
from proband.errors import UsageError
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.procedures import Auto
from proband.inference.simulation.asking import Comparing, Estimating
from proband.inference.simulation.covered import Covered, RejectionRates, simulate
from proband.inference.simulation.pair_worlds import PairKind, PairsWorld
from proband.inference.simulation.populations import KINDS, Kind, SimulatedPeople
from proband.inference.simulation.worlds import OutcomesWorld, Target as About, TwoAlgorithms, numbers_in
from proband.measures import Measure, Outcomes
from proband.measures.base import OutcomeMeasure, as_measure
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.samples import Experiment
from proband.words import Method, Note, Sentence, Target, as_sentence

_SIMULATED = Target("simulated-data-sets", "simulated data sets, each with new people and new probes")
_SIMULATED_IMAGES = Target("simulated-images", "simulated data sets, each with new images of the same people")
_NOTHING_REAL = Target(
    "the-design", "the numbers of people and probes, the rate and the variation between people"
)
_KEEPS = Sentence(
    "coverage.keeps",
    "note",
    "The {level:level} interval covers the true value in {covered:tenth} of {n:count simulated data set} (± "
    "{error:tenth}, Monte Carlo); its mean width is {width:worth}, {ratio:two} times that of an interval with the true "
    "variance",
)
_KEEPS_IN_UNITS = Sentence(
    "coverage.keeps-in-units",
    "note",
    "The {level:level} interval covers the true value in {covered:tenth} of {n:count simulated data set} (± "
    "{error:tenth}, Monte Carlo); its mean width is {width:small}, {ratio:two} times that of an interval with the true "
    "variance",
)
_KEEPS_NOT = Sentence(
    "coverage.falls-short",
    "caution",
    "this {level:level} interval is too narrow here: it covers the true value in at most {high:tenth} of data sets (99% "
    "Monte Carlo bound)",
)
_WIDE = Sentence(
    "coverage.wide",
    "note",
    "its coverage is above the stated level, at {ratio:two} times the width of an interval with the true "
    "variance",
)
_CARRIERS = Sentence(
    "coverage.carriers",
    "note",
    "effectively {carriers:small} of {people:count} people account for the variance",
)
_FEW_CARRIERS = Sentence(
    "coverage.few-carriers",
    "caution",
    "effectively only {carriers:small} of {people:count} people account for the variance: below 3 no "
    "interval is reliable; test more people, or the same number of probes per person",
)
_REFUSED = Sentence(
    "coverage.refused",
    "caution",
    "{share:tenth} of the data sets gave no interval and are left out",
)
_INFORMATIVE = Sentence(
    "coverage.informative",
    "note",
    "hard people have more probes: the probe-weighted rate of new people is {probe_rate:rate} and the "
    "person-weighted rate is {rate:rate}",
)
_POWER = Sentence(
    "coverage.power",
    "note",
    "a true difference of {margin:worth} is detected in {power:tenth} of data sets, a difference of zero in "
    "{level:tenth}; {discordant:tenth} of the probes are recognised by only one of the two",
)
_GIVEN_PERSON = Sentence(
    "coverage.independent-given-person",
    "note",
    "given the person, the two algorithms fail independently, which maximises discordant probes and "
    "minimises power; a share of discordant probes can be specified",
)
_ASSUMED = "people are independent, and their probes are independent given the person; {}"
_PAIRS_ASSUMED = "scores have an effect of each person and no effect of images; {}"
_FEWEST_CARRIERS = 3
_SETS = Within(
    ge=20,
    le=1_000_000,
    hint="use 1000 for example, which estimates a coverage of 95% to within ± 0.7 points.",
)


@published
@dataclass(frozen=True)
class Coverage(Result):
    """The coverage of an interval, and optionally the power of a test, in simulated data sets.

    Attributes
    ----------
    design, measure, in_points
        The simulated procedure, its measure, and whether results are in percentage points.
    subjects, probes, probes_cv
        People and probes (images, for pairs) per data set, and the coefficient of variation of the probes per person.
    rate, icc, kind, informative
        The simulated population: the mean rate of people (for pairs, the true value of the measure), the size and kind of
        variation between people, and whether hard people have more probes.
    interval
        The results for the intervals.
    power, level
        The results for tests with a true difference of the margin, and with no difference; None without a margin.
    confidence_level, n_sets, seed
        The level of the intervals, the number of data sets, and their seed.
    answers, notes
        The meaning of the results, and notes.
    """

    design: Method
    measure: str
    in_points: bool
    subjects: Count
    probes: Count
    probes_cv: float
    rate: float
    icc: float
    kind: Kind
    informative: bool
    interval: Covered
    power: RejectionRates | None
    level: RejectionRates | None
    confidence_level: Confidence
    n_sets: Count
    seed: int
    answers: Answers
    notes: tuple[Note, ...] = ()

    @property
    def covered(self) -> Rate:
        """The share of data sets whose interval contains the true value."""
        return self.interval.covered.value

    def sentence(self) -> Note:
        """The result in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        return (_KEEPS if self.in_points else _KEEPS_IN_UNITS)(
            level=self.confidence_level,
            covered=self.covered,
            n=self.n_sets,
            error=self.interval.covered.standard_error,
            width=self.interval.mean_width,
            ratio=self.interval.width_ratio,
        )

    def __repr__(self) -> str:
        return f"{self.design}: {as_sentence(self.sentence())}"


@published
def coverage(
    experiment: Outcomes | Experiment | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    subjects: int | None = None,
    probes_per_subject: int | Sequence[int] | None = None,
    rate: float | None = None,
    icc: float | None = None,
    kind: Kind | None = None,
    informative: bool = False,
    about: About | None = None,
    margin: Margin | None = None,
    test: Design | Auto | str = "auto",
    discordant: Share | None = None,
    n_sets: Annotated[int, _SETS] = 1_000,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Coverage:
    """Simulate the coverage and width of an interval for a design, and the power of a test.

    Data sets are simulated for people with known rates and analysed by the same code as real data. The estimated coverage has
    the Monte Carlo error √(p(1 − p)/n). Results apply to the simulated kind of variation between people, so try several kinds.

    Parameters
    ----------
    experiment
        Your data: an experiment provides the people and probes per person; outcomes also provide the rate and its intraclass
        correlation.
    measure
        The measure, as in `estimate`. ``fnmr`` and ``auc`` are simulated over pairs of images.
    design
        The design of the interval, or ``"auto"``.
    subjects, probes_per_subject
        The number of people, and the probes per person (for pairs, the images); several numbers are assigned in turn.
    rate, icc
        The mean rate of people, and the intraclass correlation of the probes of a person. For `FNMR` and `AUC`, the true value,
        and the share of the variance of scores due to people.
    kind
        The kind of variation between people: ``beta`` (the default of rates), ``normal`` (that of pairs), ``skewed``,
        ``classes``.
    informative
        Whether hard people have more probes.
    about
        The true value to cover: for new ``people``, or for new ``images`` of the tested people; by default the target of the
        design.
    margin, test, discordant
        With a margin, two algorithms that differ by the margin and two equal algorithms are compared by this test; `discordant`
        is the share of probes that only one recognises (by default, algorithms fail independently given the person).
    n_sets
        The number of data sets.
    confidence_level
        The level of the simulated intervals and tests.
    seed
        The seed of the data sets.
    progress
        The progress callback.

    Returns
    -------
    Coverage
        The coverage and width of the interval and, with a margin, the power of the test.

    Examples
    --------
    >>> found = coverage(subjects=40, probes_per_subject=3, rate=0.9, icc=0.2, n_sets=200)
    >>> found.design.key, found.interval.covered.rests_on.n, 0.9 < found.covered <= 1
    ('clustered', 200, True)
    """
    measure = as_measure(measure)
    design, test = as_design(design), as_design(test)
    if measure.form == "curve":
        raise UsageError("The coverage of bands of whole curves is not simulated.", "use a rate at a rank.")
    population = _population(measure, experiment, subjects, probes_per_subject, rate, icc, kind, informative)
    world: Any
    if isinstance(measure, OutcomeMeasure):
        about = about or ("images" if getattr(design, "capability", None) == "strata" else "people")
        world = OutcomesWorld(population, measure, about)
        if about == "images" and not world.is_share:
            raise UsageError("New images of the same people are simulated for rates only.", "use a rate.")
    else:
        if about == "images" or informative:
            raise UsageError(
                "Simulations over pairs draw new people, whose numbers of images are unrelated to their "
                "difficulty."
            )
        kind = cast("PairKind", population.kind)  # checked there
        world = PairsWorld(population.numbers, measure, population.rate, population.icc, kind)
    if margin is not None and not (isinstance(world, OutcomesWorld) and world.is_share):
        raise UsageError("Power is simulated for rates over probes only.", "leave out the margin.")
    settings: dict[str, Any] = {"confidence_level": confidence_level, "seed": seed, "progress": progress}
    tally, answer = simulate(world, Estimating(measure, design), n_sets, **settings)
    if answer is None:
        # Repeat the call to raise the error.
        answer = Estimating(measure, design)(world.draw(seed, 0), confidence_level, 0)
    found = Covered.of(tally, confidence_level)
    power = level = None
    if margin is not None:
        power, level = (
            RejectionRates.of(
                simulate(
                    TwoAlgorithms(world, apart, discordant), Comparing(measure, test), n_sets, **settings
                )[0],
                apart,
            )
            for apart in (margin, 0.0)
        )
    assumed = (_ASSUMED if isinstance(world, OutcomesWorld) else _PAIRS_ASSUMED).format(
        KINDS[population.kind]
    )
    answers = Answers(
        measure.estimand,
        _SIMULATED_IMAGES if about == "images" else _SIMULATED,
        _NOTHING_REAL,
        Target(f"simulated-{population.kind}", assumed),
    )
    return Coverage(
        design=answer.method,
        measure=measure.code,
        in_points=measure.in_points,
        subjects=population.subjects,
        probes=sum(population.numbers),
        probes_cv=population.cv,
        rate=population.rate,
        icc=population.icc,
        kind=population.kind,
        informative=population.informative,
        interval=found,
        power=power,
        level=level,
        confidence_level=confidence_level,
        n_sets=n_sets,
        seed=seed,
        answers=answers,
        notes=_notes(found, power, level, population, confidence_level, discordant),
    )


def _population(
    measure: Measure,
    data: Outcomes | Experiment | None,
    subjects: int | None,
    probes: int | Sequence[int] | None,
    rate: float | None,
    icc: float | None,
    kind: Kind | None,
    informative: bool,
) -> SimulatedPeople:
    """The simulated population: as given, or as in the data."""
    if data is not None and (subjects is not None or probes is not None):
        raise UsageError(
            "People and probes were given both as numbers and as data.", "leave one of the two out."
        )
    kind = kind or ("beta" if isinstance(measure, OutcomeMeasure) else "normal")
    if isinstance(data, Outcomes):
        if not isinstance(measure, OutcomeMeasure) or measure.form != "share":
            raise UsageError(
                "Only a rate can be simulated from outcomes.", "pass an experiment, the rate and the icc."
            )
        numbers = tuple(np.unique(data.subjects, return_counts=True)[1].tolist())
        seen = cluster_statistics(measure.success(data), data.subjects)
        rate = seen.rate if rate is None else rate
        if icc is None:
            icc = float(np.clip(np.nan_to_num(seen.icc), 0.0, 0.95)) if max(numbers) > 1 else 0.0
    elif isinstance(data, Experiment):
        numbers = numbers_in(data, of_pairs=not isinstance(measure, OutcomeMeasure))
    elif data is None and subjects is not None:
        population = SimulatedPeople.of(subjects, 1 if probes is None else probes, rate=0.5, icc=0.0)
        numbers = population.numbers
    else:
        raise UsageError(
            "The people to simulate were not specified.",
            "pass the number of people and their probes, or an experiment or outcomes.",
        )
    if rate is None:
        raise UsageError("The rate to simulate is missing.", "pass the expected rate, such as 0.95.")
    if icc is None:
        if max(numbers) > 1:
            raise UsageError(
                "A simulation with several probes per person needs their intraclass correlation.",
                "use 0.2, for example; estimate reports it for a rate.",
            )
        icc = 0.0
    if len(numbers) < 2:
        raise UsageError("A simulation of new people needs at least two people, got one.")
    return SimulatedPeople(numbers, rate, icc, kind, informative).checked()


def _notes(
    found: Covered,
    power: RejectionRates | None,
    level: RejectionRates | None,
    population: SimulatedPeople,
    confidence_level: float,
    discordant: Share | None,
) -> tuple[Note, ...]:
    notes = []
    if found.covered.high < confidence_level:
        notes.append(_KEEPS_NOT(level=confidence_level, high=found.covered.high))
    elif found.covered.low > confidence_level:
        notes.append(_WIDE(ratio=found.width_ratio))
    if found.carriers is not None:
        few = found.carriers < _FEWEST_CARRIERS
        notes.append(
            (_FEW_CARRIERS if few else _CARRIERS)(carriers=found.carriers, people=population.subjects)
        )
    if population.informative:
        notes.append(_INFORMATIVE(probe_rate=population.probe_rate, rate=population.rate))
    if found.refused > 0:
        notes.append(_REFUSED(share=found.refused))
    if power is not None and level is not None:
        notes.append(
            _POWER(
                margin=power.margin,
                power=power.rejected.value,
                level=level.rejected.value,
                discordant=power.discordant,
            )
        )
        if discordant is None:
            notes.append(_GIVEN_PERSON())
    return tuple(notes)
