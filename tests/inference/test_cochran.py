"""Cochran's Q and the intervals of a proportion against statsmodels: its values as literals, and live where it is installed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from proband.inference.comparisons.testing.cochran import cochran_q
from proband.inference.proportions import proportion_interval

# statsmodels 0.15.0: cochrans_q(table_of(counts)), the statistic and the p-value. The counts are of the patterns of success
# and failure of two, three or four algorithms, from all succeed to none; the first is fb of table 4 of Beveridge 2001.
COCHRAN = [
    ((824, 104, 40, 227), 28.444444444444443, 9.64260673022825e-08),
    ((5, 9, 2, 1, 6, 3, 0, 4), 7.238095238095238, 0.026808195953778993),
    ((2, 5, 5, 0, 5, 0, 0, 1), 0.0, 1.0),
    ((0, 0, 0, 0, 1, 0, 0, 0), 2.0, 0.36787944117144245),
    ((61, 7, 4, 12, 3, 0, 9, 2, 8, 5, 1, 1, 6, 2, 3, 14), 1.6216216216216217, 0.6544972598597159),
]

# statsmodels 0.15.0: proportion_confint(k, n, alpha=1 - level, method=…); Clopper-Pearson is its "beta".
PROPORTIONS = [
    (0, 10, 0.95, "wilson", 0.0, 0.2775327998628892),
    (0, 10, 0.95, "clopper-pearson", 0.0, 0.3084971078187607),
    (0, 10, 0.95, "jeffreys", 4.789043315758196e-05, 0.21719626750921053),
    (10, 10, 0.9, "wilson", 0.7870580299165928, 1.0),
    (10, 10, 0.9, "clopper-pearson", 0.7411344491069477, 1.0),
    (10, 10, 0.9, "jeffreys", 0.829226891755152, 0.9998082637110255),
    (1, 10, 0.99, "wilson", 0.011851503411032943, 0.5072317712328935),
    (1, 10, 0.99, "clopper-pearson", 0.0005011285754646344, 0.5442870568996868),
    (1, 10, 0.99, "jeffreys", 0.003673321005997247, 0.4829685570796171),
    (5, 7, 0.9, "wilson", 0.40866754551119744, 0.900434156437713),
    (5, 7, 0.9, "clopper-pearson", 0.34126143615533594, 0.9466244995297628),
    (5, 7, 0.9, "jeffreys", 0.4071153200534924, 0.9118843972961488),
    (673, 697, 0.95, "wilson", 0.9492762403211713, 0.9767534513184647),
    (673, 697, 0.95, "clopper-pearson", 0.9491975012110602, 0.9778157533657827),
    (673, 697, 0.95, "jeffreys", 0.9500458680477063, 0.9772367187818555),
    (928, 1195, 0.95, "wilson", 0.752086984369509, 0.7992786654723214),
    (928, 1195, 0.95, "clopper-pearson", 0.7518682251775353, 0.799900617066891),
    (928, 1195, 0.95, "jeffreys", 0.7523013205515501, 0.7994989500998422),
    (52, 234, 0.99, "wilson", 0.16042426503151513, 0.29933821399270005),
    (52, 234, 0.99, "clopper-pearson", 0.1563829789451174, 0.2997001118341959),
    (52, 234, 0.99, "jeffreys", 0.15823949326472425, 0.2973714756208006),
]


def table_of(counts: tuple[int, ...]) -> np.ndarray:
    """Probes × algorithms."""
    patterns = np.array(list(product((1.0, 0.0), repeat=len(counts).bit_length() - 1)))
    return np.repeat(patterns, counts, axis=0)


@pytest.mark.parametrize(("counts", "statistic", "p_value"), COCHRAN)
def test_cochran_q_equals_statsmodels_values(counts, statistic, p_value):
    table = table_of(counts)
    found = cochran_q(table, np.arange(len(table)))
    assert found.statistic == pytest.approx(statistic, rel=1e-12, abs=1e-12)
    assert found.p_value == pytest.approx(p_value, rel=1e-10)
    assert (found.degrees_of_freedom, found.method.key) == (table.shape[1] - 1, "cochran-q")


def test_cochran_q_equals_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    rng = np.random.default_rng(11)
    for algorithms in (2, 3, 6):
        table = (rng.random((150, algorithms)) < np.linspace(0.9, 0.6, algorithms)).astype(float)
        expected = tables.cochrans_q(table)
        found = cochran_q(table, np.arange(150))
        assert found.statistic == pytest.approx(float(expected.statistic), rel=1e-12)
        assert found.p_value == pytest.approx(float(expected.pvalue), rel=1e-10)
        assert found.degrees_of_freedom == expected.df


def test_two_algorithms_give_mcnemar_s_chi_square():
    table = table_of((30, 22, 8, 174))
    assert cochran_q(table, np.arange(len(table))).statistic == pytest.approx((22 - 8) ** 2 / 30)


def test_people_in_any_order_and_the_permutation_p_value():
    # Each person's two probes fare alike, so permuting over people is permuting over half as many probes.
    table = table_of((5, 9, 2, 1, 6, 3, 0, 4))
    people = np.random.default_rng(3).permutation(np.repeat(np.arange(len(table)), 2))
    found = cochran_q(table[people], people)
    assert found.statistic == pytest.approx(2 * 7.238095238095238)
    assert found.method.floor == 1 / 10_000
    assert found.p_value == pytest.approx(0.0268, abs=0.01)
    assert found == cochran_q(table[people], people)


@pytest.mark.parametrize(("k", "n", "level", "method", "low", "high"), PROPORTIONS)
def test_proportions_equal_statsmodels_values(k, n, level, method, low, high):
    found = proportion_interval(k, n, method, level)
    # Ours ends at 0 without successes and at 1 without failures, also Jeffreys': that is the usual modification.
    assert found.low == pytest.approx(low if k else 0.0, rel=1e-9, abs=1e-15)
    assert found.high == pytest.approx(high if k < n else 1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "name"), [("wilson", "wilson"), ("clopper-pearson", "beta"), ("jeffreys", "jeffreys")]
)
def test_proportions_equal_statsmodels(method, name):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for n in (1, 7, 40, 1195):
        for k in sorted({1, n // 3 + 1, n - 1} - {0, n}):
            for level in (0.5, 0.9, 0.999):
                expected = proportion.proportion_confint(k, n, alpha=1 - level, method=name)
                assert proportion_interval(k, n, method, level) == pytest.approx(expected, rel=1e-9)


def test_people_whose_labels_make_no_difference_decide_nothing() -> None:
    """Each person is recognised once by either algorithm, of different probes: every permutation gives the same."""
    success = np.tile([[1.0, 0.0], [0.0, 1.0]], (5, 1))
    found = cochran_q(success, np.repeat(np.arange(5), 2))
    assert (found.statistic, found.p_value) == (0.0, 1.0)
