"""Rates of two algorithms on the same probes: tests over people or probes, and the intervals that agree with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from proband.designs import Binomial, ClusteredMcNemar, SignFlip
from proband.inference.comparisons.paired import Pair, Tested, joined, joint_of, summed_by_person
from proband.inference.comparisons.testing.clustered_mcnemar import clustered_mcnemar
from proband.inference.comparisons.testing.curves import PValueCurve, Score, Skewed
from proband.inference.comparisons.testing.mcnemar import TANGO, mcnemar
from proband.inference.comparisons.testing.sign_flip import Flips, sign_flip
from proband.inference.estimates.clusters import design_effect
from proband.inference.estimates.estimate import estimates
from proband.inference.procedures import Joint, Question
from proband.inference.proportions import normal_quantile
from proband.words import Method

Floats = npt.NDArray[np.float64]
_OVER_PROBES = Method(
    "mcnemar",
    "McNemar over probes (mid-p)",
    "McNemar's test over probes (mid-p)",
    ("mcnemar1947", "fagerland2013"),
)
_TANGO_OVER_PEOPLE = Method(
    "tango-over-people",
    "Tango interval with the design effect",
    "Tango's score interval of the paired difference, with counts divided by the design effect over people",
    ("tango1998", "rao1992"),
)
SKEWED = Method(
    "skewed-t",
    "Student's t after Hall's transformation",
    "the sign flip assumes that differences between people are symmetric about their mean; with several "
    "probes per person, p-values and interval widths are therefore at least those of Student's t after "
    "Hall's transformation for skewness, with effective degrees of freedom",
    ("hall1992",),
)
"""What stands beside a sign flip of people with several probes."""


def sign_flipped(question: Question) -> Joint:
    """Test rates by turning each person's difference around (Fisher 1935).

    Other people vary; algorithms and gallery stay. Several algorithms are tested under the same signs. `sign_flipped_pair` has
    the arithmetic.
    """
    each = estimates(replace(question, design=None))
    outcomes = question.outcomes
    if len(outcomes) == 2 or any(one.fractional for one in outcomes):
        return joint_of(question, each, sign_flipped_pair)
    sums, sizes = summed_by_person(outcomes[0].subjects, [question.measure.success(one) for one in outcomes])
    alike = question.measure.weights == "person"
    flips = (
        Flips.of(sums / sizes[:, None], np.ones_like(sizes), question.seed)
        if alike
        else Flips.of(sums, sizes, question.seed)
    )
    places = {one.algorithm: place for place, one in enumerate(outcomes)}

    def test(design: SignFlip, pair: Pair) -> Tested:
        a, b = places[pair.first.algorithm], places[pair.second.algorithm]
        tested = sign_flipped_pair(design, pair)
        return replace(tested, statistics=flips.sizes_of(a, b))

    return joint_of(question, each, test)


def chi_squared(question: Question) -> Joint:
    """Test rates by McNemar's chi-square over people (Obuchowski 1998; Durkalski et al. 2003).

    Other people vary; algorithms and gallery stay. `clustered_mcnemar` has the formulas.
    """
    return joint_of(question, estimates(replace(question, design=None)), chi_squared_pair)


def over_probes(question: Question) -> Joint:
    """Test rates by McNemar's test over probes (mid-p: Fagerland et al. 2013).

    Other probes vary, each taken for independent, also where several are of one person.
    """
    return joint_of(question, estimates(replace(question, why=())), _over_probes)


def sign_flipped_pair(design: SignFlip, pair: Pair) -> Tested:
    """Compare two rates by turning each person's difference around, or what a difference of the rates leaves of it.

    With as many probes for everybody the test is exact, with one each McNemar's, and the interval is Tango's (1998), its counts
    divided by the design effect of the differences (Rao & Scott 1992; at least 1), with Student's quantile on people − 1 degrees
    of freedom, and the exact test says whether it holds zero (`Score`). With unequal numbers the ratio residuals of `Flips` are turned
    around, for any difference; the interval holds what neither this test nor Tango's rejects. Signs are as likely either way only
    where people's differences lie symmetrically: with several probes of a person, the p-value is at least that of Student's t
    after Hall's (1992) transformation (`Skewed`), and the interval holds what it does not reject. Beside it stands the difference
    with people weighed alike (`person_curve`), which is the difference itself where the measure weighs people.
    """
    sums, sizes = pair.people
    if pair.measure.weights == "person" and pair.unequal:
        mean, curve, draws = _by_person(pair)
        flipped = replace(design.as_method, draws=draws)
        return _tested(pair, mean, curve, joined(flipped, _TANGO_OVER_PEOPLE, SKEWED))
    apart = sums[:, 0] - sums[:, 1]
    skewed = Skewed.of(apart, sizes)
    if not pair.unequal or not apart.any():
        exact = sign_flip(apart, pair.seed)
        return _counted(pair, exact.p_mid, replace(design.as_method, draws=exact.method.draws), None, skewed)
    flips = Flips.of(sums, sizes, pair.seed)

    def at(delta: float) -> float:
        return flips.p_value(0, 1, delta)

    return _counted(pair, at(0.0), replace(design.as_method, draws=flips.draws), at, skewed)


def _by_person(pair: Pair) -> tuple[float, PValueCurve, int | None]:
    """The mean over people of the difference of their rates: a sign flip of each person's."""
    sums, sizes = pair.people
    means = (sums[:, 0] - sums[:, 1]) / sizes
    return float(means.mean()), *person_curve(means, pair.seed)


