"""Two or more algorithms on the same probes: every difference with its interval and a test, under each paired design."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Binomial, ClusteredMcNemar, Reweighting, SignFlip
from proband.designs.base import BLOCK
from proband.errors import DesignError, first_few
from proband.inference.comparisons.clustered_mcnemar import clustered_mcnemar
from proband.inference.comparisons.cochran import cochran_q
from proband.inference.comparisons.curves import Curve, Percentiles, Score
from proband.inference.comparisons.mcnemar import PairedOutcomes, mcnemar
from proband.inference.comparisons.sign_flip import Flips, sign_flip
from proband.inference.estimates.bootstrap import replicate_interval, units_of
from proband.inference.estimates.case import cases_of, dependence, estimate_from, people_in
from proband.inference.estimates.clusters import design_effect
from proband.inference.estimates.estimate import estimates
from proband.inference.procedures import Joint, Question
from proband.inference.proportions import Interval, normal_quantile
from proband.measures import OutcomeMeasure, Outcomes
from proband.measures.tallies import Tally
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PEOPLE, OTHER_PROBES, derived
from proband.words import Method, Note, Sentence, Target, count

Floats = npt.NDArray[np.float64]
_FEW_DISCORDANT = 20  # people; below, tests and intervals were simulated to be rough
_SWAPS = 9_999
_OVER_PROBES = Method(
    "mcnemar",
    "McNemar over probes (mid-p)",
    "McNemar's test over probes (mid-p)",
    ("mcnemar1947", "fagerland2013"),
)
_TANGO = Method("tango", "Tango interval", "Tango's score interval of the paired difference", ("tango1998",))
_TANGO_OVER_PEOPLE = Method(
    "tango-over-people",
    "Tango interval with the design effect",
    "Tango's score interval of the paired difference, its counts divided by the design effect over people",
    ("tango1998", "rao1992"),
)


_EXCHANGEABLE = {
    unit: Target(
        f"{unit}-exchangeable",
        f"{unit} are independent, and without a difference each could as well have gone the other way",
    )
    for unit in ("probes", "people")
}

_PROBES_AS_UNITS = Sentence(
    "comparison.probes-are-units",
    "caution",
    "probes of one person are taken for independent here, so true null hypotheses are rejected too often",
)
_WORST_DEPENDENCE = Sentence(
    "comparison.dependence", "note", "the rate of {algorithm} by itself: {dependence}"
)
_FEW = Sentence(
    "comparison.few-discordant",
    "caution",
    "fewer than {few:count} people tell these apart, so little can be said: {pairs}",
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two algorithms' outcomes of the same probes, and the measure to compare.

    Attributes
    ----------
    measure, first, second
        What is compared, and the outcomes of either algorithm.
    confidence_level, seed
        Of intervals and of draws.
    """

    measure: OutcomeMeasure
    first: Outcomes
    second: Outcomes
    confidence_level: float
    seed: int

    @property
    def subjects(self) -> npt.NDArray[np.intp]:
        """Each probe's person, numbered from 0."""
        return np.unique(self.first.subjects, return_inverse=True)[1].astype(np.intp)

    def successes(self) -> tuple[Floats, Floats]:
        """Whether each algorithm recognises each probe: 0 or 1."""
        if self.first.fractional or self.second.fractional:
            raise DesignError(
                "Fractions of a success cannot be counted.",
                "compare under Bootstrap(), or choose pessimistic or optimistic ties.",
            )
        return self.measure.success(self.first), self.measure.success(self.second)


@dataclass(frozen=True, eq=False)
class Tested:
    """A paired difference.

    Attributes
    ----------
    difference, curve
        What was found, and the p-value of every difference there could be: its test, and its interval at any level.
    standard_error, method
        Of the difference, and of the test and the interval.
    n_sf, n_fs, n_discordant_subjects, not_won, n_trials
        As in `Difference`.
    statistics
        The size of its statistic without a difference, in draws that all comparisons of a question share; None without such.
    by_person
        The difference with people weighed alike, and its curve; None where all have as many probes.
    over_choices
        The interval over choices of images; None where these do not vary.
    why_not
        Why it is not judged; None where it is.
    """

    difference: float
    curve: Curve
    standard_error: float
    method: Method
    n_sf: int | None = None
    n_fs: int | None = None
    n_discordant_subjects: int | None = None
    not_won: int | None = None
    n_trials: int | None = None
    statistics: Floats | None = None
    by_person: tuple[float, Curve] | None = None
    over_choices: Interval | None = None
    why_not: Note | None = None

    @property
    def p_value(self) -> float:
        """Of no difference, by itself."""
        return self.curve.p_value


