"""Comparison of sensors or conditions with the same people (Micheals & Boult 2001, future work)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs import SignFlip, StratifiedDesign
from proband.designs.strata import Strata
from proband.designs.stratified import PEOPLE
from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Rank, Seed
from proband.errors import DesignError, Hint, UsageError, first_few, unknown_name
from proband.inference.comparisons.compare import margin_for
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.paired import Tested, joined
from proband.inference.comparisons.paired_rates import SKEWED, person_curve
from proband.inference.comparisons.testing.curves import PValueCurve, Score, Skewed, Student
from proband.inference.comparisons.testing.sign_flip import sign_flip
from proband.inference.comparisons.verdicts import judged
from proband.inference.estimates.estimate import estimate
from proband.inference.procedures import Joint
from proband.inference.strata.estimates import answers_of
from proband.inference.strata.intervals import Carried, ends_of, freedom_of
from proband.inference.strata.pairs import student_method
from proband.measures import Outcomes, RecognitionRate
from proband.measures.base import outcomes_of
from proband.results.base import Answers, among
from proband.results.difference import Adjustment
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE, difference_of
from proband.samples import Experiment
from proband.samples.sampling import observed
from proband.scores import Scores
from proband.words import Method, Note, SampledColumn, Sentence, Target, agreeing, count, counted

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

_LEFT_OUT = Sentence(
    "sensors.left-out",
    "caution",
    "{n:count} of {of:count} people {n:word has/have} no probe for one or more values of {column} and {n:word is/are} left out: "
    "comparisons are paired by person",
)
_ONE_GALLERY = Sentence(
    "sensors.one-gallery",
    "caution",
    "all gallery images have the {column} {value}, so differences may be due to the gallery, not the probes",
)
_WEIGHTS = Sentence(
    "sensors.people-weigh-alike",
    "note",
    "every person is weighted equally, whatever the number of probes of each {column}",
)
_IMAGES = Target(
    "probe-images-of-these-people-by-sensor",
    "new, independent probe images of these people, with the same number per person and sensor",
)
_DIFFERENCES = Method(
    "sensors-sign-flip",
    "Tango interval of the differences per person",
    "Tango's score interval of the mean difference per person",
    ("tango1998",),
)


@published
def compare_sensors(
    scores: Outcomes | Scores,
    experiment: Experiment | None = None,
    *,
    by: str,
    rank: Rank = 1,
    design: StratifiedDesign | Literal["auto"] = "auto",
    margin: Margin | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    adjust: Adjustment = "single-step",
) -> Comparison:
    """Compare two or more sensors or conditions: same people, gallery and algorithm, different probe images.

    The estimand is the difference of recognition rates, with every person weighted equally. With ``auto``, comparisons are
    paired by person and are for *new people*: the mean of d_i = ȳ_iA − ȳ_iB over people with probes of both, tested by flipping
    the sign of each d_i (Fisher 1935; exact if each person has the same number of probes of both), with the matching score
    interval of Tango (1998). A stratified design with ``units="subject"`` uses the same d_i as units within strata, v = Σ W_h²
    s_h²(d)/n_h: for *new people within these strata*. A design without units is for *new probe images of these people*: images
    of two sensors are not paired, so v = Σ W_h² (s_hA²/n_hA + s_hB²/n_hB) over people h, with Student's interval.

    Parameters
    ----------
    scores
        Scores, embeddings or outcomes (`rank`) of one algorithm.
    experiment
        The experiment in which scores are ranked; not needed for outcomes.
    by
        The column of probes with the sensor.
    rank
        The rank at which a probe counts as recognised.
    design
        ``auto``, or `BRR`, `Fay` or `Jackknife` with any strata, weights, degrees of freedom and interval.
    margin, confidence_level, seed, adjust
        As in `compare`.

    Returns
    -------
    Comparison
        The differences between every two sensors.

    Examples
    --------
    Of 40 people with a probe of each camera, ten are recognised by camera A only: as in McNemar's test, p is (½)¹⁰.

    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gab" for k in range(40)]
    >>> table = {"id": ids, "subject": [name[1:] for name in ids], "camera": [name[0] for name in ids]}
    >>> values = np.vstack([np.eye(40), np.where(np.arange(40)[:, None] < 10, 0.5, np.eye(40))])
    >>> scores = Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name="net")
    >>> (pair,) = compare_sensors(scores, Experiment(Samples(table), gallery=ids[:40]), by="camera").pairs
    >>> pair.first, pair.second, pair.value, round(pair.p_value, 6), pair.verdict
    ('a', 'b', 0.25, 0.000977, 'better')
    """
    worth = margin_for(margin, is_rate=True)
    measure = RecognitionRate(rank, weights="person")
    sensors = Sensors.of(outcomes_of(scores, experiment), by, rank)
    found = (
        _over_people(sensors, measure, confidence_level, seed)
        if design == "auto"
        else _within_strata(sensors, measure, design, confidence_level)
    )
    pairs = judged(found.tested, worth, confidence_level, True, True, adjust, measure=measure.code)
    notes = (*sensors.notes, *found.notes)
    return Comparison(found.estimates, pairs, None, worth, confidence_level, found.answers, notes)


@dataclass(frozen=True, eq=False)
class Sensors:
    """The probes of one algorithm by sensor, of people with probes of all sensors.

    Attributes
    ----------
    column, names
        The column of sensors, and its values.
    outcomes, successes
        The outcomes and successes of the probes of each sensor.
    people
        The person of each probe, numbered from 0, by sensor.
    notes
        Notes, such as who was left out.
    """

    column: str
    names: tuple[str, ...]
    outcomes: tuple[Outcomes, ...]
    successes: tuple[Floats, ...]
    people: tuple[Codes, ...]
    notes: tuple[Note, ...]

    def sampling(self, strata: str | None = None) -> tuple[SampledColumn, ...]:
        """Observations on the declared columns in all probes, except the column of sensors."""
        within = self.outcomes[0].experiment
        probes = np.concatenate([one.probes for one in self.outcomes])
        columns = observed(within.samples, probes, within.gallery, strata=strata)
        return tuple(one for one in columns if one.column != self.column)

    @classmethod
    def of(cls, outcomes: Outcomes, column: str, rank: int) -> Sensors:
        """Split the probes of an experiment by sensor; people without a probe of each are left out and counted."""
        frame = outcomes.experiment.samples.frame
        if column not in frame.columns:
            raise unknown_name("column", column, frame.columns, "to distinguish sensors")
        values = frame[column][outcomes.probes]
        if values.null_count():
            raise DesignError(
                f"{counted(values.null_count(), 'probe has', 'probes have')} no value of {column}.",
                "remove them from the probes.",
            )
        labels = values.cast(str).to_numpy()
        names = tuple(sorted(set(labels.tolist())))
        if len(names) < 2:
            raise DesignError(
                f"All probes have the {column} {first_few(names)}: there is nothing to compare."
            )
        who = [set(outcomes.subjects[labels == name].tolist()) for name in names]
        both = set.intersection(*who)
        everybody = set.union(*who)
        if len(both) < 2:
            raise DesignError(
                f"{counted(len(both), 'person has', 'people have')} probes of every {column} ({first_few(names)}).",
                "use data in which people have probes of every sensor, or compare_independent for different "
                "people.",
            )
        kept = np.isin(outcomes.subjects, sorted(both))
        notes: list[Note] = [_WEIGHTS(column=column)]
        if len(both) < len(everybody):
            notes.append(_LEFT_OUT(n=len(everybody) - len(both), of=len(everybody), column=column))
        enrolled = set(frame[column][outcomes.experiment.gallery].cast(str).to_list())
        if len(enrolled) == 1 and enrolled <= set(names):
            notes.append(_ONE_GALLERY(column=column, value=enrolled.pop()))
        parts = []
        for name in names:
            chosen = outcomes.probes[kept & (labels == name)]
            part = outcomes.restricted(outcomes.experiment.restricted(probes=chosen.tolist()))
            parts.append(replace(part, algorithm=name))
        order = {code: place for place, code in enumerate(sorted(both))}
        people = tuple(np.array([order[int(code)] for code in one.subjects], dtype=np.intp) for one in parts)
        return cls(
            column, names, tuple(parts), tuple(one.success(rank) for one in parts), people, tuple(notes)
        )

    @property
    def n_people(self) -> int:
        """The number of people."""
        return int(self.people[0].max()) + 1

    @property
    def means(self) -> Floats:
        """The rate of each person with each sensor (people × sensors)."""
        sums = [
            np.bincount(who, weights=success) / np.bincount(who)
            for who, success in zip(self.people, self.successes, strict=True)
        ]
        return np.column_stack(sums).astype(np.float64)

    def of_people(self, column: str) -> npt.NDArray[Any]:
        """The value of a column for each person, which must be unique."""
        frame = self.outcomes[0].experiment.samples.frame
        if column not in frame.columns:
            raise unknown_name("column", column, frame.columns, "to form strata")
        found: list[Any] = [None] * self.n_people
        for one, who in zip(self.outcomes, self.people, strict=True):
            for person, value in zip(who.tolist(), frame[column][one.probes].to_list(), strict=True):
                if value is None or found[person] not in (None, value):
                    raise DesignError(
                        f"{column} has no value or several values for a person, who must be in exactly one "
                        "stratum.",
                        "use a column with one value per person.",
                    )
                found[person] = value
        return np.array(found)


def _over_people(sensors: Sensors, measure: RecognitionRate, level: float, seed: int) -> Joint:
    """Compare every two sensors by sign flips of the differences of people."""
    each = tuple(
        estimate(one, measure=measure, confidence_level=level, seed=seed) for one in sensors.outcomes
    )
    means = sensors.means
    tested: list[tuple[str, str, int | None, Tested]] = []
    for a, b in combinations(range(len(sensors.names)), 2):
        apart = means[:, a] - means[:, b]
        curve, draws = _turned(sensors, apart, (a, b), seed)
        error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
        method = joined(replace(SignFlip().as_method, draws=draws), _DIFFERENCES, SKEWED)
        found = Tested(
            float(apart.mean()), curve, error, method, n_discordant_subjects=int((apart != 0).sum())
        )
        tested.append((sensors.names[a], sensors.names[b], len(apart), found))
    answers = Answers(difference_of(measure.estimand), OTHER_PEOPLE, ALGORITHMS_AND_GALLERY, PEOPLE_ALIKE)
    return Joint(each, tuple(tested), among(answers, sensors.sampling()))


def _turned(
    sensors: Sensors, apart: Floats, pair: tuple[int, int], seed: int
) -> tuple[PValueCurve, int | None]:
    """The sign-flip test of people's differences: exact if everybody has as many probes of both sensors."""
    numbers = np.unique([np.bincount(sensors.people[place]) for place in pair])
    if len(numbers) > 1 or not apart.any():
        return person_curve(apart, seed)
    flipped = sign_flip(np.rint(apart * numbers[0]), seed)
    n, gained, lost = len(apart), float(apart[apart > 0].sum()), float(-apart[apart < 0].sum())
    if numbers[0] == 1:
        return Score(gained, lost, n, None, flipped.p_mid), flipped.method.draws
    implied = gained + lost - (gained - lost) ** 2 / n
    effect = float(apart.var(ddof=1)) * n / implied if implied > 0 else 1.0
    effect = effect if effect > 0 else 1.0
    skewed = Skewed.of(apart, np.ones(n))
    return Score(
        gained / effect, lost / effect, n / effect, n - 1.0, flipped.p_mid, None, skewed
    ), flipped.method.draws


