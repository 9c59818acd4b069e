"""What Beveridge et al. (2001) report, the rules by which synthetic people agree with it, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt

from proband.distributions import binomial_cdf
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, mcnemar, newcombe_interval
from proband.inference.image_choice.distributions import Distribution
from proband.papers.claims import Claim, Judgement, ShownDifference, Statement, by_sign, exactly, within
from proband.words import Note, Sentence, digits

TABLE_4 = {
    "fb": PairedOutcomes(824, 104, 40, 227),
    "dup1": PairedOutcomes(217, 60, 38, 407),
    "dup2": PairedOutcomes(30, 22, 8, 174),
    "fc": PairedOutcomes(9, 44, 1, 140),
}
"""The published counts: both, only PCA, only ICA, neither."""

_LEAST_PRINTED = 1e-4
_PRINTED_P = {"dup1": 0.0164, "dup2": 0.0080}  # the others are printed as below 0.0001
PRINTED_P = {"fb": "< 0.0001", "dup1": "0.0164", "dup2": "0.0080", "fc": "< 0.0001"}
_SIGNED_P = {name: text if text.startswith("<") else f"= {text}" for name, text in PRINTED_P.items()}
NOT_WON = {
    ("pca:mahalanobis", "pca:l1"): 35,
    ("pca:l1", "pca:l2"): 13,
    ("pca:l2", "pca:angle"): 9_014,
}
"""Trials of 10,000 in which the first does not win; Table 7 prints 0.0080 for the first pair, where 35 of 10,000 are 0.0035."""

_ALPHA = 0.05
_MEAN_MARGIN, _SPREAD_MARGIN = 0.005, 0.10
_KS = 1.63  # the 99 % point of Kolmogorov's distribution
PCA, LDA = ("pca:l1", "pca:l2", "pca:angle", "pca:mahalanobis"), ("lda:l1", "lda:l2", "lda:angle", "lda:soft")


@dataclass(frozen=True, eq=False)
class ChoiceEvidence:
    """The numbers that the claims are about.

    Attributes
    ----------
    pairs
        Table 4: outcomes of PCA and ICA by probe set.
    printed
        The published counts behind the printed p-values.
    bootstrap, n, successes
        The share of resamples by the number of successes, 0 to n, and the number of successes among n probes.
    n_resamples
        The number of resamples.
    rates, unbalanced
        Section 7: rank-1 rates over choices by algorithm, balanced, and Mahalanobis unbalanced.
    differences
        Differences between pairs of algorithms in the same trials.
    """

    pairs: Mapping[str, PairedOutcomes]
    printed: Mapping[str, PairedOutcomes]
    bootstrap: npt.NDArray[np.float64]
    n: int
    successes: int
    n_resamples: int
    rates: Mapping[str, Distribution]
    unbalanced: Distribution
    differences: Mapping[tuple[str, str], Distribution]


_OTHER_FACES = (
    "synthetic faces vary differently from photographs, which may favour either of the two algorithms"
)
_AHEAD = {
    name: Statement(
        f"beveridge2001.pca-ahead-{name}",
        "Table 4",
        paper=f"PCA (L1) recognises significantly more {name} probes than ICA (cosine), p {_SIGNED_P[name]}",
        rule="McNemar's one-sided exact p is below 0.05 here too; it disagrees if p for the other direction is below 0.05",
        otherwise=_OTHER_FACES,
    )
    for name in TABLE_4
}
_EASIEST = Statement(
    "beveridge2001.fb-easiest",
    "Table 4",
    paper="fb is the easiest of the four probe sets, for PCA and for ICA",
    rule="for both algorithms the rate on fb is above the rate on each other set, and so is the whole 95% interval of the difference",
    otherwise="the effects of light and elapsed time on synthetic faces were chosen, not measured",
)
_PRINTED = Statement(
    "beveridge2001.printed-p-values",
    "Table 4",
    paper="McNemar's p-values are < 0.0001, 0.0164, 0.0080 and < 0.0001",
    rule="the exact one-sided p of the published counts equals the printed p to within one unit in the fourth decimal place",
    otherwise="60 against 38 gives 0.0167: the printed 0.0164 is not the exact p of the printed counts",
)
_BINOMIAL = Statement(
    "beveridge2001.bootstrap-is-binomial",
    "section 6.2",
    paper="the bootstrap distribution of a recognition rate is the binomial distribution of its count",
    rule="the Kolmogorov distance of the resampled counts from Binomial(n, c/n) is at most its 99% quantile",
    otherwise="the resamples do not behave like independent probes",
)
_ORDER = {
    pair: Statement(
        f"beveridge2001.{pair[0].partition(':')[2]}-ahead-of-{pair[1].partition(':')[2]}",
        "figure 3, Table 7",
        paper=f"{pair[0]} is ahead of {pair[1]}: it does not win in {NOT_WON[pair]} of 10,000 trials",
        rule="it does not win in at most 5% of the trials; it disagrees if this share is 95% or more",
        otherwise=_OTHER_FACES,
    )
    for pair in list(NOT_WON)[:2]
}
_ALIKE = Statement(
    "beveridge2001.l2-not-ahead-of-angle",
    "figure 3, Table 7",
    paper="L2 is not significantly ahead of angle: it does not win in 9,014 of 10,000 trials",
    rule="L2 does not win in more than 5% of the trials",
    otherwise="on these faces the length of a coefficient vector carries information about the person",
)
_MISLEADS = Statement(
    "beveridge2001.overlapping-intervals",
    "figure 2",
    paper="the intervals of Mahalanobis and L1 overlap, although Mahalanobis wins in nearly every trial",
    rule="the two 95% intervals at rank 1 overlap, and Mahalanobis does not win in at most 5% of the trials",
    otherwise="the difference between the two algorithms is larger or smaller here than in the paper",
)
_LDA_BEHIND = Statement(
    "beveridge2001.lda-behind",
    "figure 1",
    paper="all variants of LDA are behind PCA with L1 and with Mahalanobis distance",
    rule="both win against every variant of LDA in the middle 95% of the trials; a single difference of the eight in the other direction disagrees",
    otherwise="images of a synthetic person vary in simpler ways than photographs, and LDA learns to ignore this variation",
)
_LDA_ALIKE = Statement(
    "beveridge2001.lda-alike",
    "figure 1",
    paper="the variants of LDA differ very little, and the variants of PCA differ much",
    rule="the range of LDA's four mean rates is at most half of the range of PCA's",
    otherwise=_OTHER_FACES,
)
_SAMPLING = Statement(
    "beveridge2001.sampling-does-not-matter",
    "figure 4",
    paper="balanced and unbalanced sampling give distributions that are essentially indistinguishable",
    rule="the means differ by at most 0.5 points and the standard deviations by at most 10%, including their whole Monte Carlo intervals",
    otherwise="a balanced trial uses all four columns equally, which removes some of the variation",
)

_PAIR = Sentence(
    "beveridge2001.pair-here",
    "note",
    "{a:tenth} against {b:tenth} of {n:count probe}; only PCA {sf:count}, only ICA {fs:count}, one-sided p {p:p}",
)
_RATES = Sentence("beveridge2001.rates-here", "note", "PCA {pca:rates}; ICA {ica:rates}")
_P_VALUES = Sentence("beveridge2001.p-values-here", "note", "exactly {values:names}")
_DISTANCE = Sentence(
    "beveridge2001.distance-here",
    "note",
    "{c:count} of {n:count probe}: distance {distance:small}, at most {allowed:small} is allowed; standard deviation {sd:rate}, "
    "binomial {binomial:rate}",
)
_LOST = Sentence(
    "beveridge2001.lost-here", "note", "does not win in {c:count} of {n:count}, mean difference {mean:points}"
)
_OVERLAP = Sentence(
    "beveridge2001.overlap-here",
    "note",
    "[{low:rate}, {high:rate}] and [{low_b:rate}, {high_b:rate}]; Mahalanobis does not win in {c:count} of {n:count}",
)
_MEANS = Sentence("beveridge2001.means-here", "note", "mean rates {rates:rates}")
_RANGES = Sentence("beveridge2001.ranges-here", "note", "LDA spans {lda:span}, PCA {pca:span}")
_MOMENTS = Sentence(
    "beveridge2001.moments-here",
    "note",
    "balanced {mean:rate} ± {sd:rate}, unbalanced {mean_b:rate} ± {sd_b:rate} (mean ± standard deviation)",
)


def claims(found: ChoiceEvidence) -> dict[str, tuple[Claim, ...]]:
    """All claims, by the item of the page that they belong to."""
    return {
        "table4": (*_about_pairs(found), _about_difficulty(found), _about_printed(found)),
        "bootstrap": (_about_bootstrap(found),),
        "figure1": (_about_lda(found), _about_variants(found)),
        "figure2": (_about_overlap(found),),
        "table7": _about_differences(found),
        "figure4": (_about_sampling(found),),
    }


def _about_pairs(found: ChoiceEvidence) -> list[Claim]:
    made = []
    for name, pairs in found.pairs.items():
        test = mcnemar(pairs.sf, pairs.fs)
        value = (pairs.sf - pairs.fs) / pairs.n
        # The paper's test decides; the interval says what it could show.
        power = by_sign([ShownDifference(value, *newcombe_interval(pairs, 0.90))])
        if test.p_greater < _ALPHA:
            judged = Judgement("agrees", None, power.power)
        elif test.p_less < _ALPHA:
            judged = Judgement("disagrees", None, power.power)
        else:
            judged = Judgement("cannot be judged", _UNCLEAR(p=test.p_greater), power.power)
        here = _PAIR(
            a=(pairs.ss + pairs.sf) / pairs.n,
            b=(pairs.ss + pairs.fs) / pairs.n,
            n=pairs.n,
            sf=pairs.sf,
            fs=pairs.fs,
            p=test.p_greater,
        )
        made.append(_AHEAD[name].judged(here, judged))
    return made


_UNCLEAR = Sentence(
    "beveridge2001.p-unclear", "caution", "neither side is significant (p {p:p}): too few probes differ"
)


def _about_difficulty(found: ChoiceEvidence) -> Claim:
    rates = {
        "pca": {name: (one.ss + one.sf) / one.n for name, one in found.pairs.items()},
        "ica": {name: (one.ss + one.fs) / one.n for name, one in found.pairs.items()},
    }
    shown = [
        _apart(own["fb"], found.pairs["fb"].n, own[name], pairs.n)
        for own in rates.values()
        for name, pairs in found.pairs.items()
        if name != "fb"
    ]
    here = _RATES(pca=tuple(rates["pca"].items()), ica=tuple(rates["ica"].items()))
    return _EASIEST.judged(here, by_sign(shown))


def _apart(p: float, n: int, q: float, m: int) -> ShownDifference:
    """The difference of two rates of different probes."""
    error = 1.96 * sqrt((p * (1 - p) + 0.25 / n) / n + (q * (1 - q) + 0.25 / m) / m)
    return ShownDifference(p - q, p - q - error, p - q + error)


def _about_printed(found: ChoiceEvidence) -> Claim:
    values = {name: mcnemar(pairs.sf, pairs.fs).p_greater for name, pairs in found.printed.items()}
    holds = all(
        p < _LEAST_PRINTED if name not in _PRINTED_P else abs(p - _PRINTED_P[name]) <= _LEAST_PRINTED
        for name, p in values.items()
    )
    here = _P_VALUES(values=tuple(digits(p) for p in values.values()))
    return _PRINTED.judged(here, exactly(holds, None))


def _about_bootstrap(found: ChoiceEvidence) -> Claim:
    n, p = found.n, found.successes / found.n
    binomial = _binomial(n, found.successes)
    distance = float(np.abs(np.cumsum(found.bootstrap) - binomial).max())
    allowed = _KS / sqrt(found.n_resamples)
    counts = np.arange(n + 1) / n
    mean = float(found.bootstrap @ counts)
    here = _DISTANCE(
        c=found.successes,
        n=n,
        distance=distance,
        allowed=allowed,
        sd=sqrt(float(found.bootstrap @ (counts - mean) ** 2)),
        binomial=sqrt(p * (1 - p) / n),
    )
    # How many of the possible rates c/n have a binomial distribution that is as near to this one.
    near = 1 + sum(_nearby(n, found.successes, sign, allowed) for sign in (1, -1))
    return _BINOMIAL.judged(here, exactly(distance <= allowed, near / (n + 1)))


def _binomial(n: int, successes: int) -> npt.NDArray[np.float64]:
    """The distribution function of Binomial(n, c/n) at 0, 1, …, n."""
    made: npt.NDArray[np.float64] = binomial_cdf(np.arange(n + 1.0), n, successes / n)
    return made


def _nearby(n: int, successes: int, sign: int, allowed: float) -> int:
    """How many counts on one side have a binomial distribution that is no further away than is allowed."""
    here, steps = _binomial(n, successes), 0
    while 0 <= successes + sign * (steps + 1) <= n:
        if np.abs(_binomial(n, successes + sign * (steps + 1)) - here).max() > allowed:
            break
        steps += 1
    return steps


def _about_differences(found: ChoiceEvidence) -> tuple[Claim, ...]:
    made = []
    for pair, one in found.differences.items():
        if pair not in NOT_WON:
            continue
        lost = one.at_most(0.0)
        share = lost / one.n_trials
        here = _LOST(c=lost, n=one.n_trials, mean=one.mean)
        # The middle 90 % of the trials: what an average difference must exceed to be won in 95 % of them.
        power = by_sign([ShownDifference(one.mean, *one.interval(0.90))]).power
        if pair in _ORDER:
            verdict = (
                "agrees" if share <= _ALPHA else "disagrees" if share >= 1 - _ALPHA else "cannot be judged"
            )
            why = _NO_ORDER(share=share) if verdict == "cannot be judged" else None
            made.append(_ORDER[pair].judged(here, Judgement(verdict, why, power)))  # type: ignore[arg-type]
        else:
            made.append(
                _ALIKE.judged(here, Judgement("agrees" if share > _ALPHA else "disagrees", None, power))
            )
    return tuple(made)


_NO_ORDER = Sentence(
    "beveridge2001.no-order",
    "caution",
    "the choice of images decides: the first algorithm does not win in {share:tenth} of the trials",
)


def _about_overlap(found: ChoiceEvidence) -> Claim:
    best, second = (found.rates[name] for name in ("pca:mahalanobis", "pca:l1"))
    difference = found.differences["pca:mahalanobis", "pca:l1"]
    (low, high), (low_b, high_b) = best.interval(), second.interval()
    lost = difference.at_most(0.0)
    here = _OVERLAP(low=low, high=high, low_b=low_b, high_b=high_b, c=lost, n=difference.n_trials)
    holds = low <= high_b and low_b <= high and lost <= _ALPHA * difference.n_trials
    pairs = list(combinations(found.rates.values(), 2))
    chance = float(np.mean([_overlaps_and_wins(*pair) for pair in pairs]))
    return _MISLEADS.judged(here, exactly(holds, chance))


def _overlaps_and_wins(one: Distribution, other: Distribution) -> bool:
    """Whether two distributions overlap although their means are two standard deviations apart."""
    (low, high), (low_b, high_b) = one.interval(), other.interval()
    apart = abs(one.mean - other.mean) > 1.645 * max(one.standard_deviation, other.standard_deviation)
    return low <= high_b and low_b <= high and apart


def _about_lda(found: ChoiceEvidence) -> Claim:
    shown = [
        ShownDifference(one.mean, *one.interval())
        for (first, second), one in found.differences.items()
        if first in ("pca:l1", "pca:mahalanobis") and second in LDA
    ]
    here = _MEANS(rates=tuple((name, found.rates[name].mean) for name in ("pca:l1", "pca:mahalanobis", *LDA)))
    return _LDA_BEHIND.judged(here, by_sign(shown))


def _about_variants(found: ChoiceEvidence) -> Claim:
    means = {name: one.mean for name, one in found.rates.items()}
    every = list(means.values())
    splits = [
        (np.ptp([every[k] for k in chosen]), np.ptp([every[k] for k in range(8) if k not in chosen]))
        for chosen in combinations(range(8), 4)
    ]
    chance = float(np.mean([one <= other / 2 for one, other in splits]))
    lda, pca = (float(np.ptp([means[name] for name in names])) for names in (LDA, PCA))
    return _LDA_ALIKE.judged(_RANGES(lda=lda, pca=pca), exactly(lda <= pca / 2, chance))


def _about_sampling(found: ChoiceEvidence) -> Claim:
    one, other = found.rates["pca:mahalanobis"], found.unbalanced
    here: Note = _MOMENTS(
        mean=one.mean, sd=one.standard_deviation, mean_b=other.mean, sd_b=other.standard_deviation
    )
    error = 1.96 * sqrt(
        one.standard_deviation**2 / one.n_trials + other.standard_deviation**2 / other.n_trials
    )
    value = one.mean - other.mean
    means = within([ShownDifference(value, value - error, value + error)], _MEAN_MARGIN)
    ratio = one.standard_deviation / other.standard_deviation - 1
    error = 1.96 * sqrt(1 / (2 * one.n_trials) + 1 / (2 * other.n_trials))
    spreads = within([ShownDifference(ratio, ratio - error, ratio + error)], _SPREAD_MARGIN, "number")
    worst = max(
        (means, spreads), key=lambda judged: ("agrees", "cannot be judged", "disagrees").index(judged.verdict)
    )
    return _SAMPLING.judged(here, worst)
