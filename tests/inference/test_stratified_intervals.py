"""Intervals of shares within strata: by hand, from replicates, and whether they keep their word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

from proband import Samples, Scores, designs, estimate
from proband.designs import BRR, Fay, Jackknife, RaoWu
from proband.designs.strata import Strata
from proband.errors import UsageError
from proband.inference import estimate_weighted
from proband.inference.strata.intervals import Carried, share_ends
from proband.measures import AUC, EER, MedianCensoredRank, RecognitionRate
from proband.stats import estimate_cmc
from proband.survey import Survey


def by_hand(values, weights, strata, level=0.95):
    """The interval of a share, unit after unit."""
    values, weights, strata = (np.asarray(one) for one in (values, weights, strata))
    share = float(sum(w * y for w, y in zip(weights, values, strict=True)))
    kinds, n = sorted(set(strata.tolist())), len(values)
    e, v = np.zeros(n), 0.0
    for one in kinds:
        own = np.flatnonzero(strata == one)
        parts = [weights[i] * (values[i] - share) for i in own]
        middle = sum(parts) / len(own)
        for i, part in zip(own, parts, strict=True):
            e[i] = part - middle
        v += len(own) / (len(own) - 1) * sum(e[i] ** 2 for i in own)
    free, alone = n - len(kinds), sum(w * w for w in weights)
    if v < 1e-20:
        trials, nu = 1 / alone, free
    else:
        s = sum(e**2) ** 2 / sum(e**4)
        nu = min(free, max(1.0, 2 * s / (1 - s / n) * free / n))
        moderated = (nu * v + 2 * max(v, share * (1 - share) * alone)) / (nu + 2)
        trials, nu = share * (1 - share) / moderated, min(nu + 2, free)
        if v * free / n <= share * (1 - share) * alone:
            width = trials / t.ppf(0.5 + level / 2, nu) ** 2, 1 / alone / t.ppf(0.5 + level / 2, free) ** 2
            if width[0] < width[1]:
                trials, nu = 1 / alone, free
    z = t.ppf(0.5 + level / 2, nu)
    middle, spread = (
        share + z * z / (2 * trials),
        z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2)),
    )
    return (middle - spread) / (1 + z * z / trials), (middle + spread) / (1 + z * z / trials), nu


@pytest.mark.parametrize("seed", range(8))
def test_shares_by_hand(outcomes_of, seed):
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(12), rng.integers(2, 7, 12) if seed % 2 else 3)
    closer = (rng.random(len(people)) < 0.1 + 0.3 * (seed % 3)) * 2
    outcomes = outcomes_of(closer, people)
    n = len(people)
    expected = by_hand(outcomes.success(1), np.full(n, 1 / n), people)
    for design in (BRR(), Fay(), Jackknife()):
        found = estimate(outcomes, measure=RecognitionRate(1), design=design)
        assert (found.low, found.high, found.degrees_of_freedom) == pytest.approx(expected, abs=1e-9)
        band = estimate_cmc(outcomes, design=design)
        assert (band.low[0], band.high[0]) == pytest.approx(expected[:2], abs=1e-9)


def test_a_survey_has_the_interval_of_people_within_strata(outcomes_of):
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(20), rng.integers(1, 9, 20))
    hits = (rng.random(len(people)) < 0.85).astype(float)
    site = people // 5
    survey = Survey({"hit": hits, "who": people, "site": site}, strata="site", units="who")
    sizes = np.bincount(people)
    expected = by_hand(np.bincount(people, weights=hits) / sizes, sizes / sizes.sum(), np.arange(20) // 5)
    one = survey.mean("hit").estimates[0]
    assert (one.low, one.high) == pytest.approx(expected[:2], abs=1e-9)
    assert one.degrees_of_freedom == 16
    named = survey.mean("hit", interval="t").estimates[0]
    reach = t.ppf(0.975, 16) * named.standard_error
    assert (named.low, named.high) == pytest.approx((named.value - reach, named.value + reach))
    by_names = Survey(
        {"hit": np.where(hits == 1, "yes", "no"), "who": people, "site": site}, strata="site", units="who"
    )
    shares = {row.name: (row.estimate.low, row.estimate.high) for row in by_names.mean("hit").rows}
    assert next(ends for name, ends in shares.items() if "yes" in name) == pytest.approx((one.low, one.high))
    assert survey.total("hit").estimates[0].low == survey.total("hit", interval="t").estimates[0].low


def test_a_sample_that_is_all_there_is_has_no_width():
    whole = Survey({"hit": [1, 0, 1, 1], "all": [4] * 4}, fpc="all").mean("hit")
    assert whole.estimates[0].low == whole.estimates[0].high == 0.75
    assert "survey.exact" in {note.code for note in whole.notes}


def test_shares_at_the_ends(outcomes_of):
    people = np.repeat(np.arange(10), 2)
    for closer, share in ((0, 1.0), (1, 0.0)):
        found = estimate(outcomes_of(np.full(20, closer), people), measure=RecognitionRate(1), design=BRR())
        width = 1 - 20 / (20 + t.ppf(0.975, 10) ** 2)
        assert found.value == share
        assert found.high - found.low == pytest.approx(width)
        assert "strata.nothing-varies" in {note.code for note in found.notes}
    one_off = estimate(outcomes_of(np.r_[1, np.zeros(19)], people), measure=RecognitionRate(1), design=BRR())
    assert width < one_off.high - one_off.low < 3 * width


@pytest.mark.parametrize("design", [BRR(), Fay(rho=0.3), Jackknife(), BRR(interval="t")])
@pytest.mark.parametrize("sizes", [[2] * 6, [6] * 4, [2, 3, 6, 10, 5, 15]])
def test_residuals_from_replicates(design, sizes):
    """What each unit adds to a linear statistic follows from balanced replicates."""
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    strata, y = Strata.of(labels), rng.exponential(size=len(labels))
    plan = design.replicates(strata)
    values = np.concatenate(
        [block @ (strata.unit_weights * y) for part in plan.parts for block in part.blocks(len(y))]
    )
    found = plan.residuals(strata, values, float(strata.mean(y)))
    assert found == pytest.approx(strata.residuals(y).ravel(), abs=1e-12)
    made = estimate_weighted(lambda w: (w @ y) / w.sum(), labels, design=design)
    carried = Carried.in_strata(strata, y)
    most = float(len(y) - len(sizes))
    expected = most if design.interval == "t" else float(carried.degrees(most)[0])
    assert made.degrees_of_freedom == pytest.approx(expected)


def test_weighted_statistics_that_are_rates():
    y, labels = np.array([1.0, 0, 1, 1, 1, 1, 0, 1]), np.repeat(np.arange(4), 2)
    found = estimate_weighted(lambda w: (w @ y) / w.sum(), labels, design=BRR(interval="logit"))
    assert 0 < found.low < found.value < found.high < 1
    with pytest.raises(UsageError, match="not a rate"):
        estimate_weighted(lambda w: w @ y, labels, design=BRR(interval="logit"))


def test_medians_have_the_interval_of_the_share_below(outcomes_of):
    rng = np.random.default_rng(2)
    people = np.repeat(np.arange(15), 6)
    ranks = np.minimum(rng.geometric(0.2, 90), 30)
    outcomes = outcomes_of(ranks - 1, people)
    found = estimate(outcomes, measure=MedianCensoredRank(30), design=BRR())
    low, high, nu = by_hand_median(ranks, people)
    assert (found.low, found.high, found.degrees_of_freedom) == pytest.approx((low, high, nu))
    assert found.standard_error > 0
    plain = estimate(outcomes, measure=MedianCensoredRank(30), design=BRR(interval="t"))
    reach = t.ppf(0.975, 75) * plain.standard_error
    assert (plain.low, plain.high) == pytest.approx((plain.value - reach, plain.value + reach))


def by_hand_median(ranks, people):
    n = len(ranks)
    below = (ranks <= np.median(ranks)).astype(float)
    strata = Strata.of(people)
    v = strata.textbook_variance(below)
    low, high, nu = share_ends(np.array([0.5]), v, 75.0, 0.95, Carried.in_strata(strata, below))
    ordered = np.sort(ranks)
    at = [ordered[min(int(np.ceil(end * n - 1e-9)) - 1, n - 1)] for end in (float(low[0]), float(high[0]))]
    return float(at[0]), float(at[1]), float(nu[0])


@pytest.mark.parametrize("size", [6, 10, 12])
def test_medians_of_units_without_an_array_vary(outcomes_of, size):
    """The standard error used to be 0 in up to 65 % of data sets."""
    rng = np.random.default_rng(size)
    people = np.repeat(np.arange(12), size)
    for _ in range(5):
        own = 3 * np.exp(0.5 * rng.standard_normal(12))[people]
        ranks = np.floor(own * -np.log2(1 - rng.random(len(people)))).astype(int)
        for design in (BRR(), Fay()):
            assert (
                estimate(
                    outcomes_of(np.minimum(ranks, 100), people),
                    measure=MedianCensoredRank(100),
                    design=design,
                ).standard_error
                > 0
            )


def people_within(rng, sets, sites, each, unequal, spread=0.65, rate=0.93):
    """Totals of people's successes and probes (data sets × people), and the share of the population."""
    n = sites * each
    skill = norm.cdf((norm.ppf(rate) + spread * rng.standard_normal((sets, n))) / np.sqrt(1 - spread**2))
    sizes = np.minimum(20, rng.zipf(1.7, (sets, n))) if unequal else np.full((sets, n), 4)
    return rng.binomial(sizes, skill), sizes, rate


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize(("sites", "each"), [(3, 6), (4, 15)])
def test_few_people_within_strata_are_covered(sites, each, unequal):
    rng = np.random.default_rng(sites + each + unequal)
    hits, sizes, truth = people_within(rng, 300, sites, each, unequal)
    held = plain = 0
    for y, m in zip(hits, sizes, strict=True):
        strata = Strata.of(np.repeat(np.repeat(np.arange(sites), each), m)).in_units(
            np.repeat(np.arange(len(m)), m)
        )
        values = y / m
        share, v = float(strata.mean(values)), strata.textbook_variance(values)
        free = float(len(m) - sites)
        low, high, _ = share_ends(np.array([share]), v, free, 0.95, Carried.in_strata(strata, values))
        reach = t.ppf(0.975, free) * np.sqrt(v[0])
        held += low[0] <= truth <= high[0]
        plain += share - reach <= truth <= share + reach
    assert held / 300 > 0.92
    assert plain < held


