"""Published and independently computed values."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from proband.errors import UsageError
from proband.inference.comparisons.testing.mcnemar import (
    PairedOutcomes,
    mcnemar,
    newcombe_interval,
    tango_interval,
)
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import difference_of_independent, proportion_interval

# R 4.3: binom.test(SF, SF + FS); mid-p = two-sided - dbinom(SF, n, .5)
R_BINOM_TEST = [
    (104, 40, 4.72745380885331e-08, 9.45490761770662e-08, 6.49310735531551e-08),
    (60, 38, 0.016680014448471, 0.0333600288969419, 0.0265251068483944),
    (22, 8, 0.008062400855124, 0.016124801710248, 0.0106738405302167),
    (44, 1, 1.30739863379858e-12, 2.61479726759717e-12, 1.33582034322899e-12),
]


@pytest.mark.parametrize(("sf", "fs", "one", "two", "mid"), R_BINOM_TEST)
def test_mcnemar_equals_r(sf, fs, one, two, mid):
    found = mcnemar(sf, fs)
    assert found.p_greater == pytest.approx(one, rel=1e-11)
    assert found.p_value == pytest.approx(two, rel=1e-11)
    assert found.p_mid == pytest.approx(mid, rel=1e-10)
    assert mcnemar(fs, sf).p_less == pytest.approx(one, rel=1e-11)


@pytest.mark.parametrize("n", range(1, 9))
def test_mcnemar_equals_enumeration(n):
    for sf in range(n + 1):
        tail = sum(Fraction(comb(n, k), 2**n) for k in range(sf, n + 1))
        assert mcnemar(sf, n - sf).p_greater == pytest.approx(float(tail), rel=1e-13)


def test_mcnemar_without_discordant_probes():
    found = mcnemar(0, 0)
    assert (found.p_greater, found.p_value, found.p_mid) == (1.0, 1.0, 1.0)
    assert mcnemar(5, 5).p_value == 1.0


def test_table_3_of_beveridge():
    a = np.repeat([1.0, 1.0, 0.0, 0.0], [73, 2, 27, 23])
    b = np.repeat([1.0, 0.0, 1.0, 0.0], [73, 2, 27, 23])
    pairs = PairedOutcomes.of(a, b)
    assert (pairs.ss, pairs.sf, pairs.fs, pairs.ff, pairs.n) == (73, 2, 27, 23, 125)


def test_fractions_of_a_success_are_refused():
    with pytest.raises(UsageError, match="fractions"):
        PairedOutcomes.of(np.array([0.5, 1.0]), np.array([1.0, 1.0]))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (1, 10), (673, 697), (5, 7), (0, 1), (153, 366)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_intervals_equal_scipy(k, n, level):
    for method, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        expected = stats.binomtest(k, n).proportion_ci(level, method=name)
        found = proportion_interval(k, n, method, level)
        assert found.low == pytest.approx(expected.low, rel=1e-10, abs=1e-15)
        assert found.high == pytest.approx(expected.high, rel=1e-10, abs=1e-15)
    jeffreys = stats.beta(k + 0.5, n - k + 0.5)
    found = proportion_interval(k, n, "jeffreys", level)
    if k:
        assert found.low == pytest.approx(jeffreys.ppf((1 - level) / 2), rel=1e-10)
    if k < n:
        assert found.high == pytest.approx(jeffreys.ppf((1 + level) / 2), rel=1e-10)


def test_no_trials_and_nonsense():
    assert proportion_interval(0, 0) == (0.0, 1.0)
    for bad in ((3, 2), (-1, 4)):
        with pytest.raises(UsageError):
            proportion_interval(*bad)
    with pytest.raises(UsageError):
        proportion_interval(1, 2, confidence_level=95)


def test_newcombe_paired_published_example():
    # Newcombe 1998, Statistics in Medicine 17:2635, table: (36, 12, 2, 0): method 10 gives 0.0569 to 0.3404
    low, high = newcombe_interval(PairedOutcomes(36, 12, 2, 0))
    assert (round(low, 4), round(high, 4)) == (0.0569, 0.3404)


def test_tango_published_example():
    # Tango 1998, Statistics in Medicine 17:891: 43 of 44 pairs concordant, one discordant: -0.0261 to 0.1176 or so
    pairs = PairedOutcomes(43, 0, 1, 0)
    low, high = tango_interval(pairs)
    assert low < -1 / 44 < high
    z = stats.norm.ppf(0.975)
    for delta in (low, high):
        assert abs(_tango_score(pairs, delta)) == pytest.approx(z, rel=1e-6)


def _tango_score(pairs, delta):
    """The score statistic with the constrained likelihood maximised by brute force."""
    from scipy.optimize import minimize_scalar

    n, b, c = pairs.n, pairs.sf, pairs.fs

    def likelihood(q):
        p_fs, p_sf = q, q + delta
        rest = 1 - p_fs - p_sf
        if min(p_fs, p_sf, rest) <= 0:
            return 1e300
        terms = ((b, p_sf), (c, p_fs), (n - b - c, rest))
        return -sum(count * np.log(p) for count, p in terms if count)

    lowest = max(0.0, -delta)
    best = minimize_scalar(
        likelihood,
        bounds=(lowest + 1e-13, (1 - delta) / 2 - 1e-13),
        method="bounded",
        options={"xatol": 1e-14},
    )
    q = best.x
    return (b - c - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))


@pytest.mark.parametrize(
    "counts", [(30, 6, 2, 12), (5, 0, 0, 5), (0, 3, 9, 1), (700, 20, 18, 12), (0, 0, 0, 1)]
)
def test_paired_intervals_hold_the_difference_and_turn_around(counts):
    pairs = PairedOutcomes(*counts)
    turned = PairedOutcomes(counts[0], counts[2], counts[1], counts[3])
    difference = (pairs.sf - pairs.fs) / pairs.n
    for interval in (newcombe_interval, tango_interval):
        low, high = interval(pairs)
        assert -1 <= low <= difference <= high <= 1
        assert interval(turned) == pytest.approx((-high, -low), abs=1e-9)


def test_independent_difference():
    # Newcombe 1998, Statistics in Medicine 17:873, (56/70, 48/80): method 10 gives 0.0524 to 0.3339
    interval, p_value = difference_of_independent(56, 70, 48, 80)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.0524, 0.3339)
    chi2 = stats.chi2_contingency([[56, 14], [48, 32]], correction=False)
    assert p_value == pytest.approx(chi2.pvalue, rel=1e-10)


def test_cochran_s_leprosy_surrogate():
    # A surrogate for Cochran's 61 patients × 6 sites with the same sums; his own table is not recoverable.
    patients = np.repeat(np.arange(7), [15, 12, 6, 7, 6, 6, 9])
    success = np.concatenate([[1.0] * y + [0.0] * (6 - y) for y in patients])
    found = cluster_statistics(success, np.repeat(np.arange(61), 6))
    assert found.binomial_se == pytest.approx(0.02578184, abs=5e-9)
    assert found.cluster_se == pytest.approx(0.046528378049, rel=1e-10)
    assert found.icc == pytest.approx(0.4456400742, rel=1e-9)
    assert found.design_effect == pytest.approx(3.256927184, rel=1e-9)
    assert found.effective_n == pytest.approx(366 / 3.256927184, rel=1e-9)


def test_clusters_at_the_edge():
    for success in (np.ones(6), np.zeros(6)):
        found = cluster_statistics(success, np.array([0, 0, 1, 1, 2, 2]))
        assert (found.design_effect, found.effective_n, found.icc) == (
            1.0,
            4.0,
            0.0,
        )  # six probes, two of a person alike by one half
    assert cluster_statistics(np.array([1.0, 0.0]), np.array([4, 4])).design_effect == 1.0
    alone = cluster_statistics(np.array([1.0, 0.0, 1.0]), np.arange(3))
    assert alone.icc == 0.0
    with pytest.raises(UsageError):
        cluster_statistics(np.empty(0), np.empty(0, dtype=int))