def _within_strata(
    sensors: Sensors, measure: RecognitionRate, design: StratifiedDesign, level: float
) -> Joint:
    """Compare every two sensors by the textbook variance of people within strata, or of images within people."""
    if not (design.linear_is_textbook and design.knows_strata) or design.neighbours is not None:
        raise DesignError(
            f"{design} does not apply to differences between sensors.",
            "use the design brr, fay or jackknife.",
        )
    if design.units not in (None, PEOPLE):
        raise UsageError(
            f"Sensors are paired by person, so units must be people or images, not values of {design.units}.",
            Hint("{give:units=subject}, or leave {named:units} out."),
        )
    if design.units is None and design.strata is not None:
        raise UsageError(
            f"Strata of {design.strata} share people, so people must be the units.",
            Hint("{give:units=subject}, or leave {named:strata} out for new images of these people."),
        )
    paired = design.units is not None
    columns = _of_people(sensors, design) if paired else _of_images(sensors, design)
    each = []
    of = answers_of(measure.estimand, design)
    answers = of if paired else replace(of, varying=_IMAGES)
    for place, part in enumerate(sensors.outcomes):
        strata, values = columns[place]
        value, error = float(strata.mean(values)), float(np.sqrt(strata.textbook_variance(values)[0]))
        freedom = freedom_of(design, strata, values)
        carried = Carried.in_strata(strata, values)
        ends = ends_of(np.array([value]), np.array([error]), freedom, level, design.interval, carried, True)
        low, high, degrees = (float(end[0]) for end in ends)
        usual = estimate(part, measure=measure, confidence_level=level)
        each.append(
            replace(
                usual, value=value, low=low, high=high, standard_error=error, replicates=None,
                degrees_of_freedom=degrees, method=design.as_method, answers=answers, clusters=None, by_person=None, notes=(),
            )
        )  # fmt: skip
    tested: list[tuple[str, str, int | None, Tested]] = []
    for a, b in combinations(range(len(sensors.names)), 2):
        difference = each[a].value - each[b].value
        (first, one), (second, other) = columns[a], columns[b]
        if paired:
            error = float(np.sqrt(first.textbook_variance(one - other)[0]))
            freedom = freedom_of(design, first, one - other)
        else:
            error = float(np.hypot(each[a].standard_error or 0.0, each[b].standard_error or 0.0))
            freedom = _together(design, (first, one), (second, other))
        curve = Student(difference, error, max(freedom, 1.0), (-1.0, 1.0), len(first.names))
        method = joined(design.as_method, student_method(freedom))
        tested.append(
            (sensors.names[a], sensors.names[b], sensors.n_people if paired else None, Tested(difference, curve, error, method))
        )  # fmt: skip
    joint = Joint(tuple(each), tuple(tested), replace(answers, of=difference_of(measure.estimand)))
    return joint.among(sensors.sampling(design.columns["strata"]), **design.columns)


