"""The experiment of Micheals & Boult (2001) on any score matrices: galleries, mixing, errors, units, algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs import BRR, Bootstrap, Jackknife, StratifiedDesign
from proband.designs.factors import n_replicates_of
from proband.designs.strata import ROUNDING
from proband.engine import Engine, Progress, Silent, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Seed
from proband.errors import DesignError, Hint, UsageError
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.bootstrap import units_of
from proband.inference.estimates.cmc_bands import estimate_cmc
from proband.inference.estimates.estimate import estimate
from proband.inference.galleries.effect import GalleryEffect, ImageColumns, gallery_effect
from proband.inference.strata.bands import rates_and_errors
from proband.inference.strata.estimates import IMAGES_OF_PEOPLE
from proband.inference.strata.kish import MissRate
from proband.inference.strata.sensors import SensorStudy, compare_sensors
from proband.inference.strata.units import strata_of
from proband.measures import CMC, Outcomes, RecognitionRate, rank as rank_probes
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.band import Band
from proband.results.base import Answers, Count, Rank, Record, Result
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE, OTHER_PROBES
from proband.samples import Experiment, Samples
from proband.scores import Scores, experiment_over
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, Target, count

Floats = npt.NDArray[np.float64]
_BOOTSTRAP = 1_000  # replicates, as in the paper
_LOW_RANKS = 0.1  # relative ranks up to here
_MOST_CHOICES = 1_000  # of units, enumerated
_CHOICES_APART = 3  # with separate curves, as in figure 5 of the paper

_FIXED = Sentence(
    "strat.fixed-gallery",
    "note",
    "The gallery is fixed ({gallery}, {people:count person/people}): there are no other image columns and "
    "no mixed galleries",
)
_BRR = Method("brr", "BRR")
WITHIN_PEOPLE = Method("jackknife-within-people", "jackknife within people (JKn)")
_DELETE_ONE = Method("jackknife", "delete-one jackknife")
_OF_PROBES = Method("bootstrap-of-probes", "bootstrap over probes")
_OF_PEOPLE = Method("bootstrap-of-people", "bootstrap over people")
_VARYING = {
    _BRR.key: IMAGES_OF_PEOPLE,
    WITHIN_PEOPLE.key: IMAGES_OF_PEOPLE,
    _DELETE_ONE.key: OTHER_PROBES,
    _OF_PROBES.key: OTHER_PROBES,
    _OF_PEOPLE.key: OTHER_PEOPLE,
}


@dataclass(frozen=True, eq=False)
class ErrorsByRank(Record):
    """The standard error of a curve at every rank, its method, and what varies behind it.

    Attributes
    ----------
    method, n_replicates
        The method, and its number of replicates. For rates, BRR and the jackknives have closed forms without replicates.
    by_rank
        The standard error at ranks 1, 2, …
    variance_ratio
        The variance relative to the bootstrap over probes, averaged over relative ranks up to 0.1; None if the latter is zero.
    """

    written = Written(also=("varying",))

    method: Method
    n_replicates: Count
    by_rank: Floats
    variance_ratio: float | None

    @property
    def varying(self) -> Target:
        """What varies behind it."""
        return _VARYING[self.method.key]


@dataclass(frozen=True, eq=False)
class VarianceByRank(Record):
    """The variance of a curve at every rank, with some of the probe images of each person as units.

    Attributes
    ----------
    units, n_choices
        The number of images per person, and the number of ways to choose them.
    left_out
        The column of images that is left out; None over all choices.
    by_rank
        The variance at ranks 1, 2, …; the mean over several choices.
    lowest, highest
        The extremes over all choices; None if there are too many to enumerate.
    """

    units: Count
    n_choices: Count
    left_out: Count | None
    by_rank: Floats
    lowest: Floats | None
    highest: Floats | None


@published
@dataclass(frozen=True, eq=False)
class StratStudy(Result):
    """All results of the experiment.

    Attributes
    ----------
    estimates
        The rate of each algorithm with a fixed gallery; empty if each column is the gallery in turn.
    n_left_out, n_unused
        People with too few images (with a fixed gallery: with one probe), and unused images.
    most_people
        The smallest possible number of images (three), and how many people have them, if this includes more people.
    effects, mixed
        For each algorithm, each column as the gallery, without and with mixing.
    errors
        For each algorithm, the standard error of its CMC by the key of its method, with the first mixed gallery or the fixed one.
    variances
        For each algorithm, the variance of its CMC with 2, 3, … units per person, with the first mixed gallery.
    bands
        The CMC of each algorithm with a fixed gallery; empty if each column is the gallery in turn.
    comparison
        The comparison of the algorithms with the same replicates; None for one algorithm.
    miss_rate
        How often a binomial interval would miss the true value for new people (Kish 1957); None if no person has several
        probes, or if all or no probes succeed.
    sensors
        For each algorithm, the comparison of sensors; empty if no sensor column is given.
    rank, n_subjects, n_images
        The rank of tables and tests, people, and images per person (0 with a fixed gallery, for which numbers differ).
    notes
        Notes.
    relative_ranks
        Whether curves are drawn over rank / people in the gallery.
    """

    written = Written(
        {
            "galleries": "effects",
            "mixed_galleries": "mixed",
            "standard_errors": "errors",
            "variances_by_units": "variances",
            "rates": "estimates",
        },
        without=("most_people", "relative_ranks"),
        versioned=True,
    )

    rank: Rank
    n_subjects: Count
    n_images: Count
    estimates: tuple[Estimate, ...]
    n_left_out: Count
    n_unused: Count
    most_people: tuple[int, int] | None
    effects: tuple[GalleryEffect, ...]
    mixed: tuple[GalleryEffect, ...]
    errors: dict[str, dict[str, ErrorsByRank]]
    variances: dict[str, tuple[VarianceByRank, ...]]
    bands: tuple[Band, ...]
    comparison: Comparison | None
    miss_rate: MissRate | None
    sensors: tuple[SensorStudy, ...]
    notes: tuple[Note, ...]
    relative_ranks: bool = False

    @property
    def cases(self) -> tuple[Estimate, ...]:
        """The rate of each algorithm with the first available gallery."""
        return self.estimates or tuple(effect.estimates[0] for effect in self.effects)

    @property
    def answers(self) -> Answers:
        """What varies behind verdicts and errors, with the fixed or the first mixed gallery."""
        return (self.estimates or self.mixed[0].estimates)[0].answers

    @property
    def curves(self) -> tuple[Band, ...]:
        """The CMC of each algorithm with the fixed or the first mixed gallery."""
        return self.bands or tuple(effect.bands[0] for effect in self.mixed)

    @property
    def varying_algorithms(self) -> tuple[str, ...]:
        """The algorithms whose rate varies at any rank, in order."""
        return tuple(
            algorithm
            for algorithm, errors in self.errors.items()
            if any(method.by_rank.any() for method in errors.values())
        )


@published
@on_engine
def strat_study(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment | None = None,
    *,
    samples: Samples | None = None,
    n_images: int | None = None,
    sensors: str | None = None,
    rank: Rank = 1,
    design: StratifiedDesign | None = None,
    order_by: str | None = None,
    confidence_level: Level = 0.95,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    seed: Seed = 0,
    progress: Progress | None = None,
    engine: Engine = None,
) -> StratStudy:
    """Run the experiment of Micheals & Boult: galleries, mixing, standard errors, units and algorithms.

    Each column of images is the gallery in turn, without and with mixing (`gallery_effect`); the standard error of the CMC by
    several methods, and its variance by the number of units; the algorithms compared with the same replicates. BRR is for new
    probe images of these people; with ``units="subject"`` in the design, for new people within strata. With an experiment, the
    gallery is fixed and there is no mixing.

    Parameters
    ----------
    scores
        Scores of each algorithm, over the same images as both queries and targets.
    experiment
        A fixed gallery and its probes, instead of every column in turn. If no image is both query and target, all targets are
        the gallery. People (or other strata) with one unit are left out and counted, because their variance cannot be
        estimated.
    samples
        The table of images, if there is no experiment.
    n_images
        Images per person; people with fewer are left out and counted. By default the number with the most probes that keeps at
        least half of the people with three images.
    sensors
        The column of probes with the sensor or condition, for comparison by `compare_sensors`; needs a fixed gallery.
    rank
        The rank for tables and tests; curves have all ranks.
    design
        `BRR` by default.
    order_by
        The column by which the images of a person are ordered; by default table order.
    confidence_level, seed
        The level of all intervals, and the seed of replicates.
    ties, on_failure
        As in `rank`.
    progress, engine
        The progress callback, and where computations run.

    Returns
    -------
    StratStudy
        Rates and curves of every gallery, standard errors by method, variances by units, and the algorithms compared.

    References
    ----------
    .. [1] Micheals, R. J. and Boult, T. E. (2001). Efficient evaluation of classification and recognition systems.

    Examples
    --------
    Three images of each of four people; person d's third image is equally similar to all, so searching for it fails.

    >>> ids = [f"{person}{image}" for person in "abcd" for image in range(3)]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[ids.index("d2")] = same[:, ids.index("d2")] = 0.5
    >>> study = strat_study(Scores.from_array(same, ids, orientation="similarity", name="net"), samples=samples)
    >>> {key: error.n_replicates for key, error in study.errors["net"].items() if "bootstrap" not in key}
    {'brr': 8, 'jackknife-within-people': 8, 'jackknife': 8}
    """
    scores = tuple(by_name(scores).values())
    if not scores:
        raise UsageError("No scores were given.")
    if experiment is None and samples is None:
        raise UsageError(
            "The subjects of the images are unknown.",
            "pass samples (the table of images), or an experiment with a fixed gallery.",
        )
    if experiment is not None and samples is not None:
        raise UsageError("An experiment already includes a table of images.", "leave out samples.")
    chosen = design if design is not None else BRR()
    if samples is not None and n_images is None and order_by is None and not _on_both_axes(scores):
        experiment = experiment_over(list(scores), samples)
    judging: dict[str, Any] = {"confidence_level": confidence_level, "seed": seed}
    policies: dict[str, Any] = {"ties": ties, "on_failure": on_failure}
    shown = progress or Silent()
    if experiment is not None:
        if n_images is not None or order_by is not None:
            raise UsageError(
                "With a fixed gallery there are no image columns.", "leave out images and order."
            )
        return _with_fixed_gallery(scores, experiment, sensors, rank, chosen, judging, policies, shown)
    if sensors is not None:
        raise UsageError(
            "Sensors must be compared with one gallery.",
            Hint("select it with {option:gallery=one_per_subject} or a condition."),
        )
    assert samples is not None
    plain, mixed = (
        ImageColumns.of(samples, list(scores), n_images, mixed=turn, order_by=order_by, design=chosen)
        for turn in (False, True)
    )
    if not 1 <= rank <= len(plain.places):
        raise UsageError(f"Ranks must be from 1 to {count(len(plain.places))}, got {rank!r}.")
    shown.begin("galleries", 2 * len(scores))
    effects: list[list[GalleryEffect]] = [[], []]
    for one in scores:
        for found, columns in zip(effects, (plain, mixed), strict=True):
            found.append(
                gallery_effect(one, columns=columns, rank=rank, design=chosen, **judging, **policies)
            )
            shown.advance(1)
    outcomes = [rank_probes(one, mixed.experiment(0), **policies) for one in scores]
    return StratStudy(
        rank=rank,
        n_subjects=len(plain.places),
        n_images=plain.n_columns,
        estimates=(),
        n_left_out=plain.n_left_out,
        n_unused=plain.n_unused,
        most_people=plain.most_people,
        effects=tuple(effects[0]),
        mixed=tuple(effects[1]),
        errors={one.algorithm: errors_by_method(one, seed) for one in outcomes},
        variances={one.algorithm: variances_by_units(one, mixed) for one in outcomes},
        bands=(),
        comparison=_with_first_mixed(_compared(outcomes, rank, chosen, judging)),
        miss_rate=MissRate.of(outcomes[0], rank, confidence_level),
        sensors=(),
        notes=(),
    )


def _on_both_axes(scores: Sequence[Scores]) -> bool:
    """Whether any image is both query and target for every algorithm."""
    return bool(set.intersection(*(set(one.queries) & set(one.targets) for one in scores)))


def _compared(
    outcomes: list[Outcomes], rank: int, design: StratifiedDesign, judging: dict[str, Any]
) -> Comparison | None:
    return (
        compare(outcomes, measure=RecognitionRate(rank), design=design, **judging)
        if len(outcomes) > 1
        else None
    )


def _with_first_mixed(comparison: Comparison | None) -> Comparison | None:
    """Add the first mixed gallery to the targets of a comparison."""
    if comparison is None:
        return None
    estimates = (replace(one, answers=_of_first_mixed(one.answers)) for one in comparison.estimates)
    return replace(comparison, answers=_of_first_mixed(comparison.answers), estimates=tuple(estimates))


def _of_first_mixed(answers: Answers) -> Answers:
    return replace(answers, of=replace(answers.of, words=f"{answers.of} with the first mixed gallery"))


def _with_fixed_gallery(
    scores: Sequence[Scores],
    experiment: Experiment,
    sensors: str | None,
    rank: int,
    design: StratifiedDesign,
    judging: dict[str, Any],
    policies: dict[str, Any],
    shown: Progress,
) -> StratStudy:
    """The study with a fixed gallery: rates, curves, errors, algorithms and sensors."""
    shown.begin("algorithms", len(scores))
    whole = []
    for one in scores:
        whole.append(rank_probes(one, experiment, **policies))
        shown.advance(1)
    outcomes, n_left_out = _of_several(whole, design)
    if not 1 <= rank <= outcomes[0].n_ranks:
        raise UsageError(f"Ranks must be from 1 to {count(outcomes[0].n_ranks)}, got {rank!r}.")
    several = len(np.unique(outcomes[0].subjects)) < len(outcomes[0])
    within = strata_of(outcomes[0], BRR())[0].sizes.min() > 1
    return StratStudy(
        rank=rank,
        n_subjects=len(np.unique(outcomes[0].subjects)),
        n_images=0,
        estimates=tuple(
            estimate(one, measure=RecognitionRate(rank), design=design, **judging) for one in outcomes
        ),
        n_left_out=n_left_out,
        n_unused=len(whole[0]) - len(outcomes[0]),
        most_people=None,
        effects=(),
        mixed=(),
        errors={
            one.algorithm: errors_by_method(one, judging["seed"], within_people=bool(within))
            for one in outcomes
        },
        variances={},
        bands=tuple(estimate_cmc(one, design=design, **judging) for one in outcomes),
        comparison=_compared(outcomes, rank, design, judging),
        miss_rate=MissRate.of(outcomes[0], rank, judging["confidence_level"]) if several else None,
        sensors=()
        if sensors is None
        else tuple(_sensors(one, sensors, rank, design, judging) for one in whole),
        notes=(_FIXED(gallery=experiment.gallery_rule, people=experiment.n_gallery_subjects),),
    )


def _of_several(whole: list[Outcomes], design: StratifiedDesign) -> tuple[list[Outcomes], int]:
    """The outcomes of strata with several units, and the number of people left out with the others."""
    first = whole[0]
    strata, _ = strata_of(first, design)
    if not design.knows_strata or (strata.sizes > 1).all():
        return whole, 0
    codes = strata.codes if strata.members is None else strata.codes[strata.members]
    kept = (strata.sizes > 1)[codes]
    if len(np.unique(codes[kept])) < 2:
        raise DesignError(
            "Fewer than two strata have several units, so the variance cannot be estimated.",
            "pair strata of one unit with the design collapsed-strata, or use larger strata with people as "
            "units.",
        )
    part = first.experiment.restricted(probes=first.probes[kept].tolist())
    lost = len(np.unique(first.subjects)) - len(np.unique(first.subjects[kept]))
    return [one.restricted(part) for one in whole], lost


def _sensors(
    outcomes: Outcomes, column: str, rank: int, design: StratifiedDesign, judging: dict[str, Any]
) -> SensorStudy:
    """Compare sensors for new people (within strata if people are units) and for new images of these people."""
    by_stratum = design.units is not None and design.knows_strata
    within: StratifiedDesign | Literal["auto"] = design if by_stratum else "auto"
    people = compare_sensors(outcomes, by=column, rank=rank, design=within, **judging)
    images = None
    try:
        over = (
            replace(design, strata=None, units=None)
            if design.linear_is_textbook and design.knows_strata
            else BRR()
        )
        if not isinstance(over.weights, str):
            over = replace(over, weights="units")  # for strata other than people
        images = compare_sensors(outcomes, by=column, rank=rank, design=over, **judging)
    except DesignError:  # one person has a single probe of a sensor, so there is no variance
        images = None
    return SensorStudy(outcomes.algorithm, column, people, images)


def errors_by_method(
    outcomes: Outcomes, seed: int = 0, within_people: bool = True
) -> dict[str, ErrorsByRank]:
    """Compute the standard error of the CMC at every rank by BRR, jackknives, and bootstraps over probes and people.

    They differ in what varies: images of these people (BRR, and JKn, which equals it), other probes (the delete-one jackknife and the
    bootstrap of probes, as in figure 3 of the paper), other people (bootstrap of people). Images within people vary only if all people
    have several (`within_people`).
    """
    last, n = outcomes.n_ranks, len(outcomes)
    methods: list[tuple[Method, int, Floats]] = []
    if within_people:
        strata, _ = strata_of(outcomes, BRR())
        within = rates_and_errors(outcomes, BRR(), strata, last).errors
        sizes = zip(*np.unique(strata.sizes, return_counts=True), strict=True)
        n_balanced = sum(n_replicates_of(int(size), int(people)) for size, people in sizes)
        methods = [(_BRR, n_balanced, within), (WITHIN_PEOPLE, n, within)]
    # Leaving out one of n probes at a time gives the variance of a mean, s²/n.
    apart = np.array([outcomes.success(t).std(ddof=1) for t in range(1, last + 1)]) / np.sqrt(n)
    methods.append((_DELETE_ONE, n, np.where(apart > ROUNDING, apart, 0.0)))
    for method, over in ((_OF_PROBES, "probe"), (_OF_PEOPLE, "subject")):
        design = Bootstrap(over, n_resamples=_BOOTSTRAP)  # type: ignore[arg-type]
        counted = CMC(last).tally(outcomes, units_of(outcomes, design))
        replicates = np.concatenate([counted.values(w) for w in design.weights(len(counted.rows), seed)])
        drawn = np.where(np.ptp(replicates, axis=0) > ROUNDING, replicates.std(axis=0, ddof=1), 0.0)
        methods.append((method, _BOOTSTRAP, drawn))
    at_low = slice(low_ranks(outcomes.n_gallery_subjects))
    variances = {method.key: float(np.mean(errors[at_low] ** 2)) for method, _, errors in methods}
    base = variances[_OF_PROBES.key]
    return {
        method.key: ErrorsByRank(method, n_used, errors, variances[method.key] / base if base > 0 else None)
        for method, n_used, errors in methods
    }


def low_ranks(n_people: int) -> int:
    """Number of ranks with relative rank up to 0.1, which the paper calls important."""
    return max(1, int(_LOW_RANKS * n_people))


def variances_by_units(outcomes: Outcomes, columns: ImageColumns) -> tuple[VarianceByRank, ...]:
    """Compute the textbook variance of the CMC at every rank with 2, 3, … probe images per person (figure 5 of the paper).

    With k units it is 2/k times the mean of the variances with two, over all pairs: s² is half the mean squared difference of
    two units. Pairs therefore suffice, and the mean over all choices is n/k times the variance with all n units.
    """
    probes = range(1, columns.n_columns)
    pairs = list(combinations(probes, 2))
    by_pair = np.stack([_of_columns(outcomes, columns, pair) for pair in pairs])

    def of_choice(chosen: Sequence[int]) -> Floats:
        among = [place for place, pair in enumerate(pairs) if set(pair) <= set(chosen)]
        mean: Floats = 2 / len(chosen) * by_pair[among].mean(axis=0)
        return mean

    n = len(probes)
    variances = [VarianceByRank(n, 1, None, of_choice(probes), None, None)]
    for units in range(n - 1, 1, -1):
        n_choices = comb(n, units)
        mean = n / units * variances[0].by_rank
        lowest = highest = None
        if n_choices <= _MOST_CHOICES:
            choices = [of_choice(chosen) for chosen in combinations(probes, units)]
            lowest, highest = np.min(choices, axis=0), np.max(choices, axis=0)
            if (
                units == n - 1 and n_choices <= _CHOICES_APART
            ):  # each leaves out one column, the last one first
                variances += [
                    VarianceByRank(units, 1, left_out + 1, choice, None, None)
                    for left_out, choice in zip(reversed(probes), choices, strict=True)
                ]
        variances.append(VarianceByRank(units, n_choices, None, mean, lowest, highest))
    return tuple(variances)


def _of_columns(outcomes: Outcomes, columns: ImageColumns, chosen: tuple[int, ...]) -> Floats:
    """The textbook variance by rank with some columns of probes."""
    part = outcomes.restricted(columns.experiment(0, chosen))
    strata, _ = strata_of(part, Jackknife())
    variances: Floats = rates_and_errors(part, Jackknife(), strata, outcomes.n_ranks).errors ** 2
    return variances