def person_curve(means: Floats, seed: int) -> tuple[PValueCurve, int | None]:
    """Test the mean of people's differences, each from −1 to 1, by turning around what a mean δ leaves of them.

    The interval also holds what Tango's (1998) score test does not reject, with the sums of positive and of negative differences
    as counts, scaled to the variance of the mean, and what `Skewed` does not reject.
    With it comes how many sign patterns were drawn; None where all were counted.
    """
    n = len(means)
    flips = Flips.of(np.column_stack([means, np.zeros(n)]), np.ones(n), seed)
    gained, lost = float(means[means > 0].sum()), float(-means[means < 0].sum())
    implied = gained + lost - (gained - lost) ** 2 / n
    effect = float(means.var(ddof=1)) * n / implied if n > 1 and implied > 0 else 1.0
    effect = effect if effect > 0 else 1.0

    def at(delta: float) -> float:
        return flips.p_value(0, 1, delta)

    skewed = Skewed.of(means, np.ones(n))
    tested = at(0.0) if means.any() else 1.0
    moving = at if means.any() else None
    return Score(gained / effect, lost / effect, n / effect, n - 1.0, tested, moving, skewed), flips.draws


def chi_squared_pair(design: ClusteredMcNemar, pair: Pair) -> Tested:
    """Compare two rates by McNemar's chi-square with the variance of people's differences.

    The interval is as for `sign_flipped_pair`; `clustered_mcnemar` has the statistics.
    """
    sums, sizes = pair.people
    test = clustered_mcnemar(sums[:, 0] - sums[:, 1], sizes, design.method)
    return _counted(pair, float(test), design.as_method)


def _over_probes(design: Binomial, pair: Pair) -> Tested:
    counts = pair.counts
    curve = Score(counts.sf, counts.fs, counts.n, None, mcnemar(counts.sf, counts.fs).p_mid)
    return _tested(pair, curve.difference, curve, joined(_OVER_PROBES, TANGO))


def _counted(
    pair: Pair,
    p_value: float,
    test: Method,
    at: Callable[[float], float] | None = None,
    skewed: Skewed | None = None,
) -> Tested:
    """Tango's score interval, its counts divided by the design effect of the differences, and agreeing with the test."""
    a, b = pair.successes
    counts, people = pair.counts, len(pair.people[1])
    clustered = people < counts.n
    effect = design_effect(a - b, pair.subjects) if clustered else 1.0
    freedom = people - 1.0 if clustered else None
    curve = Score(counts.sf / effect, counts.fs / effect, counts.n / effect, freedom, p_value, at, skewed)
    method = joined(
        test, _TANGO_OVER_PEOPLE if clustered else TANGO, *((SKEWED,) if skewed is not None else ())
    )
    found = _tested(pair, (counts.sf - counts.fs) / counts.n, curve, method)
    return replace(found, by_person=_by_person(pair)[:2] if pair.unequal else None)


def _tested(pair: Pair, difference: float, curve: PValueCurve, method: Method) -> Tested:
    """A difference with its curve, and who tells the two apart."""
    counts, sums = pair.counts, pair.people[0]
    low, high = curve.interval(1 - pair.confidence_level)
    return Tested(
        difference=difference,
        curve=curve,
        standard_error=(high - low) / (2 * normal_quantile(pair.confidence_level)),
        method=method,
        n_sf=counts.sf,
        n_fs=counts.fs,
        n_discordant_subjects=int(np.count_nonzero(sums[:, 0] - sums[:, 1])),
    )
