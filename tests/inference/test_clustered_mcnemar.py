from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from tests.examples import examples

from proband.errors import DesignError, UsageError
from proband.inference.comparisons.testing.clustered_mcnemar import clustered_mcnemar
from proband.inference.comparisons.testing.sign_flip import sign_flip


def obuchowski_in_full(tables: np.ndarray) -> float:
    """Her statistic as she writes it: rates, their variances and covariance as ratio estimators, with the pooled rate."""
    ss, sf, fs, ff = tables.T.astype(float)
    sizes, a, b = ss + sf + fs + ff, ss + sf, ss + fs
    n, k = sizes.sum(), len(tables)
    pooled = (a.sum() + b.sum()) / (2 * n)
    residual_a, residual_b = a - sizes * pooled, b - sizes * pooled
    scale = k / (k - 1) / n**2
    variance = scale * ((residual_a**2).sum() + (residual_b**2).sum() - 2 * (residual_a * residual_b).sum())
    return (a.sum() / n - b.sum() / n) ** 2 / variance


def durkalski_in_full(tables: np.ndarray) -> float:
    """A person at a time: the mean of the people's differences of rates, by its variance if there is none."""
    gaps = [(sf - fs) / (ss + sf + fs + ff) for ss, sf, fs, ff in tables.tolist()]
    k = len(gaps)
    return (sum(gaps) / k) ** 2 / (sum(gap**2 for gap in gaps) / k**2)


def per_person(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return tables[:, 1] - tables[:, 2], tables.sum(axis=1)


counts = st.tuples(*[st.integers(0, 5)] * 4).filter(any)


@examples(60)
@given(st.lists(counts, min_size=2, max_size=12))
def test_equals_the_definitions(people):
    tables = np.array(people)
    differences, sizes = per_person(tables)
    for method, oracle in (("obuchowski", obuchowski_in_full), ("durkalski", durkalski_in_full)):
        found = clustered_mcnemar(differences, sizes, method)
        if not differences.any():
            assert (found.statistic, found.p_value, found.rests_on.events) == (0.0, 1.0, 0)
            continue
        assert found.statistic == pytest.approx(oracle(tables), rel=1e-9, abs=1e-12)
        assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 1), rel=1e-9)
        assert (found.rests_on.n, found.rests_on.events) == (len(people), np.count_nonzero(differences))


def test_by_hand():
    # d = 2, -1, 0, 1 of n = 4, 2, 3, 1: sums 2 and 6; d/n = 1/2, -1/2, 0, 1: sums 1 and 3/2
    differences, sizes = np.array([2, -1, 0, 1]), np.array([4, 2, 3, 1])
    assert clustered_mcnemar(differences, sizes).statistic == pytest.approx(3 / 4 * 4 / 6)
    assert clustered_mcnemar(differences, sizes, "durkalski").statistic == pytest.approx(1 / 1.5)


def test_published_values():
    # PET against SPECT on 21 patients (Obuchowski 1998). Durkalski et al. 2003 give McNemar's chi-square as 4.5, Obuchowski's
    # as 2.86 and their own as 2.32. This is a surrogate of the table: three patients as published, and the only three others
    # (2 glands of 2 and 1 of 3 for SPECT alone, 1 of 2 for PET alone) that, with 8 discordant glands, give all three values.
    differences = np.array([-2, -1, -1, -2, -1, 1] + [0] * 15)
    sizes = np.array([3, 3, 3, 2, 3, 2] + [3] * 15)
    fewer, more = -differences[differences < 0].sum(), differences[differences > 0].sum()
    assert (fewer - more) ** 2 / (fewer + more) == 4.5
    assert round(clustered_mcnemar(differences, sizes).statistic, 2) == 2.86
    assert round(clustered_mcnemar(differences, sizes, "durkalski").statistic, 2) == 2.32