def joined(test: Method, interval: Method) -> Method:
    """Put a test and an interval beside each other as one method, told and cited apart.

    Examples
    --------
    >>> joined(_OVER_PROBES, _TANGO).key, [one.key for one in joined(_OVER_PROBES, _TANGO).parts]
    ('mcnemar+tango', ['mcnemar', 'tango'])
    """
    label = f"{test}, {interval}"
    return Method(f"{test.key}+{interval.key}", label, draws=test.draws, parts=(test, interval))


def sign_flipped(question: Question) -> Joint:
    """Test rates by turning each person's difference around (Fisher 1935).

    Other people vary; algorithms and gallery stay. Several algorithms are tested under the same signs. `sign_flipped_pair` has
    the arithmetic.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 3, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> asked = Question.of(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:8]), SignFlip(), 0.95, 0)
    >>> ((first, second, people, tested),) = sign_flipped(asked).tested
    >>> first, second, people, round(tested.p_value, 4)  # twice (½)³ less (½)³
    ('a', 'b', 8, 0.125)
    """
    each = estimates(replace(question, design=None))
    outcomes = question.outcomes
    if len(outcomes) == 2 or any(one.fractional for one in outcomes):
        return joint_of(question, each, sign_flipped_pair)
    subjects = np.unique(outcomes[0].subjects, return_inverse=True)[1]
    flips = Flips.of(
        np.column_stack([np.bincount(subjects, question.measure.success(one)) for one in outcomes]),
        np.bincount(subjects).astype(np.float64),
        question.seed,
    )
    places = {one.algorithm: place for place, one in enumerate(outcomes)}

    def test(design: SignFlip, pair: Pair) -> Tested:
        a, b = places[pair.first.algorithm], places[pair.second.algorithm]
        tested = sign_flipped_pair(design, pair)
        return replace(tested, statistics=flips.statistics(a, b, tested.difference)[1])

    return joint_of(question, each, test)


def chi_squared(question: Question) -> Joint:
    """Test rates by McNemar's chi-square over people (Obuchowski 1998; Durkalski et al. 2003).

    Other people vary; algorithms and gallery stay. `clustered_mcnemar` has the formulas.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 3, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> experiment, design = Experiment(samples, gallery=ids[:8]), ClusteredMcNemar("durkalski")
    >>> ((*_, tested),) = chi_squared(Question.of(RecognitionRate(1), scores, experiment, design, 0.95, 0)).tested
    >>> round(tested.p_value, 4)  # chi-square 3²/3 on one degree of freedom
    0.0833
    """
    return joint_of(question, estimates(replace(question, design=None)), chi_squared_pair)


def over_probes(question: Question) -> Joint:
    """Test rates by McNemar's test over probes (mid-p: Fagerland et al. 2013).

    Other probes vary, each taken for independent, also where several are of one person.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 3, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> asked = Question.of(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:8]), Binomial(), 0.95, 0)
    >>> ((*_, tested),) = over_probes(asked).tested
    >>> tested.n_sf, tested.n_fs, round(tested.p_value, 4)
    (3, 0, 0.125)
    """
    return joint_of(question, estimates(replace(question, why=())), _over_probes)


def joint_of(
    question: Question,
    each: tuple[Estimate, ...],
    test: Callable[[Any, Pair], Tested],
    answers: Answers | None = None,
) -> Joint:
    """Put every two algorithms to a test, and say what they show together.

    With three and more, Cochran's Q says whether they differ at all.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {n: np.where(np.arange(8)[:, None] < missed, 0.5, np.eye(8)) for n, missed in (("a", 0), ("b", 3), ("c", 5))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> asked = Question.of(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:8]), SignFlip(), 0.95, 0)
    >>> joint = joint_of(asked, (), sign_flipped_pair)
    >>> [(first, second, one.difference) for first, second, _, one in joint.tested], joint.overall.statistic
    ([('a', 'b', 0.375), ('a', 'c', 0.625), ('b', 'c', 0.25)], 7.6)
    """
    outcomes = question.outcomes
    tested = tuple(
        (
            a.algorithm,
            b.algorithm,
            people_in(a),
            test(question.design, Pair(question.measure, a, b, question.confidence_level, question.seed)),
        )
        for a, b in combinations(outcomes, 2)
    )
    return Joint(
        each, tested, answers or _answers(question), _notes(question, each, tested), _overall(question)
    )


