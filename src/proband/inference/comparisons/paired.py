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
from proband.inference.comparisons.mcnemar import PairedOutcomes, mcnemar, tango_counts
from proband.inference.comparisons.sign_flip import sign_flip
from proband.inference.estimates.bootstrap import replicate_interval, units_of
from proband.inference.estimates.case import cases_of, dependence, estimate_from, people_in
from proband.inference.estimates.clusters import design_effect
from proband.inference.estimates.estimate import estimates
from proband.inference.procedures import Joint, Question
from proband.inference.proportions import Interval, normal_quantile, t_quantile
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


@dataclass(frozen=True)
class Tested:
    """A paired difference.

    Attributes
    ----------
    interval, one_sided
        Its interval, and the narrower one of two one-sided tests of a margin; None where no such claim is made.
    p_value, standard_error, method
        Of the test.
    n_sf, n_fs, n_discordant_subjects, not_won, n_trials
        As in `Difference`.
    """

    difference: float
    interval: Interval
    one_sided: Interval | None
    standard_error: float
    p_value: float
    method: Method
    n_sf: int | None = None
    n_fs: int | None = None
    n_discordant_subjects: int | None = None
    not_won: int | None = None
    n_trials: int | None = None


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

    Other people vary; algorithms and gallery stay. Intervals are Tango's (1998), over people. `sign_flipped_pair` has the
    arithmetic.

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
    return joint_of(question, estimates(replace(question, design=None)), sign_flipped_pair)


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
    """Compare two rates by turning each person's difference around, with Tango's (1998) interval over people.

    The counts of Tango's interval are divided by the design effect of the differences, the variance of their mean over people
    by that over independent probes, at least 1; with several probes of a person its quantile is Student's on people − 1 degrees
    of freedom.

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
    sums = np.bincount(pair.subjects, weights=a - b).astype(np.float64)
    flipped = sign_flip(sums, pair.seed)
    effect = design_effect(a - b, pair.subjects)
    test = replace(design.as_method, draws=flipped.draws)
    return _counted(pair, flipped.p_mid, effect, test, over_people=True)


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


def _counted(pair: Pair, p_value: float, effect: float, test: Method, *, over_people: bool) -> Tested:
    """Tango's score interval, its counts divided by the design effect of the differences."""
    a, b = pair.successes()
    counts = PairedOutcomes.of(a, b)
    level = pair.confidence_level
    shrunk = (counts.sf / effect, counts.fs / effect, counts.n / effect)
    people = len(np.unique(pair.subjects))
    over_people = over_people and people < counts.n

    def quantile(two_sided: float) -> float:
        return t_quantile(two_sided, people - 1) if over_people else normal_quantile(two_sided)

    interval = tango_counts(*shrunk, level, quantile(level))
    return Tested(
        difference=(counts.sf - counts.fs) / counts.n,
        interval=interval,
        one_sided=tango_counts(*shrunk, level, quantile(2 * level - 1)) if level > 0.5 else interval,
        standard_error=(interval.high - interval.low) / (2 * normal_quantile(level)),
        p_value=p_value,
        method=joined(test, _TANGO_OVER_PEOPLE if over_people else _TANGO),
        n_sf=counts.sf,
        n_fs=counts.fs,
        n_discordant_subjects=int(np.count_nonzero(np.bincount(pair.subjects, weights=a - b))),
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
    >>> tested.difference, tested.interval  # median ranks 1 and 8
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
    level, n = pair.confidence_level, int(units.max()) + 1
    if not np.isfinite(draws).all():
        raise DesignError(
            f"The difference of the {pair.measure.estimand} is infinite in some replicates.",
            "censor the ranks: MedianCensoredRank(50).",
        )
    tails = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2, 1 - level, level])
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
        interval=Interval(float(tails[0]), float(tails[1])),
        one_sided=Interval(float(min(tails[2:])), float(max(tails[2:]))),
        standard_error=float(draws.std(ddof=1)),
        p_value=_swapped(both, difference, n, pair.seed),
        method=joined(swapped, design.by_percentiles.as_method),
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
