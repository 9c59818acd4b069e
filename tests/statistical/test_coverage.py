"""Do intervals cover and tests hold their level, where people have several probes? And do the naive ones fail?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proband.inference.comparisons.testing.mcnemar import mcnemar
from proband.inference.comparisons.testing.sign_flip import sign_flip
from proband.inference.estimates.closed import effective_size
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import proportion_interval, t_quantile, wilson_interval

QUICK, LONG = 400, 4000


def own_rates(rng: np.random.Generator, people: int, rate: float, icc: float) -> np.ndarray:
    if icc == 0:
        return np.full(people, rate)
    return rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, people)


def coverage(people: int, probes: int, rate: float, icc: float, n_sets: int) -> tuple[float, float]:
    """How often the interval of `auto` and the binomial one hold the rate of other people."""
    rng = np.random.default_rng([people, probes, round(100 * rate), round(100 * icc)])
    subjects = np.repeat(np.arange(people), probes)
    held = naive = 0
    for _ in range(n_sets):
        success = (
            (rng.random((people, probes)) < own_rates(rng, people, rate, icc)[:, None]).ravel().astype(float)
        )
        clusters = cluster_statistics(success, subjects)
        low, high = wilson_interval(clusters.rate, effective_size(clusters), t_quantile(0.95, people - 1))
        held += low <= rate <= high
        low, high = proportion_interval(success.sum(), len(success))
        naive += low <= rate <= high
    return held / n_sets, naive / n_sets


def room(n_sets: int) -> float:
    """Three standard errors of a simulated coverage of 95 %."""
    return 3 * np.sqrt(0.95 * 0.05 / n_sets)


@pytest.mark.parametrize(
    ("people", "probes", "rate", "icc"), [(200, 5, 0.8, 0.2), (200, 20, 0.95, 0.5), (50, 5, 0.9, 0.3)]
)
def test_coverage_of_other_people(people, probes, rate, icc):
    held, naive = coverage(people, probes, rate, icc, QUICK)
    least = 0.93 if people >= 200 else 0.90
    assert least - room(QUICK) <= held <= 0.97 + room(QUICK)
    assert naive < 0.9


@pytest.mark.long
@pytest.mark.parametrize("people", [50, 100, 200])
@pytest.mark.parametrize("probes", [1, 5, 20])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("icc", [0.0, 0.2, 0.5])
def test_coverage_of_other_people_everywhere(people, probes, rate, icc):
    held, _ = coverage(people, probes, rate, icc, LONG)
    least, most = (0.93, 0.97) if people >= 200 else (0.90, 0.98)
    assert least - room(LONG) / 2 <= held <= most + room(LONG) / 2


def rejections(people: int, probes: int, n_sets: int) -> tuple[float, float]:
    """How often the sign-flip test over people, and McNemar's over probes, reject at 5 % when neither is better."""
    rng = np.random.default_rng([people, probes])
    ours = plain = 0
    for _ in range(n_sets):
        # The algorithms' strengths vary over people, each with its own hard people, but not on average.
        rates = stats.norm.cdf(rng.normal(0.8, 0.5, (people, 1)) + rng.normal(0, 0.35, (people, 2)))
        first, second = rng.random((2, people, probes)) < rates.T[:, :, None]
        differences = (first.astype(float) - second).sum(axis=1)
        ours += sign_flip(differences).p_mid <= 0.05
        plain += mcnemar(int((first & ~second).sum()), int((~first & second).sum())).p_value <= 0.05
    return ours / n_sets, plain / n_sets


@pytest.mark.parametrize(("people", "probes"), [(100, 5), (100, 20)])
def test_level_of_comparisons(people, probes):
    ours, plain = rejections(people, probes, QUICK)
    room_here = 3 * np.sqrt(0.05 * 0.95 / QUICK)
    assert 0.035 - room_here <= ours <= 0.065 + room_here
    assert plain > ours


@pytest.mark.long
@pytest.mark.parametrize("people", [50, 100, 200])
@pytest.mark.parametrize("probes", [1, 5, 20])
def test_level_of_comparisons_everywhere(people, probes):
    ours, _ = rejections(people, probes, LONG)
    assert 0.035 - 0.008 <= ours <= 0.065