@pytest.mark.parametrize(
    ("sf", "fs", "same"), [(104, 40, 1051), (22, 8, 204), (3, 3, 10), (1, 0, 1), (7, 0, 0)]
)
def test_is_mcnemar_with_one_probe_each(sf, fs, same):
    differences = np.repeat([1, -1, 0], [sf, fs, same])
    chi_square = (sf - fs) ** 2 / (sf + fs)
    k = len(differences)
    durkalski = clustered_mcnemar(differences, np.ones(k), "durkalski")
    assert durkalski.statistic == pytest.approx(chi_square, rel=1e-12)
    assert durkalski.p_value == pytest.approx(stats.chi2.sf(chi_square, 1), rel=1e-10)
    assert clustered_mcnemar(differences, np.ones(k)).statistic == pytest.approx((k - 1) / k * chi_square)


def test_turning_around_and_repeating_probes_change_nothing():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 6, 40)
    differences = rng.integers(-sizes, sizes + 1)
    for method in ("obuchowski", "durkalski"):
        found = clustered_mcnemar(differences, sizes, method)
        assert clustered_mcnemar(-differences, sizes, method) == found
        # three copies of each probe of the same people are no new people
        assert clustered_mcnemar(3 * differences, 3 * sizes, method).statistic == pytest.approx(
            found.statistic
        )


def test_at_the_edge():
    for method in ("obuchowski", "durkalski"):
        none = clustered_mcnemar(np.zeros(5), np.full(5, 4), method)
        assert (none.statistic, none.p_value, none.rests_on.n, none.rests_on.events) == (0.0, 1.0, 5, 0)
        balanced = clustered_mcnemar(np.array([1, -1, 0]), np.array([2, 2, 2]), method)
        assert (balanced.statistic, balanced.p_value, balanced.rests_on.events) == (0.0, 1.0, 2)
        all_one_way = clustered_mcnemar(np.full(30, 4), np.full(30, 4), method)
        assert 0 < all_one_way.p_value < 1e-6
        json.dumps(all_one_way.to_dict(), allow_nan=False)


def test_refusals():
    with pytest.raises(UsageError, match="Unknown clustered McNemar"):
        clustered_mcnemar(np.array([1, 0]), np.array([1, 1]), "yang")
    with pytest.raises(UsageError, match="one difference and one number of probes"):
        clustered_mcnemar(np.array([1, 0]), np.array([1, 1, 1]))
    with pytest.raises(UsageError, match="at least one probe"):
        clustered_mcnemar(np.array([1, 0]), np.array([1, 0]))
    with pytest.raises(UsageError, match="finite"):
        clustered_mcnemar(np.array([np.nan, 0]), np.array([1, 1]))
    with pytest.raises(UsageError, match="cannot exceed"):
        clustered_mcnemar(np.array([3, 0]), np.array([2, 2]))
    for people in (0, 1):
        with pytest.raises(DesignError, match="at least two"):
            clustered_mcnemar(np.ones(people), np.ones(people))


def test_level_and_agreement_with_the_exact_test():
    rng = np.random.default_rng(4)
    people, n_sets = 80, 600
    rejected = {"obuchowski": 0, "durkalski": 0, "plain": 0}
    agree = 0
    for _ in range(n_sets):
        # Neither is better, but each person has an own difference; people have 1 to 12 probes.
        sizes = rng.integers(1, 13, people)
        rates = stats.norm.cdf(rng.normal(0.8, 0.4, (people, 1)) + rng.normal(0, 0.6, (people, 2)))
        sf = rng.binomial(sizes, rates[:, 0] * (1 - rates[:, 1]))
        fs = rng.binomial(sizes - sf, rates[:, 1] * (1 - rates[:, 0]) / (1 - rates[:, 0] * (1 - rates[:, 1])))
        p_values = {
            method: clustered_mcnemar(sf - fs, sizes, method).p_value
            for method in ("obuchowski", "durkalski")
        }
        p_values["plain"] = stats.chi2.sf((sf.sum() - fs.sum()) ** 2 / (sf.sum() + fs.sum()), 1)
        for method, p_value in p_values.items():
            rejected[method] += p_value <= 0.05
        agree += abs(p_values["obuchowski"] - sign_flip((sf - fs).astype(float)).p_mid) < 0.02
    room = 3 * np.sqrt(0.05 * 0.95 / n_sets)
    assert abs(rejected["obuchowski"] / n_sets - 0.05) < room
    assert abs(rejected["durkalski"] / n_sets - 0.05) < room
    assert rejected["plain"] / n_sets > 0.1
    assert agree / n_sets > 0.95
