"""Claims of Micheals and Boult (2001, both papers), the rules for agreement, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from proband.distributions import normal_cdf
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.proportions import normal_quantile
from proband.papers.claims import Claim, Judgement, ShownDifference, Statement, by_sign, exactly, within
from proband.results.difference import Difference
from proband.words import Sentence

Floats = npt.NDArray[np.float64]

SAME_DAY = ((1, 2), (3, 4))
"""Columns of images from one day: one with a neutral expression, one with another expression."""

_ALPHA = 0.05
_PUBLISHED_DECREASE, _DECREASE_MARGIN = 0.20, 0.10
_ALIKE_MARGIN = 0.10
_RESAMPLES = 1_000


@dataclass(frozen=True, eq=False)
class StratEvidence:
    """The numbers that the claims are about.

    Attributes
    ----------
    effects, mixed
        For the first algorithm, by images of each person: each column as the gallery, unmixed and mixed.
    errors
        Standard errors by rank and by method's key, of four images of each person.
    successes
        The same: people × probes × low ranks, 1 where the probe is recognised.
    variances
        The variance of the CMC at low ranks, by the probe column left out (0 for none).
    leads, gaps
        The first algorithm minus each other algorithm, by images of each person; and minus the last, PCA,
        with few and with more people.
    n_replicates
        The number of replicates in a balanced array for the paper's 256 strata of three units.
    balanced_columns
        The number of column pairs of STRAT's array (26 columns, 27 rows) that are balanced.
    leprosy
        Cochran's example: the binomial and the cluster standard error.
    missed
        How often a nominal 95 % interval misses when ρ(n̄ − 1) is 0.2.
    """

    effects: Mapping[int, GalleryEffect]
    mixed: Mapping[int, GalleryEffect]
    errors: Mapping[str, Floats]
    successes: Floats
    variances: Mapping[int, Floats]
    leads: Mapping[int, Sequence[ShownDifference]]
    gaps: Sequence[ShownDifference]
    n_replicates: int
    balanced_columns: int
    leprosy: tuple[float, float]
    missed: float


_EFFECT = Statement(
    "micheals-boult2001.gallery-effect",
    "Efficient, figure 2",
    paper="which image of each person is enrolled makes a significant difference",
    rule="Hotelling's test over people rejects, at 5%, the hypothesis that the three galleries have the same rank-1 rate",
    otherwise="the images of a synthetic person differ less than photographs in their quality as gallery images",
)
_NEUTRAL_BEST = Statement(
    "micheals-boult2001.neutral-best",
    "Efficient, figure 2",
    paper="the majority of images in the best gallery had neutral expressions",
    rule="of two galleries from one day, the gallery of neutral images has the higher rank-1 rate, with "
    "the whole 95% interval over people above zero, both with three and with four images per person",
    otherwise="half of the probes also have another expression, so a neutral gallery image is not closer to them",
)
_MIXING = Statement(
    "micheals-boult2001.mixing",
    "Efficient, figure 4",
    paper="after mixing images between galleries there is no significant difference between them",
    rule="all differences between mixed galleries are within 5 points, including their whole 95% intervals over people",
    otherwise="mixed galleries differ only in which image of each person they contain, which is chance",
)
_SMALLER = Statement(
    "micheals-boult2001.brr-smaller",
    "Efficient, figure 3",
    paper="BRR has smaller variance than the jackknife and the bootstrap",
    rule="the variance within people is below the variance over probes, averaged over relative ranks to 0.1, with the whole 95% interval of the difference",
    otherwise="images of one person succeed and fail independently here, so stratifying by person gains nothing",
)
_BY_FIFTH = Statement(
    "micheals-boult2001.brr-by-a-fifth",
    "Efficient, figure 3",
    paper="for relative ranks up to 0.1 the decrease in variance is about 20%",
    rule="the decrease is between 10% and 30%, including its whole 95% interval over people",
    otherwise="the decrease is the correlation of a person's outcomes, which depends on the faces and the algorithm and differs here",
)
_TRADITIONAL = Statement(
    "micheals-boult2001.traditional-alike",
    "Efficient, figure 3",
    paper="jackknife and bootstrap, which treat probes as independent, are close together and above BRR in the figure",
    rule="the bootstrap's standard error over probes is within 10% of the jackknife's, averaged over relative ranks to 0.1",
    otherwise="1,000 resamples have a Monte Carlo error",
)
_REPLICATES = Statement(
    "micheals-boult2001.256-replicates",
    "Efficient, section 5",
    paper="BRR used only 256 replicates for 256 strata of three units",
    rule="a balanced array for 256 strata of three units has no more than 256 rows",
    otherwise="a balanced array for 256 strata of three units has at least 513 rows (Rao's bound, 1 + 256 · 2)",
)
_UNITS = Statement(
    "micheals-boult2001.three-units",
    "Efficient, figure 5",
    paper="with three units per person the variance is lower than with any two of them, except at a few high ranks",
    rule="at 90% of relative ranks to 0.1, the curve for three units is below each of the three curves for two units",
    otherwise="the variance with three units is exactly two thirds of the mean of the other three, so one of those may be even lower",
)
_BEST = Statement(
    "micheals-boult2001.one-leads",
    "Efficient, figures 6 and 7",
    paper="one of the three algorithms is significantly better over a large part of all graphs",
    rule="lda:angle is ahead of both others at rank 1, with 481 and with 256 people, with whole 95% intervals under BRR above zero",
    otherwise="the two commercial matchers of the paper are not available; their substitutes are closer together",
)
_PCA = Statement(
    "micheals-boult2001.pca-with-fewer-people",
    "Efficient, figures 6 and 7",
    paper="PCA is closer to the others with 256 people than with 481",
    rule="its distance from the leading algorithm is smaller with 256 people, with the whole 95% interval of the reduction above zero",
    otherwise="PCA was trained on the enrolled people in the paper, and on other people here",
)
_CLUSTERS = Statement(
    "micheals-boult2001.clusters-widen",
    "STRAT, criterion 2",
    paper="ignoring clusters makes standard errors too small",
    rule="the standard error over people is above the standard error over probes at rank 1, with the whole 95% interval of the ratio above 1",
    otherwise="a person's probes are not correlated enough to show the effect",
)
_LEPROSY = Statement(
    "micheals-boult2001.cochran-leprosy",
    "STRAT, section 5.1",
    paper="Cochran's 61 patients: the binomial standard error is 2.58%, the cluster estimate 4.65%, 1.8 times as large",
    rule="both standard errors, of a surrogate table with the same sums, agree to the printed digits",
    otherwise="the estimators differ from Cochran's",
)
_KISH = Statement(
    "micheals-boult2001.kish-miss-rate",
    "STRAT, section 5.1",
    paper="with ρ(n̄ − 1) of 0.2, a 95% interval misses with frequency 0.074 instead of 0.05",
    rule="simulated intervals of clustered data miss with 0.074, within 0.004",
    otherwise="the simulated clusters differ from Kish's",
)
_COLUMNS = Statement(
    "micheals-boult2001.columns-of-array",
    "STRAT, section 7.3",
    paper="27 rows are enough for 26 strata of three units: all shifts of a sequence can be used as columns",
    rule="all 325 pairs of the 26 columns are balanced",
    otherwise="13 pairs of columns are multiples of each other: 27 rows balance 13 strata of three units",
)

_GALLERIES = Sentence("micheals-boult2001.galleries-here", "note", "rates {rates:rates}; p {p:p}")
_NEUTRALS = Sentence("micheals-boult2001.neutral-here", "note", "neutral minus other: {differences:names}")
_MIXED = Sentence(
    "micheals-boult2001.mixed-here",
    "note",
    "range {before:span} before, {after:span} after mixing; p {p:p} after",
)
_DECREASE = Sentence(
    "micheals-boult2001.decrease-here",
    "note",
    "variance is {value:tenth} smaller [{low:tenth}, {high:tenth}]",
)
_RATIO = Sentence(
    "micheals-boult2001.ratio-here",
    "note",
    "{what}: ratio of standard errors {value:rate} [{low:rate}, {high:rate}]",
)
_N_REPLICATES = Sentence("micheals-boult2001.replicates-here", "note", "Rao and Hamming's has {n:count row}")
_BELOW = Sentence(
    "micheals-boult2001.units-here",
    "note",
    "below all three at {n:count} of {total:count rank}; three units have {share:rate} of the mean variance of two",
)
_LEADS = Sentence("micheals-boult2001.leads-here", "note", "ahead by {differences:names}")
_GAPS = Sentence(
    "micheals-boult2001.gaps-here",
    "note",
    "PCA is {more:span} behind with three images of more people, {fewer:span} with four images of fewer",
)
_ERRORS = Sentence(
    "micheals-boult2001.leprosy-here", "note", "binomial {binomial:hundredth}, cluster {cluster:hundredth}"
)
_MISSED = Sentence(
    "micheals-boult2001.missed-here",
    "note",
    "{missed:rate} of 100,000 intervals; the formula gives {formula:rate}",
)
_BALANCED = Sentence("micheals-boult2001.columns-here", "note", "{n:count} of 325 pairs are balanced")
_SAME = Sentence(
    "micheals-boult2001.not-significant",
    "caution",
    "the test does not reject (p {p:p}), which does not prove equality",
)


def claims(found: StratEvidence) -> dict[str, tuple[Claim, ...]]:
    """All claims, by the item of the page that they belong to."""
    return {
        "figure2": (_about_galleries(found), _about_neutral(found)),
        "figure4": (_about_mixing(found),),
        "figure3": (*_about_brr(found), _about_traditional(found), _about_replicates(found)),
        "figure5": (_about_units(found),),
        "figure6": (_about_leader(found), _about_pca(found)),
        "strat": (_about_clusters(found), _about_leprosy(found), _about_kish(found), _about_columns(found)),
    }


def _about_galleries(found: StratEvidence) -> Claim:
    effect = found.effects[3]
    rates = tuple((f"gallery {place}", one.value) for place, one in enumerate(effect.estimates, 1))
    power = by_sign([_pair(pair) for pair in effect.pairs]).power
    p = float(effect.test)
    if p < _ALPHA:
        judged = Judgement("agrees", None, power)
    else:
        largest = max(abs(end) for pair in effect.pairs for end in _pair(pair)[1:])
        near = largest <= _NEAR
        judged = Judgement("disagrees" if near else "cannot be judged", None if near else _SAME(p=p), power)
    return _EFFECT.judged(_GALLERIES(rates=rates, p=p), judged)


_NEAR = 0.05  # galleries that differ by less are taken for the same


def _pair(pair: Difference) -> ShownDifference:
    error = 1.96 * (pair.standard_error or 0.0)
    return ShownDifference(pair.value, pair.value - error, pair.value + error)


def _about_neutral(found: StratEvidence) -> Claim:
    shown = [
        _pair(pair)
        for effect in found.effects.values()
        for pair in effect.pairs
        if (int(pair.first), int(pair.second)) in SAME_DAY
    ]
    return _NEUTRAL_BEST.judged(_NEUTRALS(differences=tuple(map(_told, shown))), by_sign(shown))


_DIFFERENCE = Sentence(
    "micheals-boult2001.difference-here", "note", "{value:points} [{low:hundredfold}, {high:hundredfold}]"
)


def _told(one: ShownDifference) -> str:
    return str(_DIFFERENCE(value=one.value, low=one.low, high=one.high))


def _about_mixing(found: StratEvidence) -> Claim:
    before, after = found.effects[3], found.mixed[3]
    here = _MIXED(before=before.range, after=after.range, p=float(after.test))
    return _MIXING.judged(here, within([_pair(pair) for pair in after.pairs], _NEAR))


def decrease_of(successes: Floats, weights: Floats | None = None) -> Floats:
    """Return how much smaller the variance within people is than with independent probes, averaged over ranks, for each row of weights."""
    people, probes, _ = successes.shape
    weights = np.ones((1, people)) if weights is None else weights
    total = weights.sum(axis=1, keepdims=True)
    inside = weights @ successes.var(axis=1, ddof=1) / probes / total**2
    rate = weights @ successes.mean(axis=1) / total
    outside = rate * (1 - rate) / (total * probes - 1)
    made: Floats = 1 - inside.sum(axis=1) / outside.sum(axis=1)
    return made


def _about_brr(found: StratEvidence) -> list[Claim]:
    people = len(found.successes)
    weights = (
        np.random.default_rng(0).multinomial(people, np.full(people, 1 / people), _RESAMPLES).astype(float)
    )
    value = float(decrease_of(found.successes)[0])
    low, high = np.quantile(decrease_of(found.successes, weights), [0.025, 0.975]).tolist()
    here = _DECREASE(value=value, low=low, high=high)
    published = _PUBLISHED_DECREASE
    apart = ShownDifference(value - published, low - published, high - published)
    return [
        _SMALLER.judged(here, by_sign([ShownDifference(value, low, high)], "number")),
        _BY_FIFTH.judged(here, within([apart], _DECREASE_MARGIN, "number")),
    ]


def _about_traditional(found: StratEvidence) -> Claim:
    last = found.successes.shape[2]
    ratios = found.errors["bootstrap-of-probes"][:last] / found.errors["jackknife"][:last]
    # Errors at neighbouring ranks rest on the same resamples: their mean is known no better than one of them.
    value, error = float(np.mean(ratios)), 1.96 / sqrt(2 * _RESAMPLES)
    here = _RATIO(what="bootstrap over jackknife", value=value, low=value - error, high=value + error)
    return _TRADITIONAL.judged(
        here,
        within([ShownDifference(value - 1, value - 1 - error, value - 1 + error)], _ALIKE_MARGIN, "number"),
    )


def _about_replicates(found: StratEvidence) -> Claim:
    return _REPLICATES.judged(_N_REPLICATES(n=found.n_replicates), exactly(found.n_replicates <= 256, None))


def _about_units(found: StratEvidence) -> Claim:
    three = found.variances[0]
    fewer = np.stack([values for left_out, values in found.variances.items() if left_out])
    below = int((three < fewer.min(axis=0)).sum())
    here = _BELOW(n=below, total=len(three), share=float(three.sum() / fewer.mean(axis=0).sum()))
    return _UNITS.judged(here, exactly(below >= 0.9 * len(three), 1 / 4))


def _about_leader(found: StratEvidence) -> Claim:
    shown = [one for each in found.leads.values() for one in each]
    return _BEST.judged(_LEADS(differences=tuple(map(_told, shown))), by_sign(shown))


def _about_pca(found: StratEvidence) -> Claim:
    more, fewer = found.gaps
    value = more.value - fewer.value
    error = 1.96 * sqrt(sum(((one.high - one.low) / 3.92) ** 2 for one in found.gaps))
    here = _GAPS(more=more.value, fewer=fewer.value)
    return _PCA.judged(here, by_sign([ShownDifference(value, value - error, value + error)]))


def _about_clusters(found: StratEvidence) -> Claim:
    value = float(found.errors["bootstrap-of-people"][0] / found.errors["bootstrap-of-probes"][0])
    error = 1.96 * value / sqrt(_RESAMPLES)
    here = _RATIO(what="people over probes", value=value, low=value - error, high=value + error)
    return _CLUSTERS.judged(
        here, by_sign([ShownDifference(value - 1, value - 1 - error, value - 1 + error)], "number")
    )


def _about_leprosy(found: StratEvidence) -> Claim:
    binomial, cluster = found.leprosy
    holds = (round(binomial, 4), round(cluster, 4)) == (0.0258, 0.0465)
    return _LEPROSY.judged(_ERRORS(binomial=binomial, cluster=cluster), exactly(holds, None))


def _about_kish(found: StratEvidence) -> Claim:
    formula = 2 * float(normal_cdf(-normal_quantile(0.95) / sqrt(1.2)))
    here = _MISSED(missed=found.missed, formula=formula)
    error = 1.96 * sqrt(found.missed * (1 - found.missed) / 100_000)
    value = found.missed - 0.074
    return _KISH.judged(here, within([ShownDifference(value, value - error, value + error)], 0.004, "number"))


def _about_columns(found: StratEvidence) -> Claim:
    return _COLUMNS.judged(_BALANCED(n=found.balanced_columns), exactly(found.balanced_columns == 325, None))