def _overall(question: Question) -> Any:
    """Whether several algorithms differ at all, where successes can be counted."""
    outcomes, measure = question.outcomes, question.measure
    if measure.form != "share" or len(outcomes) < 3 or any(one.fractional for one in outcomes):
        return None
    subjects = np.unique(outcomes[0].subjects, return_inverse=True)[1].astype(np.intp)
    return cochran_q(np.column_stack([measure.success(one) for one in outcomes]), subjects, question.seed)


def _answers(question: Question) -> Answers:
    probes = question.design.over_probes
    return Answers(
        difference_of(question.measure.estimand),
        OTHER_PROBES if probes else OTHER_PEOPLE,
        ALGORITHMS_AND_GALLERY,
        _EXCHANGEABLE["probes" if probes else "people"],
    )


def difference_of(of: Target) -> Target:
    """Name what a difference is of.

    Examples
    --------
    >>> from proband.measures import RecognitionRate
    >>> difference_of(RecognitionRate(1).estimand).key
    'difference-of-rank-rate'
    """
    return derived("difference", "difference of {}s", of)


def _notes(
    question: Question, each: Sequence[Estimate], tested: Sequence[tuple[str, str, int | None, Tested]]
) -> tuple[Note, ...]:
    """What is to be said: why this design, what it takes for granted, who is told apart by few, and how alike probes are."""
    first, design = question.outcomes[0], question.design
    shared = people_in(first) < len(first)
    warned = (_PROBES_AS_UNITS(),) if shared and design.over_probes else ()
    few = [
        f"{a} and {b} ({one.n_discordant_subjects})"
        for a, b, _, one in tested
        if one.n_discordant_subjects is not None and one.n_discordant_subjects < _FEW_DISCORDANT
    ]
    rare = (_FEW(few=_FEW_DISCORDANT, pairs=first_few(few)),) if few else ()
    return (*question.why, *warned, *rare, *_dependence(each, design.capability == "proportion"))


def _dependence(each: Sequence[Estimate], this_is_binomial: bool) -> tuple[Note, ...]:
    """What is to be said of the algorithm for which shared people matter most, by name."""
    shared = [(one.clusters, one.facts.algorithm) for one in each if one.clusters is not None]
    if not shared:
        return ()
    clusters, name = max(shared, key=lambda one: one[0].design_effect)
    said = dependence(clusters, this_is_binomial)
    return tuple(_WORST_DEPENDENCE(algorithm=name, dependence=one) for one in said)


def sign_flipped_pair(design: SignFlip, pair: Pair) -> Tested:
    """Compare two rates by turning each person's difference around, or what a difference of the rates leaves of it.

    With as many probes for everybody the test is exact, with one each McNemar's, and the interval is Tango's (1998), its counts
    divided by the design effect of the differences (Rao & Scott 1992; at least 1), with Student's quantile on people − 1 degrees
    of freedom, and the exact test says whether it holds zero (`Score`). With unequal numbers the ratio residuals of `Flips` are turned
    around, for any difference; the interval holds what neither this test nor Tango's rejects. Beside it stands the difference
    with people weighed alike.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores, rank
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 3, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> first, second = (rank(one, Experiment(samples, gallery=ids[:8])) for one in scores)
    >>> tested = sign_flipped_pair(SignFlip(), Pair(RecognitionRate(1), first, second, 0.95, 0))
    >>> tested.difference, tested.n_discordant_subjects, round(tested.p_value, 4)
    (0.375, 3, 0.125)
    """
    a, b = pair.successes()
    sums = np.column_stack([np.bincount(pair.subjects, weights=one) for one in (a, b)]).astype(np.float64)
    sizes = np.bincount(pair.subjects).astype(np.float64)
    apart = sums[:, 0] - sums[:, 1]
    effect = design_effect(a - b, pair.subjects)
    if sizes.min() == sizes.max() or not apart.any():
        flipped = sign_flip(apart, pair.seed)
        test = replace(design.as_method, draws=flipped.draws)
        return _counted(pair, flipped.p_mid, effect, test, over_people=True)
    flips = Flips.of(sums, sizes, pair.seed)
    test = replace(design.as_method, draws=flips.draws)

    def at(delta: float) -> float:
        return flips.p_value(0, 1, delta)

    return _counted(pair, at(0.0), effect, test, over_people=True, at=at)


def _by_person(pair: Pair, apart: Floats, sizes: Floats) -> tuple[float, Curve] | None:
    """The mean over people of the difference of their rates: a sign flip of each person's."""
    if sizes.min() == sizes.max():
        return None
    means = apart / sizes
    return float(means.mean()), person_curve(means, pair.seed)[0]