@pytest.mark.parametrize("unequal", [False, True])
def test_pairs_of_people_within_strata(unequal):
    """Areas on the logit scale and rates like shares; few people who have most images are said."""
    rng = np.random.default_rng(4)
    own = np.repeat(np.arange(16), [2, 2, 2, 12] * 4 if unequal else 3)
    ids = [f"i{k}" for k in range(len(own))]
    samples = Samples({"id": ids, "subject": own.astype(str), "site": (own % 4).astype(str)})
    values = rng.normal(size=(len(own),) * 2) + 2 * (own[:, None] == own)
    scores = Scores.from_array(values + values.T, ids, orientation="similarity")
    design = Jackknife(strata="site", units="subject")
    area, plain, weighed = (
        estimate(scores, samples, measure=measure, design=one)
        for measure, one in (
            (AUC(), design),
            (AUC(), replace(design, interval="t")),
            (AUC(weights="person"), design),
        )
    )
    assert plain.degrees_of_freedom == 12
    assert area.degrees_of_freedom <= 12
    reach = t.ppf(0.975, area.degrees_of_freedom) * area.standard_error / (area.value * (1 - area.value))
    ends = expit(logit(area.value) + np.array([-reach, reach]))
    assert (area.low, area.high) == pytest.approx(tuple(ends))
    few = "pairs.few-have-most-images"
    assert (few in {note.code for note in area.notes}) == unequal
    assert few not in {note.code for note in weighed.notes}
    rate = estimate(
        scores, samples, measure=EER(), design=RaoWu(strata="site", units="subject", n_resamples=100)
    )
    assert 0 <= rate.low < rate.value < rate.high <= 1


def test_the_default_is_one_at_every_door():
    for design in (BRR, Fay, Jackknife, RaoWu, designs.Enumeration, designs.CollapsedStrata):
        assert design().interval == "auto"