def _of_people(sensors: Sensors, design: StratifiedDesign) -> list[tuple[Strata, Floats]]:
    """People in their strata with their rates for each sensor; people in a stratum have equal weights."""
    assert design.strata is not None  # people cannot be strata and units
    strata = Strata.of(sensors.of_people(design.strata), design.weights)
    strata, _ = design.collapsed(strata, None)
    design.check(strata)
    return [(strata, column) for column in sensors.means.T]


def _of_images(sensors: Sensors, design: StratifiedDesign) -> list[tuple[Strata, Floats]]:
    """The images of people with their successes, for each sensor; people have equal weights unless weights are given."""
    weights = "equal" if design.weights == "units" else design.weights
    made = []
    for name, one, who, success in zip(
        sensors.names, sensors.outcomes, sensors.people, sensors.successes, strict=True
    ):
        few = int((np.bincount(who) < 2).sum())
        if few:
            raise DesignError(
                f"{count(few)} of {count(sensors.n_people)} people {agreeing(few, 'has', 'have')} one probe of {sensors.column} "
                f"{name}, so the variance cannot be estimated.",
                "leave them out, or use people as units: auto.",
            )
        labels = np.array(one.experiment.samples.subjects)[one.subjects]
        strata = Strata.of(labels, weights)
        design.check(strata)
        made.append((strata, success))
    return made


def _together(design: StratifiedDesign, first: tuple[Strata, Floats], second: tuple[Strata, Floats]) -> float:
    """Degrees of freedom of images of two sensors: units minus strata, or Satterthwaite's from Cochran's."""
    if not isinstance(design.degrees_of_freedom, str):
        return float(design.degrees_of_freedom)
    if design.degrees_of_freedom == "strata":
        return sum(freedom_of(design, strata, None) for strata, _ in (first, second))
    parts = [
        (float(strata.textbook_variance(values)[0]), freedom_of(design, strata, values))
        for strata, values in (first, second)
    ]
    below = sum(v**2 / nu for v, nu in parts)
    return sum(v for v, _ in parts) ** 2 / below if below > 0 else sum(nu for _, nu in parts)


@dataclass(frozen=True, eq=False)
class SensorStudy:
    """One algorithm with the sensors of its probes compared.

    Attributes
    ----------
    algorithm, column
        The algorithm, and the column of sensors.
    people
        The comparison paired by person, for new people or new people within strata.
    images
        The comparison for new probe images of these people; None if anybody has one probe of a sensor.
    """

    algorithm: str
    column: str
    people: Comparison
    images: Comparison | None