def person_curve(means: Floats, seed: int) -> tuple[Curve, int | None]:
    """Test the mean of people's differences, each from −1 to 1, by turning around what a mean δ leaves of them.

    The interval also holds what Tango's (1998) score test does not reject, with the sums of positive and of negative differences
    as counts, scaled to the variance of the mean. With it comes how many sign patterns were drawn; None where all were counted.

    Examples
    --------
    >>> curve, _ = person_curve(np.array([0.5, 0.25, 0.0, 1.0, 0.5, 0.0, 0.0, -0.25]), 0)
    >>> round(curve.p_value, 4), [round(end, 2) for end in curve.interval(0.05)]
    (0.125, [-0.17, 0.59])
    """
    n = len(means)
    flips = Flips.of(np.column_stack([means, np.zeros(n)]), np.ones(n), seed)
    gained, lost = float(means[means > 0].sum()), float(-means[means < 0].sum())
    implied = gained + lost - (gained - lost) ** 2 / n
    effect = float(means.var(ddof=1)) * n / implied if n > 1 and implied > 0 else 1.0
    effect = effect if effect > 0 else 1.0

    def at(delta: float) -> float:
        return flips.p_value(0, 1, delta)

    tested = at(0.0) if means.any() else 1.0
    moving = at if means.any() else None
    return Score(gained / effect, lost / effect, n / effect, n - 1.0, tested, moving), flips.draws


def chi_squared_pair(design: ClusteredMcNemar, pair: Pair) -> Tested:
    """Compare two rates by McNemar's chi-square with the variance of people's differences.

    The interval is as for `sign_flipped_pair`; `clustered_mcnemar` has the statistics.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores, rank
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 3, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> first, second = (rank(one, Experiment(samples, gallery=ids[:8])) for one in scores)
    >>> tested = chi_squared_pair(ClusteredMcNemar(), Pair(RecognitionRate(1), first, second, 0.95, 0))
    >>> round(tested.p_value, 4)  # chi-square (7/8)·3²/3
    0.1052
    """
    a, b = pair.successes()
    sums = np.bincount(pair.subjects, weights=a - b).astype(np.float64)
    sizes = np.bincount(pair.subjects).astype(np.float64)
    p_value = clustered_mcnemar(sums, sizes, design.method).p_value
    effect = design_effect(a - b, pair.subjects)
    return _counted(pair, p_value, effect, design.as_method, over_people=True)


def _over_probes(design: Binomial, pair: Pair) -> Tested:
    counts = PairedOutcomes.of(*pair.successes())
    p_value = mcnemar(counts.sf, counts.fs).p_mid
    return _counted(pair, p_value, 1.0, _OVER_PROBES, over_people=False)


def _counted(
    pair: Pair,
    p_value: float,
    effect: float,
    test: Method,
    *,
    over_people: bool,
    at: Callable[[float], float] | None = None,
) -> Tested:
    """Tango's score interval, its counts divided by the design effect of the differences, and agreeing with the test."""
    a, b = pair.successes()
    counts = PairedOutcomes.of(a, b)
    sizes = np.bincount(pair.subjects).astype(np.float64)
    apart = np.bincount(pair.subjects, weights=a - b).astype(np.float64)
    clustered = over_people and len(sizes) < counts.n
    freedom = len(sizes) - 1.0 if clustered else None
    curve = Score(counts.sf / effect, counts.fs / effect, counts.n / effect, freedom, p_value, at)
    low, high = curve.interval(1 - pair.confidence_level)
    return Tested(
        difference=(counts.sf - counts.fs) / counts.n,
        curve=curve,
        standard_error=(high - low) / (2 * normal_quantile(pair.confidence_level)),
        method=joined(test, _TANGO_OVER_PEOPLE if clustered else _TANGO),
        n_sf=counts.sf,
        n_fs=counts.fs,
        n_discordant_subjects=int(np.count_nonzero(apart)),
        by_person=_by_person(pair, apart, sizes) if over_people else None,
    )


def resampled(question: Question) -> Joint:
    """Compare any measure under reweighted units, with a test that swaps two algorithms' outcomes unit by unit.

    Units (people by default) vary; algorithms and gallery stay. The interval is the percentiles of the paired differences over
    replicates (Efron 1979). The test is Fisher's (1935): if neither is better, outcomes of a unit could as well have been the
    other's, so p = (1 + how many of 9,999 random swaps differ as much)/10,000.

    Examples
    --------
    >>> from proband import Experiment, MedianCensoredRank, Samples, Scores
    >>> from proband.designs import Bootstrap
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(8)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(8), "b": np.where(np.arange(8)[:, None] < 5, 0.5, np.eye(8))}
    >>> scores = [Scores.from_array(v, ids[8:], ids[:8], orientation="similarity", name=n) for n, v in values.items()]
    >>> design = Bootstrap("subject", n_resamples=200)
    >>> asked = Question.of(MedianCensoredRank(10), scores, Experiment(samples, gallery=ids[:8]), design, 0.95, 0)
    >>> ((*_, tested),) = resampled(asked).tested
    >>> tested.difference, tested.curve.interval(0.05)  # median ranks 1 and 8
    (-7.0, Interval(low=-7.0, high=0.0))
    """
    design: Reweighting = question.design
    outcomes, measure = question.outcomes, question.measure
    units = units_of(outcomes[0], design)
    n = int(units.max()) + 1
    tallies = [measure.tally(one, units) for one in outcomes]
    drawn = [[one.values(weights) for one in tallies] for weights in design.weights(n, question.seed)]
    replicates = np.stack([np.concatenate(one) for one in zip(*drawn, strict=True)])
    each = tuple(
        estimate_from(
            alone,
            case,
            # Single probes have a shortcut of their own.
            replicate_interval(design, case, None if design.over_probes else own),
            replicate_interval,
        )
        for alone, case, own in zip(
            [replace(question, why=())] * len(outcomes), cases_of(question), replicates, strict=True
        )
    )
    places = {one.algorithm: place for place, one in enumerate(outcomes)}

    def test(design: Reweighting, pair: Pair) -> Tested:
        a, b = places[pair.first.algorithm], places[pair.second.algorithm]
        with np.errstate(invalid="ignore"):  # of two that are infinite the difference is none, and is refused
            difference, draws = float(tallies[a].value() - tallies[b].value()), replicates[a] - replicates[b]
        return _swapped_pair(design, pair, units, difference, draws)

    return joint_of(question, each, test)


def _swapped_pair(
    design: Reweighting, pair: Pair, units: npt.NDArray[np.intp], difference: float, draws: Floats
) -> Tested:
    n = int(units.max()) + 1
    if not np.isfinite(draws).all():
        raise DesignError(
            f"The difference of the {pair.measure.estimand} is infinite in some replicates.",
            "censor the ranks: MedianCensoredRank(50).",
        )
    swapped = Method(
        "swapped",
        f"outcomes swapped by {design.unit} ({count(_SWAPS)} times)",
        "a permutation test that swaps the algorithms' outcomes",
        ("fisher1935",),
        draws=_SWAPS,
    )
    both = pair.measure.tally(_stacked(pair.first, pair.second), np.concatenate([units, units + n]))
    return Tested(
        difference=difference,
        curve=Percentiles(
            difference, draws, _swapped(both, difference, n, pair.seed), n if pair.measure.in_points else None
        ),
        standard_error=float(draws.std(ddof=1)),
        # Percentiles of B draws tell no p-value below 2/(B + 1).
        method=replace(
            joined(swapped, design.by_percentiles.as_method), draws=min(_SWAPS, (len(draws) - 1) // 2)
        ),
        statistics=np.abs(draws - draws.mean()),
    )


def _stacked(first: Outcomes, second: Outcomes) -> Outcomes:
    """Both algorithms' outcomes as if of one, so that one tally holds both."""
    names = ("probes", "closer", "tied", "best_mates", "failed")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in names
    }
    return replace(first, **joined)


def _differences(both: Tally, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """The measure of one algorithm less that of the other, unit by unit.

    One takes its own outcome of a unit `first` times and the other's `second` times; the other the other way round.
    """
    return both.values(np.hstack([first, second])) - both.values(np.hstack([second, first]))


def _swapped(both: Tally, observed: float, n: int, seed: int) -> float:
    """How often swapping the algorithms' outcomes at random gives as large a difference."""
    slack = 1e-12 * max(1.0, abs(observed))
    as_large = 1
    for block, done in enumerate(range(0, _SWAPS, BLOCK)):
        rng = np.random.default_rng([seed, block, 1])
        kept = rng.integers(0, 2, (min(BLOCK, _SWAPS - done), n))
        as_large += int((np.abs(_differences(both, kept, 1 - kept)) >= abs(observed) - slack).sum())
    return as_large / (_SWAPS + 1)
